"""From a case back to its pixels."""

from __future__ import annotations

import numpy as np

from lookaway.errors import BlobError, StoreError, UnknownName, UsageError
from lookaway.geometry.asked import NOT_ASKED, asked_in_words, path_in_words
from lookaway.geometry.trajectory import Trajectory
from lookaway.pipeline import plans
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.controls import request_key
from lookaway.pipeline.generate import clip_key
from lookaway.records import CaseId, Clip, Interval, Observation, Reference, Request, Score, Task
from lookaway.store import Run
from lookaway.video import SharedFrames, filmstrip

Steps = dict[str, list[dict[str, str]]]


def trace(run: Run, name: str, metric: str | None = None) -> Steps:
    """Each step of a case's way as printable rows, from the task to its scores."""
    clip = find_clip(run, name)
    task = _task(run, clip)
    reference = _reference(run, task.id, task.instance)
    asked = request_key(clip.case)
    request = run.latest("requests", Request, key=asked).get(asked)
    scores = list(run.latest("scores", Score, **dict(clip.case)).values())
    if metric is not None:
        known = {s.metric for s in scores}
        if not known:
            raise UsageError(f"{name} has no scores yet; run: lookaway run --out {run.root}")
        if metric not in known:
            raise UnknownName("metric in this case", metric, known)
        scores = [s for s in scores if s.metric == metric]
    seen = _observations(run, clip, task.instance)
    return {
        "task": [
            {
                "id": task.id,
                "scene": f"{task.scene}: {task.category}, event {task.event}",
                "prompt": task.prompt,
                "subject": f"{task.subject.name} ({task.subject.side})" if task.subject is not None else "none named",
                "expected end": task.expected_end,
                "camera": _camera(task),
                "first frame": _place(run, task.first_frame),
            }
        ],
        "truth": [{"clip": _place(run, reference.video), "phases": _phases(reference.phases)}]
        if reference is not None and reference.video is not None
        else [{"clip": "none: this task has no true clip"}],
        "system": [_system(run, clip)],
        "request": [_request(request)]
        if request is not None and clip.request_key
        else [{"control": "none: the video was brought from elsewhere"}],
        "clip": [_clip(run, clip)],
        "seen": [
            {"observer": o.instrument, "status": o.status, "says": o.reason or _arrays(run, o)}
            for o in sorted(seen, key=lambda o: o.observer)
        ],
        "scores": [
            {
                "metric": f"{s.metric} ({s.variant}, version {s.version}, {s.protocol})",
                "score": f"{s.value:.4g}" if s.value is not None else f"{s.gate or s.status}: {s.reason}",
                "instrument": ", ".join(filter(None, [s.instrument, s.ask, f"phases {s.phase_source}"])),
            }
            | ({"round": str(s.round)} if s.round > 1 else {})
            for s in sorted(scores, key=lambda s: (s.metric, s.variant, s.round, s.instrument))
        ],
    }


def _observations(run: Run, clip: Clip, instance: str) -> list[Observation]:
    if clip.video is None:
        return []
    return list(run.latest("observations", Observation, media=clip.video, task_instance=instance).values())


def find_clip(run: Run, name: str) -> Clip:
    plan = plans.load(run)
    try:
        case = CaseId.parse(name)
    except ValueError as error:
        such = next((str(clip.case) for clip in current_clips(run, plan)), "…")
        raise UsageError(f"'{name}' is not a case; write task/system/seed, such as {such}") from error
    clip = run.latest("clips", Clip, key=clip_key(case)).get(clip_key(case))
    planned = case.system in {system.label for system in plan.systems} and (not plan.cases or case in plan.cases)
    if clip is None or clip.status == "withdrawn" or not planned:
        raise UnknownName("case", name, [str(clip.case) for clip in current_clips(run, plan)])
    return clip


def _task(run: Run, clip: Clip) -> Task:
    """Read from the logs alone: the suite may be large, or no longer there."""
    for task in run.latest("tasks", Task, id=clip.case.task).values():
        return task
    raise StoreError(f"{run.root}: its logs hold no task '{clip.case.task}'; run: lookaway run --out {run.root}")


def _reference(run: Run, task: str, instance: str) -> Reference | None:
    known = run.latest("references", Reference, task=task).values()
    return next((reference for reference in known if reference.instance == instance), None)


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
        "video": _place(run, clip.video),
        "sha256": clip.video,
        "shape": f"{clip.width}x{clip.height}, {clip.frames} frames at {clip.fps:g} fps, {clip.seconds:.2f} s",
        "made by": how + (f", from {made.source}" if made.source else ""),
        **({"asked of it": _asked(run, clip.asked)} if clip.asked is not None else {}),
        **({"note": made.note} if made.note else {}),
    }


def _asked(run: Run, blob: str) -> str:
    """The camera of a brought video, in words."""
    try:
        return path_in_words(Trajectory.load(run.blobs.path(blob)))
    except BlobError as error:
        return str(error)


def _system(run: Run, clip: Clip) -> dict[str, str]:
    """What informs the system's view, and why it is sorted so: facts of its card."""
    card = next(system.card for system in plans.load(run).systems if system.label == clip.case.system)
    return {
        "card": card.name,
        "condition": card.condition_type,
        "because": card.condition_reason or card.source("condition_type") or "no reason given",
        "inputs": f"may show: {card.input_policy.replace('_', ' ')}",
    }


def _request(request: Request) -> dict[str, str]:
    """What the model was given."""
    control = request.control
    known = control.loss_deg is not None and control.loss_m is not None
    return {
        "control": control.kind,
        "prompt": request.prompt,
        "asks for": _shape(request),
        "inputs": f"show: {control.input_policy.replace('_', ' ')}",
        "delivered": f"{control.loss_deg:.2f} degrees and {control.loss_m:.3f} m from what was asked, at most"
        if known
        else "unknown how near to what was asked",
    } | ({"notes": "; ".join(control.warnings)} if control.warnings else {})


def _shape(request: Request) -> str:
    return f"{request.width}x{request.height}, {request.frames} frames at {request.fps:g} fps"


def _phases(phases: tuple[Interval, ...]) -> str:
    return ", ".join(f"{p.phase} {p.start_s:.2f}–{p.end_s:.2f} s" for p in phases) or "none"


def _arrays(run: Run, observation: Observation) -> str:
    if observation.arrays is None:
        return ""
    try:
        path = run.blobs.path(observation.arrays)
    except BlobError as error:
        return str(error)
    with np.load(path) as arrays:
        return ", ".join(f"{name}{arrays[name].shape}" for name in arrays.files) + f" in {path}"


def _camera(task: Task) -> str:
    if not task.camera_asked:
        return NOT_ASKED
    return task.camera or f"{len(task.poses)} poses: {asked_in_words(task)}"


def _place(run: Run, blob: str) -> str:
    """Where a blob lies, or why it cannot be had."""
    try:
        return str(run.blobs.path(blob))
    except BlobError as error:
        return str(error)
