"""Stage `generate`: a generator makes one video; the runner hashes, times and records it."""

from __future__ import annotations

import functools
import platform
import shutil
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np

from lookaway import suites
from lookaway.errors import BlobError, GenerationError, MachineError, VideoError
from lookaway.generators import CLIP_CRF, GENERATORS, Commission, Generator, Make, Movie, TrueClips
from lookaway.pipeline.branches import WATCHING, branched
from lookaway.pipeline.cases import generated_systems, planned_cases
from lookaway.pipeline.controls import request_key
from lookaway.pipeline.framing import fit_of
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.places import safe_text
from lookaway.records import CaseId, Clip, ClipStatus, Fit, Plan, Provenance, Request, Shown, System, Task, content_key
from lookaway.registry import Plugin
from lookaway.shown import SHOWN_LOG
from lookaway.store import Run
from lookaway.video import VideoInfo, decode, encode, probe
from lookaway.video.apart import looked_through
from lookaway.video.folder import folder_rate, frame_files
from lookaway.video.names import printable

LENGTH_SLACK = 0.2


def clip_key(case: CaseId) -> str:
    return content_key("clip", str(case))


def jobs(run: Run, plan: Plan) -> list[Job]:
    tasks = built_tasks(run, plan)
    requests = run.latest("requests", Request)
    systems = {system.label: system for system in generated_systems(plan)}
    suite, found = (plan.folder if plan.in_folder else plan.suite, plan.tasks), []
    for case in planned_cases(plan, tasks):
        request, system = requests.get(request_key(case)), systems[case.system]
        if request is None or (case.branch == WATCHING and _forks(system)):
            continue
        asked = [request]
        if not case.branch and WATCHING in plan.branches and _forks(system):
            asked += filter(None, [requests.get(request_key(case.model_copy(update={"branch": WATCHING})))])
        version = GENERATORS.get(system.card.generator).version
        expects = {clip_key(one.case): content_key(one.key, version) for one in asked}
        found.append(Job(str(case), case.task, (tuple(asked), tasks[case.task], system, suite), expects))
    return found


def _forks(system: System) -> bool:
    """Whether its videos and those of who kept watching come out of one session."""
    return system.card.can_fork is True and GENERATORS.get(system.card.generator).pair is not None


def work(run: Run, job: Job) -> list[Entry]:
    asked, task, system, suite = job.payload
    plugin = GENERATORS.get(system.card.generator)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="lookaway-") as folder:
        truths = functools.partial(true_clips, run, *suite)
        spent = functools.partial(spent_usd, run, system.label)
        own = branched(task, asked[0].case.branch)
        commission = Commission(asked[0], run.blobs, own, system.card, Path(folder), truths, spent)
        movies = attempt(_movies, plugin, commission, len(asked))
        seconds = (time.monotonic() - started) / len(asked)
        clips = [
            _failed(run, request, task, movies, plugin, folder)
            if isinstance(movies, Failure)
            else _taken(run, request, task, movies[number], plugin, seconds, Path(folder))
            for number, request in enumerate(asked)
        ]
        told = [] if isinstance(movies, Failure) else _told(run, clips, movies)
    return [*told, *(Entry(clip_key(clip.case), clip) for clip in clips)]


def _told(run: Run, clips: Sequence[Clip], movies: Sequence[Movie]) -> list[Entry]:
    """What clips of the known world show, in a log that nobody reads but the oracle."""
    found = []
    for clip, movie in zip(clips, movies, strict=True):
        if clip.video is not None and movie.shown is not None:
            shown = Shown(media=clip.video, arrays=run.blobs.put_file(movie.shown))
            found.append(Entry(content_key("shown", clip.video), shown, log=SHOWN_LOG))
    return found


def _movies(plugin: Generator, commission: Commission, count: int) -> list[Movie]:
    """The video asked for; of a pair, that of who kept watching as well."""
    if count == 1 or plugin.pair is None:
        return [saved(plugin.function, commission)]
    pair = plugin.pair(commission)
    note = f"forked: the same up to frame {pair.parts_at}"
    return [replace(movie, note="; ".join(filter(None, [movie.note, note]))) for movie in (pair.away, pair.watching)]


