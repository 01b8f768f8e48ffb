"""Stage `generate`: a generator makes one video; the runner hashes, times and records it."""

from __future__ import annotations

import functools
import platform
import shutil
import tempfile
import time
from importlib import metadata
from pathlib import Path

import numpy as np

from lookaway import suites
from lookaway.errors import BlobError, GenerationError, VideoError
from lookaway.generators import CLIP_CRF, GENERATORS, Commission, Make, Movie, TrueClips
from lookaway.pipeline.cases import generated_systems, planned_cases
from lookaway.pipeline.controls import request_key
from lookaway.pipeline.framing import fit_of
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_references, built_tasks, suite_place
from lookaway.places import told
from lookaway.records import CaseId, Clip, ClipStatus, Fit, Plan, Provenance, Request, Task, content_key
from lookaway.registry import Plugin
from lookaway.store import Run
from lookaway.video import decode, encode, probe
from lookaway.video.folder import folder_rate, frame_files
from lookaway.video.names import printable

LENGTH_SLACK = 0.2


def clip_key(case: CaseId) -> str:
    return content_key("clip", str(case))


def jobs(run: Run, plan: Plan) -> list[Job]:
    tasks = built_tasks(run, plan)
    requests = run.latest("requests", Request)
    systems = {system.label: system for system in generated_systems(plan)}
    place, found = suite_place(plan), []
    for case in planned_cases(plan, tasks):
        request, system = requests.get(request_key(case)), systems[case.system]
        if request is not None:
            inputs = content_key(request.key, GENERATORS.get(system.card.generator).version)
            payload = (request, tasks[case.task], system, place)
            found.append(Job(str(case), case.task, payload, {clip_key(case): inputs}))
    return found


def work(run: Run, job: Job) -> list[Entry]:
    request, task, system, suite = job.payload
    plugin = GENERATORS.get(system.card.generator)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lookaway-") as folder:
        truths = functools.partial(true_clips, run, suite)
        spent = functools.partial(spent_usd, run, system.label)
        commission = Commission(request, run.blobs, task, system.card, Path(folder), truths, spent)
        movie = attempt(saved, plugin.function, commission)
        if isinstance(movie, Failure):
            why = movie.reason.replace(f"{folder}/", "")
            error = movie.error if isinstance(movie.error, GenerationError) else GenerationError(why)
            clip = no_clip(request.case, request.key, task, error.status, why, plugin)
            facts: dict[str, object] = {"log": kept_log(run, error.log)}
        else:
            seconds = time.monotonic() - started
            clip = recorded(run, request.case, request, task, movie.video, plugin, seconds, Path(folder))
            note = "; ".join(filter(None, [movie.note, clip.provenance.note]))
            facts = {"prompt": movie.prompt, "cost_usd": movie.cost_usd, "note": note, "log": kept_log(run, movie.log)}
    provenance = clip.provenance.model_copy(update=facts)
    return [Entry(clip_key(request.case), clip.model_copy(update={"provenance": provenance}))]


def spent_usd(run: Run, system: str) -> float:
    """What the clips of a system that this run folder holds have cost."""
    clips = run.latest("clips", Clip).values()
    return sum(clip.provenance.cost_usd or 0.0 for clip in clips if clip.case.system == system)


def kept_log(run: Run, text: str) -> str | None:
    """What a generator printed, as a blob without secrets and places."""
    return run.blobs.put_bytes(told(text).encode(), ".txt") if text else None


def true_clips(run: Run, suite: str) -> TrueClips:
    """The true clips of a suite; one that this run folder has not built yet is built when it is asked for."""
    drafts = {draft.id: draft for draft in suites.find(suite).drafts()}
    instances = {task.id: task.instance for task in run.latest("tasks", Task).values()}
    references = built_references(run)

    def path(task: str) -> Path | None:
        built = references.get(instances.get(task, ""))
        if task not in instances:
            built = drafts[task].built(run.blobs).reference
        return None if built is None or built.video is None else run.blobs.path(built.video)

    return TrueClips({draft.id: draft.scene for draft in drafts.values()}, path)


