"""Which frames of a generated clip lie in which phase, mapped from the frames of the true clip (MemoBench)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.visibility import frames_in, phases_from_visible
from lookaway.records import Interval

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
MappingRule = Literal["paper", "released"]

FULLY = 0.9  # of its usual area on that side of the look-away: with more it is fully in view


class Keyframes(NamedTuple):
    """Frames of the true clip: where the subject is first gone, where it is first back, and how many there are."""

    gone: int
    back: int
    frames: int


class PhaseFrames(NamedTuple):
    """Frames of a clip, in order; a frame is in several phases only by the released rule."""

    visible: Indices
    hidden: Indices
    returned: Indices


class SightFrames(NamedTuple):
    """Frames of a clip by what it shows of the subject, in order; those that show part of it stand apart."""

    visible: Indices
    leaving: Indices
    hidden: Indices
    returning: Indices
    returned: Indices


def sight_frames(seconds: Floats, visible: Flags, area: Floats, cut: Flags) -> SightFrames:
    """From where the subject is seen, how large, and where its picture may be cut off.

    It is leaving or returning in the frames beside a look-away that cut it off and show less than FULLY of its
    median area on that side; a clip that never hides it has nothing but visible frames.

    >>> area = np.array([1, 1, 1, 0.5, 0, 0, 0, 0.3, 1, 1])
    >>> [part.tolist() for part in sight_frames(np.arange(10) / 4, area > 0, area, area < 1)]
    [[0, 1, 2], [3], [4, 5, 6], [7], [8, 9]]
    """
    phases = phases_from_visible(seconds, visible)
    leaving, returning = np.zeros((2, len(seconds)), bool)
    for number, phase in enumerate(phases):
        inside = np.flatnonzero(frames_in(seconds, (phase,), phase.phase))
        if phase.phase == "hidden" or not len(inside):
            continue
        partial = cut[inside] & (area[inside] < FULLY * np.median(area[inside]))
        if number + 1 < len(phases):
            leaving[inside[::-1][: _leading(partial[::-1])]] = True
        if number:
            returning[inside[: _leading(partial)]] = True
    seen, hidden, back = (frames_in(seconds, phases, name) for name in ("visible", "hidden", "returned"))
    whole = ~leaving & ~returning
    return SightFrames(*map(np.flatnonzero, (seen & whole, leaving, hidden, returning, back & whole)))


def _leading(flags: Flags) -> int:
    """[1, 1, 0, 1] -> 2"""
    return int(np.argmin(flags)) if not flags.all() else len(flags)


def keyframes(phases: Sequence[Interval], true_seconds: NDArray[np.float64]) -> Keyframes | None:
    """Of the first look-away; None where the subject does not leave and come back."""
    hidden = next((phase for phase in phases if phase.phase == "hidden"), None)
    returned = next((phase for phase in phases if phase.phase == "returned"), None)
    if hidden is None or returned is None:
        return None
    gone, back = np.searchsorted(true_seconds, np.array([hidden.start_s, returned.start_s]) - 1e-9)
    return Keyframes(int(gone), int(back), len(true_seconds))


def true_indices(frames: int, true_frames: int) -> Indices:
    """The true frame beside each frame of a clip, by linear index: first beside first, last beside last.

    >>> true_indices(3, 5).tolist()
    [0, 2, 4]
    """
    return np.rint(np.arange(frames) * (true_frames - 1) / max(1, frames - 1)).astype(np.int64)


def mapped_phases(frames: int, keys: Keyframes, rule: MappingRule = "paper") -> PhaseFrames:
    """Phases by the frames of the true clip: what happens in the clip itself is not asked.

    >>> [part.tolist() for part in mapped_phases(6, Keyframes(gone=4, back=8, frames=12))]
    [[0, 1], [2, 3], [4, 5]]
    >>> [part.tolist() for part in mapped_phases(6, Keyframes(gone=4, back=8, frames=12), "released")]
    [[0, 1, 2], [2, 3, 4], [4, 5]]
    """
    if rule == "released":
        return _released(frames, keys)
    beside = true_indices(frames, keys.frames)
    gone, back = np.searchsorted(beside, [keys.gone, keys.back])
    return PhaseFrames(np.arange(gone), np.arange(gone, back), np.arange(back, frames))


def phase_pairs(frames: Indices, stride: int = 1) -> list[tuple[int, int]]:
    """Each frame of a phase, or every so many, with the next.

    >>> phase_pairs(np.arange(10, 20), 4)
    [(10, 14), (14, 18)]
    """
    return list(pairwise(frames[::stride].tolist()))


def anchored(edges: Indices, true_edges: Indices) -> Indices:
    """The true frame beside each frame of a clip, by linear index within each phase; edges are where phases begin.

    >>> anchored(np.array([0, 2, 4, 8]), np.array([0, 3, 9, 11])).tolist()
    [0, 2, 3, 8, 9, 9, 10, 10]
    """
    spans = zip(pairwise(edges.tolist()), pairwise(true_edges.tolist()), strict=True)
    return np.concatenate([first + true_indices(end - start, last - first) for (start, end), (first, last) in spans])


def _released(frames: int, keys: Keyframes) -> PhaseFrames:
    """Both ends belong to a phase; neither phase is shorter than the release lets it be."""
    scale = frames / keys.frames
    gone = _clamped(int(keys.gone * scale), 2, frames - 4)
    back = _clamped(int(keys.back * scale), gone + 2, frames - 1)
    return PhaseFrames(np.arange(gone + 1), np.arange(gone, back + 1), np.arange(back, frames))


def _clamped(value: int, least: int, most: int) -> int:
    return max(0, min(max(value, least), most))
