"""From a case back to its pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lookaway.errors import UnknownName, UsageError
from lookaway.images import png_bytes
from lookaway.pipeline import plans
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.controls import request_key
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.records import CaseId, Clip, Interval, Observation, Request, Score
from lookaway.store import Run
from lookaway.video import SharedFrames, filmstrip

Steps = dict[str, list[dict[str, str]]]


def trace(run: Run, name: str, metric: str | None = None) -> Steps:
    """Each step of a case's way as printable rows, from the task to its scores."""
    clip = find_clip(run, name)
    plan = plans.load(run)
    task = built_tasks(run, plan)[clip.case.task]
    reference = built_references(run).get(task.instance)
    request = run.latest("requests", Request).get(request_key(clip.case))
    scores = [s for s in run.latest("scores", Score).values() if s.case == clip.case]
    if metric is not None:
        known = {s.metric for s in scores}
        if not known:
            raise UsageError(f"{name} has no scores yet; run: lookaway run --out {run.root}")
        if metric not in known:
            raise UnknownName("metric in this case", metric, known)
        scores = [s for s in scores if s.metric == metric]
    seen = [
        o
        for o in run.latest("observations", Observation).values()
        if o.media == clip.video and o.task_instance == task.instance
    ]
    return {
        "task": [
            {
                "id": task.id,
                "scene": f"{task.scene}: {task.category}, event {task.event}",
                "prompt": task.prompt,
                "subject": f"{task.subjects[0].name} ({task.subjects[0].side})",
                "expected end": task.expected_end,
                "camera": task.camera,
                "first frame": str(run.blobs.path(task.first_frame)),
            }
        ],
        "truth": [{"clip": str(run.blobs.path(reference.video)), "phases": _phases(reference.phases)}]
        if reference is not None
        else [{"clip": "none: this task has no true clip"}],
        "request": [{"control": request.control.kind, "prompt": request.prompt, "asks for": _shape(request)}]
        if request is not None
        else [{"control": "none: the video was brought from elsewhere"}],
        "clip": [_clip(run, clip)],
        "seen": [
            {"observer": f"{o.observer}@{o.version}", "status": o.status, "says": o.reason or _arrays(run, o)}
            for o in sorted(seen, key=lambda o: o.observer)
        ],
        "scores": [
            {
                "metric": f"{s.metric} ({s.variant}, version {s.version}, {s.protocol})",
                "score": f"{s.value:.4g}" if s.value is not None else f"{s.gate or s.status}: {s.reason}",
                "instrument": f"{s.instrument}, phases {s.phase_source}",
            }
            for s in sorted(scores, key=lambda s: s.metric)
        ],
    }


def find_clip(run: Run, name: str) -> Clip:
    clips = {str(c.case): c for c in current_clips(run, plans.load(run))}
    try:
        parsed = str(CaseId.parse(name))
    except ValueError as error:
        raise UsageError(f"'{name}' is not a case; write task/system/seed, such as {next(iter(clips), '…')}") from error
    if parsed not in clips:
        raise UnknownName("case", name, clips)
    return clips[parsed]


def write_strip(run: Run, name: str, path: Path) -> None:
    """Clip above truth, a PNG, with the truth's phases marked."""
    clip = find_clip(run, name)
    if clip.video is None:
        raise UsageError(f"{name} has no video: {clip.reason}")
    reference = built_references(run).get(clip.task_instance)
    strips = [strip_of(run, clip.video, reference.phases if reference is not None else ())]
    if reference is not None:
        strips.append(strip_of(run, reference.video, reference.phases))
    width = min(strip.shape[1] for strip in strips)
    try:
        path.write_bytes(png_bytes(np.concatenate([strip[:, :width] for strip in strips])))
    except OSError as error:
        raise UsageError(f"{path}: cannot write the filmstrip here: {error.strerror}") from error


def strip_of(
    run: Run, media: str, phases: tuple[Interval, ...], count: int = 8
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    from lookaway.video import indices_uniform

    with SharedFrames.load(run.blobs.path(media), long_side=320) as frames:
        chosen = [frames[i] for i in indices_uniform(len(frames), count)]
        marks = [_phase_at(phases, frame.seconds) for frame in chosen]
        return filmstrip(chosen, count=count, marks=marks if phases else None)


def _phase_at(phases: tuple[Interval, ...], second: float) -> str:
    return next((p.phase for p in phases if p.start_s <= second < p.end_s), phases[-1].phase if phases else "")


def _clip(run: Run, clip: Clip) -> dict[str, str]:
    made = clip.provenance
    how = f"{made.generator} version {made.version}, lookaway {made.lookaway}"
    if clip.video is None:
        return {"status": clip.status, "reason": clip.reason, "made by": how}
    return {
        "status": clip.status,
        "video": str(run.blobs.path(clip.video)),
        "sha256": clip.video,
        "shape": f"{clip.width}x{clip.height}, {clip.frames} frames at {clip.fps:g} fps, {clip.seconds:.2f} s",
        "made by": how + (f", from {made.source}" if made.source else ""),
    } | ({"note": made.note} if made.note else {})


def _shape(request: Request) -> str:
    return f"{request.width}x{request.height}, {request.frames} frames at {request.fps:g} fps"


def _phases(phases: tuple[Interval, ...]) -> str:
    return ", ".join(f"{p.phase} {p.start_s:.2f}–{p.end_s:.2f} s" for p in phases) or "none"


def _arrays(run: Run, observation: Observation) -> str:
    if observation.arrays is None:
        return ""
    path = run.blobs.path(observation.arrays)
    with np.load(path) as arrays:
        return ", ".join(f"{name}{arrays[name].shape}" for name in arrays.files) + f" in {path}"
