"""When can a camera path hide a subject at all, and which phases follow from what was seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.asked import asked_poses, asked_trajectory, stands_still
from lookaway.geometry.cover import parse_cover
from lookaway.geometry.framing import WHOLE
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.script import trajectory
from lookaway.geometry.sight import box_points, share_in_view
from lookaway.geometry.trajectory import Floats, Trajectory
from lookaway.records import Box, Interval, Phase, Task

SCRIPT_HOME_DEG, SCRIPT_HOME_M = 2.0, 0.05  # asked paths are exact: what is left at their end is rounding
MIN_HIDDEN_S = 0.5  # shorter disappearances are flicker, not a look away

AskedScript = tuple[
    str, int, float, tuple[int, int], float, float
]  # script, frames, fps, size, lens and tilt in degrees
Obstacle = Literal["never_seen", "never_hidden", "hidden_too_short", "never_returned"]
OBSTACLES: dict[Obstacle, str] = {
    "never_seen": "the subject is never in view",
    "never_hidden": "the subject never leaves view",
    "hidden_too_short": f"the subject is out of view for less than {MIN_HIDDEN_S:g} s at a time",
    "never_returned": "the subject leaves view and does not come back",
}


@dataclass(frozen=True)
class VisibilityPlan:
    """When a subject that stands still is out of view, if everything goes as asked."""

    seconds: Floats
    share: Floats  # of the subject that is in view, per pose
    phases: tuple[Interval, ...]
    obstacle: Obstacle | None  # why this cannot pose the return test; None: it can


def plan_visibility(path: Trajectory, size: tuple[int, int], points: Floats, cover: str = "") -> VisibilityPlan:
    """Is a thing (see geometry/sight.py) hidden and seen again along a path, behind a cover that may come and go?"""
    share = share_in_view(points, path, size)
    if cover:
        share = share * (1 - parse_cover(cover).share_at(path.seconds))
    visible = share > 0
    phases = phases_from_visible(path.seconds, visible)
    flickers = bool((~visible[np.argmax(visible) :]).any())
    return VisibilityPlan(path.seconds, share, phases, _obstacle(phases, flickers))


def planned(task: Task) -> VisibilityPlan:
    """The plan of a task, by its camera and cover scripts; the subject's distance is unknown, so only turns count."""
    size = (task.width, task.height)
    path = asked_trajectory(task, task.frames, task.fps, size)
    return plan_visibility(path, size, box_points(task.subjects[0].box, size, task.hfov_deg), task.cover)


def obstacle(task: Task) -> Obstacle | None:
    """Why a task cannot hide the subject for long enough and bring it back. Known phases say, else the scripts.

    None as well where neither says: a video that was only brought may show anything, and so may a subject without box.
    """
    if task.phases:
        return _obstacle(task.phases)
    where = task.subject
    if not task.camera_asked or where is None or where.box == WHOLE:
        return None
    if not task.camera:
        return planned(task).obstacle
    size = (task.width, task.height)
    asked = (task.camera, task.frames, task.fps, size, task.hfov_deg, task.pitch_deg)
    return _scripted_obstacle(asked, task.subjects[0].box, task.cover)


@lru_cache(maxsize=65536)
def _scripted_obstacle(asked: AskedScript, box: Box, cover: str) -> Obstacle | None:
    """The same for every task that asks the same: a suite of 10,000 tasks has few scripts."""
    _, _, _, size, hfov_deg, _ = asked
    return plan_visibility(_scripted_path(asked), size, box_points(box, size, hfov_deg), cover).obstacle


@lru_cache(maxsize=256)
def _scripted_path(asked: AskedScript) -> Trajectory:
    return trajectory(*asked)


def has_opportunity(task: Task) -> bool:
    """Could this task hide the subject for long enough and bring it back?"""
    return obstacle(task) is None


def _obstacle(phases: tuple[Interval, ...], flickers: bool = False) -> Obstacle | None:
    found = {interval.phase for interval in phases}
    if "returned" in found:
        return None
    if "hidden" in found:
        return "never_returned"
    if not found:
        return "never_seen"
    return "hidden_too_short" if flickers else "never_hidden"


def camera_hides(task: Task) -> bool:
    """Is it the camera that takes the subject out of view, and nothing in between or the subject itself?"""
    return task.camera_asked and not task.cover and not stands_still(task)


def comes_home(task: Task) -> bool:
    """Does the asked camera end where it began?"""
    last = asked_poses(task, np.array([0.0, task.seconds]))[-1]
    return bool(turn_deg(last) <= SCRIPT_HOME_DEG and np.linalg.norm(last[:3, 3]) <= SCRIPT_HOME_M)


def phases_from_visible(
    seconds: Floats, visible: NDArray[np.bool_], min_hidden_s: float = MIN_HIDDEN_S
) -> tuple[Interval, ...]:
    """Runs of visible / hidden / returned frames; a subject never seen has no phases.

    A run lasts until the next one starts. Hidden runs shorter than `min_hidden_s` count as seen; frames before the
    first sighting belong to no phase.

    >>> visible = np.array([0, 1, 1, 0, 0, 1, 0, 1], bool)  # at four frames a second; the second gap is a flicker
    >>> [(i.phase, i.start_s, i.end_s) for i in phases_from_visible(np.arange(8) / 4, visible)]
    [('visible', 0.25, 0.75), ('hidden', 0.75, 1.25), ('returned', 1.25, 2.0)]
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
