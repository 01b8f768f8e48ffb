"""Which frames tell a task's story."""

from __future__ import annotations

import string
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookaway.records import Interval
from lookaway.video import indices_uniform, nearest_index

PLAIN_COUNT = 5  # frames of a clip that hides nothing
WELL = 0.5  # of the best view of a stretch


@dataclass(frozen=True)
class Moment:
    frame: int
    letter: str  # links the frame with its marks on curves and map
    name: str
    phase: str


def moments(
    seconds: NDArray[np.float64], visible: NDArray[np.float64], phases: tuple[Interval, ...]
) -> tuple[Moment, ...]:
    """First and last frame; before and after each hidden phase a frame that shows the subject well, and its middle."""
    last = len(seconds) - 1
    named = {0: "first frame"}
    hidden = [phase for phase in phases if phase.phase == "hidden"]
    edges = [0.0, *(edge for phase in hidden for edge in (phase.start_s, phase.end_s)), float(seconds[-1]) + 1]
    for number, phase in enumerate(hidden):
        before = well_seen(seconds, visible, edges[2 * number], phase.start_s)
        after = well_seen(seconds, visible, phase.end_s, edges[2 * number + 3])
        named |= {int(before[-1]): "last visible"} if len(before) else {}
        named[nearest_index(seconds, (phase.start_s + phase.end_s) / 2)] = "hidden"
        named |= {int(after[0]): "returned"} if len(after) else {}
    if not hidden:
        named |= dict.fromkeys(indices_uniform(len(seconds), PLAIN_COUNT)[1:], "")
    named[last] = "end"
    return tuple(
        Moment(frame, letter, named[frame], phase_at(phases, float(seconds[frame])))
        for frame, letter in zip(sorted(named), string.ascii_uppercase, strict=False)
    )


def well_seen(
    seconds: NDArray[np.float64], visible: NDArray[np.float64], start_s: float, end_s: float
) -> NDArray[np.int64]:
    """Frames from start up to end that show at least half as much of the subject as the best of them."""
    inside = np.flatnonzero((seconds >= start_s) & (seconds < end_s))
    return np.asarray(inside[visible[inside] >= WELL * visible[inside].max(initial=0.0)], np.int64)


def phase_at(phases: tuple[Interval, ...], second: float) -> str:
    return next((p.phase for p in phases if p.start_s <= second < p.end_s), phases[-1].phase if phases else "unseen")
