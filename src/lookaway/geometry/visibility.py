"""When can a camera path hide a subject at all, and which phases follow from what was seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.script import yaw_at
from lookaway.geometry.trajectory import Floats
from lookaway.records import Interval, Phase, Task

MIN_HIDDEN_S = 0.5  # shorter disappearances are flicker, not a look away


def planned_hidden(task: Task, seconds: Floats) -> NDArray[np.bool_]:
    """Per second: does the asked camera put the (standing) subject's box out of view?"""
    left, _, right, _ = task.subjects[0].box
    focal = 0.5 / np.tan(np.deg2rad(task.hfov_deg / 2))
    azimuths = np.rad2deg(np.arctan((np.array([left, right]) - 0.5) / focal))
    yaw = yaw_at(task.camera, seconds)
    half = task.hfov_deg / 2
    return np.asarray((azimuths[1] - yaw < -half) | (azimuths[0] - yaw > half))


def has_opportunity(task: Task) -> bool:
    """Could this path hide the subject for long enough, and bring it back?"""
    seconds = np.arange(task.frames) / task.fps
    intervals = phases_from_visible(seconds, ~planned_hidden(task, seconds))
    return any(i.phase == "returned" for i in intervals)


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
