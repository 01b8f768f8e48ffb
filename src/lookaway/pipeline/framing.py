"""A task and its truth as a clip shows them: in the part of the picture they have in common, at the pace asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookaway import truth
from lookaway.geometry.asked import at_pace, pose_rows
from lookaway.geometry.framing import common_part, cut, fit_between, fitted_task, frame_part, seen_fit
from lookaway.geometry.trajectory import Trajectory
from lookaway.images import read_image
from lookaway.pipeline.branches import WATCHING, branched
from lookaway.records import Clip, Fit, Reference, Request, Task
from lookaway.store import Blobs
from lookaway.truth import Truth
from lookaway.video import SharedFrames, VideoInfo, decode_some


def shown_task(task: Task, clip: Clip, known: Truth | None, blobs: Blobs) -> Task:
    """Boxes, field of view, phases and camera as they are asked of this clip."""
    task = branched(task, clip.case.branch)
    if clip.asked is not None and not task.camera_asked:
        task = task.model_copy(update={"poses": pose_rows(Trajectory.load(blobs.path(clip.asked)))})
    if clip.fit is None and clip.pace == 1:
        return task
    fitted = fitted_task(task, clip.fit)
    if clip.fit is not None and known is not None and known.world is not None:
        fitted = fitted.model_copy(update={"phases": known.phases})
    if clip.pace == 1:
        return fitted
    phases = tuple(
        i.model_copy(update={"start_s": i.start_s / clip.pace, "end_s": i.end_s / clip.pace}) for i in fitted.phases
    )
    return at_pace(fitted, clip.pace).model_copy(update={"seconds": task.seconds / clip.pace, "phases": phases})


def clip_reference(clip: Clip, tasks: Mapping[str, Task], references: Mapping[str, Reference]) -> Reference | None:
    """The truth that a clip shows if it is right: of its task, or of the static twin where its camera kept watching."""
    task = tasks[clip.case.task]
    if clip.case.branch != WATCHING:
        return references.get(task.instance)
    alike = (task.id, task.first_frame, task.world, task.frames)
    twins = [one for one in tasks.values() if one.twin == "static"]
    same = [one for one in twins if (one.twin_of, one.first_frame, one.world, one.frames) == alike]
    return references.get(same[0].instance) if same else None


def watched_truth(clip: Clip, reference: Reference | None) -> list[str]:
    """What else the looks at a branch depend on: its truth is there once the static twin is."""
    return [reference.instance] if clip.case.branch == WATCHING and reference is not None else []


def shown_truth(reference: Reference | None, clip: Clip, blobs: Path) -> Truth | None:
    """What the clip can be compared with: nothing where its camera went at another pace."""
    if reference is None or clip.pace != 1:
        return None
    return truth.load(reference, blobs, frame_part(clip.fit))


def shown_frames(frames: SharedFrames, task: Task, clip: Clip) -> SharedFrames:
    """A clip without bars, its proportions restored."""
    if clip.fit is None:
        return frames
    rgb = common_part(frames.rgb, clip.fit, task.width / task.height)
    return SharedFrames(frames.info, frames.seconds, rgb)


def shown_first_frame(task: Task, clip: Clip, blobs: Blobs) -> NDArray[np.uint8]:
    first = read_image(blobs.path(task.first_frame))
    return np.ascontiguousarray(cut(first, frame_part(clip.fit), rows=0))


def fit_of(info: VideoInfo, request: Request | None, task: Task, blobs: Blobs) -> Fit | None:
    """How a video shows the task's first frame: as it was asked to, or as it looks where nobody asked for its shape."""
    size = (info.width, info.height)
    if request is not None and fit_between((request.width, request.height), size, "crop") is None:
        return request.control.fit
    if fit_between((task.width, task.height), size, "crop") is None:
        return None
    return seen_fit(read_image(blobs.path(task.first_frame)), decode_some(info.path, [0])[0].rgb)