def _failed(run: Run, request: Request, task: Task, failure: Failure, plugin: Plugin, folder: str) -> Clip:
    why = failure.reason.replace(f"{folder}/", "")
    error = failure.error if isinstance(failure.error, GenerationError) else GenerationError(why)
    clip = no_clip(request.case, request.key, task, error.status, why, plugin)
    return clip.model_copy(update={"provenance": clip.provenance.model_copy(update={"log": kept_log(run, error.log)})})


def _taken(run: Run, request: Request, task: Task, movie: Movie, plugin: Plugin, seconds: float, workdir: Path) -> Clip:
    foreign = movie.shown is None  # the known world alone tells what its clips show
    clip = recorded(run, request.case, request, task, movie.video, plugin, seconds, workdir, apart=foreign)
    note = "; ".join(filter(None, [movie.note, clip.provenance.note]))
    said = {"prompt": movie.prompt, "cost_usd": movie.cost_usd, "memory_bytes": movie.memory_bytes}
    facts = said | {"note": note, "log": kept_log(run, movie.log)}
    return clip.model_copy(update={"provenance": clip.provenance.model_copy(update=facts)})


def spent_usd(run: Run, system: str) -> float:
    """What the clips of a system that this run folder holds have cost."""
    clips = run.latest("clips", Clip).values()
    return sum(clip.provenance.cost_usd or 0.0 for clip in clips if clip.case.system == system)


def kept_log(run: Run, text: str) -> str | None:
    """What a generator printed, as a blob without secrets and places."""
    return run.blobs.put_bytes(safe_text(text).encode(), ".txt") if text else None


def true_clips(run: Run, suite: str | None, names: Sequence[str]) -> TrueClips:
    """The true clips of a run's tasks; only where one is not built yet the suite is asked, and builds it."""
    tasks = {task.id: task for task in run.latest("tasks", Task).values()}
    references = built_references(run)
    drafts: dict[str, suites.Draft] = {}
    if suite is not None and not tasks.keys() >= set(names):
        drafts = {draft.id: draft for draft in suites.find(suite).drafts()}

    def path(task: str) -> Path | None:
        built = references.get(tasks[task].instance) if task in tasks else drafts[task].built(run.blobs).reference
        return None if built is None or built.video is None else run.blobs.path(built.video)

    scenes = {name: draft.scene for name, draft in drafts.items()} | {name: task.scene for name, task in tasks.items()}
    return TrueClips(scenes, path)


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
    apart: bool = True,
) -> Clip:
    """The Clip of a video file: probed, hashed and taken in, or the reason why it cannot be used.

    It is decoded once to be sure that it is whole, in a process of its own unless we filmed it. A file in `workdir` was
    made for us and is moved; any other is somebody's and is copied.
    """
    request_key = "" if request is None else request.key
    given, ours = video, video.is_relative_to(workdir)
    source, note = None if ours else printable(video.name), ""
    try:
        if not ours:
            video, note = with_rate(video, task.fps, workdir)
        info = looked_through(video) if apart else _decoded(video)
        fit = fit_of(info, request, task, run.blobs)
        note = "; ".join(filter(None, [note, *info.notes, fit_note(fit), length_note(info.seconds, task.seconds)]))
    except (VideoError, OSError) as error:
        why = str(error).replace(f"{workdir}/frames", str(given)).replace(f"{workdir}/", "")
        return no_clip(case, request_key, task, "unreadable", printable(why), plugin, source)
    except (BlobError, MachineError) as error:  # tried again by the next run
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


def _decoded(video: Path) -> VideoInfo:
    for _ in decode(video, long_side=64):
        pass
    return probe(video)


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


def on_device(job: Job) -> Collection[str]:
    """Clips of a program of the user's own, which is a model; other generators compute elsewhere or on the CPU."""
    _, _, system, _ = job.payload
    return job.expects if system.card.generator == "command" else ()


STAGE = Stage("generate", "clips", jobs, work, plugins, on_device=on_device)