def saved(make: Make, commission: Commission) -> Movie:
    """Whatever a generator makes, as a video file."""
    made = make(commission)
    if isinstance(made, Movie):
        return made
    if isinstance(made, str | Path):
        if not str(made) or Path(made) == Path():
            raise GenerationError("the generator returned an empty path; return the video's path, or frames")
        return Movie(Path(made))
    path = commission.workdir / "clip.mp4"
    try:
        encode((np.asarray(frame) for frame in made), path, commission.request.fps, crf=CLIP_CRF)
    except (TypeError, ValueError) as error:
        raise GenerationError(
            f"the generator must return RGB frames or a path, and this is neither: {error}"
        ) from error
    return Movie(path)


def recorded(
    run: Run,
    case: CaseId,
    request: Request | None,
    task: Task,
    video: Path,
    plugin: Plugin,
    seconds: float | None,
    workdir: Path,
) -> Clip:
    """The Clip of a video file: probed, hashed and taken in, or the reason why it cannot be used.

    It is decoded once to be sure that it is whole. A file in `workdir` was made for us and is moved; any other is
    somebody's and is copied.
    """
    request_key = "" if request is None else request.key
    given, ours = video, video.is_relative_to(workdir)
    source, note = None if ours else printable(video.name), ""
    try:
        if not ours:
            video, note = with_rate(video, task.fps, workdir)
        for _ in decode(video, long_side=64):
            pass
        info = probe(video)
        fit = fit_of(info, request, task, run.blobs)
        note = "; ".join(filter(None, [note, *info.notes, fit_note(fit), length_note(info.seconds, task.seconds)]))
    except (VideoError, OSError) as error:
        why = str(error).replace(f"{workdir}/frames", str(given)).replace(f"{workdir}/", "")
        return no_clip(case, request_key, task, "unreadable", printable(why), plugin, source)
    except BlobError as error:
        return no_clip(case, request_key, task, "failed", str(error), plugin, source)
    return Clip(
        case=case,
        request_key=request_key,
        task_instance=task.instance,
        status="ok",
        video=run.blobs.put_file(video, move=ours),
        frames=info.frames,
        fps=info.fps,
        seconds=info.seconds,
        width=info.width,
        height=info.height,
        fit=fit,
        pace=1.0 if request is None else request.control.pace,
        provenance=provenance_of(plugin, seconds, source, note),
    )


def fit_note(fit: Fit | None) -> str:
    """Said of a clip whose picture has another shape than the task's first frame."""
    if fit is None:
        return ""
    done = {"crop": "cropped to", "pad": "given bars to make", "stretch": "stretched to"}[fit.how]
    return f"first frame {done} another shape of picture"


def length_note(seconds: float, asked: float) -> str:
    """Said of a clip whose length is not the task's: frames are compared by time or by share of the clip."""
    if abs(seconds - asked) <= LENGTH_SLACK * asked:
        return ""
    return f"lasts {seconds:.2f} s, the task {asked:.2f} s"


def with_rate(video: Path, fps: float, workdir: Path) -> tuple[Path, str]:
    """A folder of frames as a copy that holds the frames and their rate, and nothing else; a file as it is."""
    if not video.is_dir():
        return video, ""
    folder_rate(video, fps)  # what is no rate is refused before anything is copied
    rated = workdir / "frames"
    rated.mkdir()
    for frame in frame_files(video):
        shutil.copyfile(frame, rated / frame.name)
    if (video / "fps.txt").exists():
        shutil.copyfile(video / "fps.txt", rated / "fps.txt")
        return rated, ""
    (rated / "fps.txt").write_text(f"{fps:g}\n")
    return rated, f"no fps.txt: taken as {fps:g} fps, the task's rate"


def no_clip(
    case: CaseId,
    request_key: str,
    task: Task,
    status: ClipStatus,
    reason: str,
    plugin: Plugin,
    source: str | None = None,
) -> Clip:
    return Clip(
        case=case,
        request_key=request_key,
        task_instance=task.instance,
        status=status,
        reason=reason,
        provenance=provenance_of(plugin, None, source),
    )


def provenance_of(plugin: Plugin, seconds: float | None, source: str | None, note: str = "") -> Provenance:
    return Provenance(
        generator=plugin.name,
        version=plugin.version,
        lookaway=metadata.version("lookaway"),
        python=platform.python_version(),
        seconds=seconds,
        source=source,
        note=note,
    )


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    names = sorted({s.card.generator for s in generated_systems(plan)})
    return [("generator", GENERATORS.get(name)) for name in names]


STAGE = Stage("generate", "clips", jobs, work, plugins)
