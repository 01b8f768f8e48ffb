"""WRBench, place: while in sight and after the return."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lookaway.judges.oracle import margins
from lookaway.judges.oracle.evidence import Evidence, Ints
from lookaway.judges.oracle.known_answers import KnownAnswer, answers, inexact, no, unseen, yes
from lookaway.judges.oracle.readings import doubled, in_place, room_steady


@answers("wrbench/visible_place_follows")
def visible_place_follows(e: Evidence) -> KnownAnswer:
    return in_place(e, e.clear, most=False)


@answers("wrbench/visible_place_steady")
def visible_place_steady(e: Evidence) -> KnownAnswer:
    return room_steady(e, e.clear)


@answers("wrbench/visible_place_broken")
def visible_place_broken(e: Evidence) -> KnownAnswer:
    """Doubled, dragged or slid while in sight, lifted off what carries it; a wrong place alone is not on the list."""
    frames = e.clear
    if not len(frames):
        return unseen()
    if doubled(e, frames):
        return yes("it is there twice")
    if slides(e, frames):
        return yes("it moves with the view, or without a cause")
    if e.clip.rests and lifted(e, frames):
        return yes("it hangs in the air")
    if in_place(e, frames, most=False).says and not displaced(e, frames):
        return no("it is where it should be")
    return inexact("it is elsewhere, and whether that is one of the faults on the list cannot be said")


def displaced(e: Evidence, frames: Ints) -> bool:
    """Put aside of where its own process has it, or above or below."""
    moved = np.hypot(e.frames.aside_m[frames], e.frames.lifted_m[frames])
    return bool((moved > margins.MOVED_M).any())


def slides(e: Evidence, frames: Ints) -> bool:
    """Its displacement changes while the subject is in sight, by more than a place may be off."""
    in_order = np.sort(frames)
    parted = [not _in_sight_between(e, first, last) for first, last in pairwise(in_order)]
    return any(_changes(e, run) for run in np.split(in_order, np.flatnonzero(parted) + 1))


def _in_sight_between(e: Evidence, first: int, last: int) -> bool:
    return bool(e.in_sight[first : last + 1].all())


def _changes(e: Evidence, run: Ints) -> bool:
    aside, width = e.frames.aside_m[run], e.frames.off_widths[run]
    return bool(np.ptp(aside) > margins.MOVED_M and np.ptp(width) >= margins.PLACE_OTHER)


def lifted(e: Evidence, frames: Ints) -> bool:
    up = (e.frames.lifted_m[frames] > margins.MOVED_M) & (e.frames.off_widths[frames] >= margins.PLACE_OTHER)
    return bool((up & (e.frames.lifted_m[frames] > e.frames.aside_m[frames])).any())


@answers("wrbench/returned_place_right")
def returned_place_right(e: Evidence) -> KnownAnswer:
    return in_place(e, e.during("returned"), most=True)


@answers("wrbench/returned_place_wrong")
def returned_place_wrong(e: Evidence) -> KnownAnswer:
    return returned_place_right(e).negated()
