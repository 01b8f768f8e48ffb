"""When can a camera path hide a subject at all, and which phases follow from what was seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.script import parse, poses_at
from lookaway.geometry.trajectory import Floats
from lookaway.records import Interval, Phase, Task

BOX_RAYS = 9
HOME_DEG, HOME_M = 2.0, 0.05
MIN_HIDDEN_S = 0.5  # shorter disappearances are flicker, not a look away


def planned_hidden(task: Task, seconds: Floats) -> NDArray[np.bool_]:
    """Per second: do the asked camera's turns put the (standing) subject's box out of view?"""
    left, top, right, bottom = task.subjects[0].box
    half_x = np.tan(np.deg2rad(task.hfov_deg / 2))
    half_y = half_x * task.height / task.width
    x, y = np.meshgrid(np.linspace(left, right, BOX_RAYS), np.linspace(top, bottom, BOX_RAYS))
    rays = np.stack([(2 * x - 1) * half_x, (2 * y - 1) * half_y, np.ones_like(x)], axis=-1).reshape(-1, 3)
    turned = rays @ poses_at(task.camera, seconds, task.pitch_deg)[:, :3, :3]
    ahead = np.maximum(turned[..., 2], 1e-9)
    seen = (
        (turned[..., 2] > 0) & (np.abs(turned[..., 0]) <= half_x * ahead) & (np.abs(turned[..., 1]) <= half_y * ahead)
    )
    return np.asarray(~seen.any(axis=1))


def has_opportunity(task: Task) -> bool:
    """Could this task hide the subject for long enough and bring it back? Known phases say, else the camera path."""
    if task.phases:
        return any(i.phase == "returned" for i in task.phases)
    seconds = np.arange(task.frames) / task.fps
    intervals = phases_from_visible(seconds, ~planned_hidden(task, seconds))
    return any(i.phase == "returned" for i in intervals)


def camera_hides(task: Task) -> bool:
    """Is it the camera that takes the subject out of view, and nothing in between or the subject itself?"""
    return not task.cover and not all(move.still for move in parse(task.camera))


def comes_home(task: Task) -> bool:
    """Does the asked camera end where it began?"""
    last = poses_at(task.camera, np.array([task.seconds]), task.pitch_deg)[0]
    return bool(turn_deg(last) <= HOME_DEG and np.linalg.norm(last[:3, 3]) <= HOME_M)


def phases_from_visible(
    seconds: Floats, visible: NDArray[np.bool_], min_hidden_s: float = MIN_HIDDEN_S
) -> tuple[Interval, ...]:
    """Runs of visible / hidden / returned frames; a subject never seen has no phases.

    A run lasts until the next one starts. Hidden runs shorter than `min_hidden_s` count as seen; frames before the
    first sighting belong to no phase.
    """
    if not visible.any():
        return ()
    first = int(np.argmax(visible))
    step = float(np.median(np.diff(seconds))) if len(seconds) > 1 else 0.0
    starts = [first, *(np.flatnonzero(np.diff(visible[first:].astype(int))) + first + 1).tolist()]
    edges = [*(float(seconds[s]) for s in starts), float(seconds[-1]) + step]
    runs = [(bool(visible[s]), edges[i], edges[i + 1]) for i, s in enumerate(starts)]
    intervals: list[Interval] = []
    for seen, start, end in runs:
        hidden = not seen and end - start >= min_hidden_s
        before = intervals[-1].phase if intervals else None
        phase: Phase = "hidden" if hidden else "visible" if before in (None, "visible") else "returned"
        if before == phase:
            intervals[-1] = intervals[-1].model_copy(update={"end_s": end})
        else:
            intervals.append(Interval(phase=phase, start_s=start, end_s=end))
    return tuple(intervals)


def frames_in(seconds: Floats, intervals: tuple[Interval, ...], phase: Phase) -> NDArray[np.bool_]:
    """Which frames lie in a phase."""
    inside = np.zeros(len(seconds), bool)
    for interval in intervals:
        if interval.phase == phase:
            inside |= (seconds >= interval.start_s - 1e-9) & (seconds < interval.end_s - 1e-9)
    return inside


def longest_s(seconds: Floats, flags: NDArray[np.bool_]) -> float:
    """The longest time for which `flags` holds, counted to the next frame where it does not."""
    longest = lasted = 0.0
    for flag, step in zip(flags, np.diff(seconds, append=seconds[-1:]), strict=True):
        lasted = lasted + float(step) if flag else 0.0
        longest = max(longest, lasted)
    return longest
