"""WRBench, state: while in sight and after the return."""

from __future__ import annotations

import numpy as np

from lookaway.judges.oracle import margins
from lookaway.judges.oracle.evidence import Evidence
from lookaway.judges.oracle.known_answers import KnownAnswer, answers, inexact, no, unseen, yes
from lookaway.judges.oracle.readings import (
    falls_back,
    from_end,
    from_start,
    gaps,
    late_s,
    nothing_happens,
    state_due,
    state_gap,
    state_is_due,
)


@answers("wrbench/visible_state_follows")
def visible_state_follows(e: Evidence) -> KnownAnswer:
    """Does it reach the end? Where nothing is to happen, does it stay as it was?"""
    frames = e.clear
    if not len(frames):
        return unseen()
    last, is_end = frames[-1:], e.last is not None and e.last == frames[-1]
    if (state_gap(e, frames) == 0).all() and nothing_happens(e):
        return yes("it stays as it was")
    if float(from_end(e, last)[0]) <= margins.ENDED:
        return yes("it comes to its end")
    if not is_end:
        return unseen("how it ends is not shown")
    if float(from_end(e, frames).min()) >= margins.HALF_WAY and float(from_start(e, last)[0]) <= margins.ENDED:
        return no("it is as at the start")
    return inexact("it comes part of the way")


@answers("wrbench/visible_state_advances")
def visible_state_advances(e: Evidence) -> KnownAnswer:
    """Does it get further wherever it should, and never back?"""
    frames = e.clear
    if len(frames) < 2:
        return unseen("one frame shows no progress")
    if falls_back(e, frames).any():
        return no("it falls back")
    if falls_back(e, np.flatnonzero(e.in_sight)).any():
        return unseen("it falls back between the frames only")
    first, last = frames[:1], frames[-1:]
    due = float(gaps(e, e.clip.due_state[last], e.clip.due_state[first])[0])
    done = float(gaps(e, e.clip.state[last], e.clip.state[first])[0])
    if due >= margins.STATE_OTHER and done <= margins.STATE_SAME:
        return no("nothing happens")
    if (np.diff(e.frames.process_s[e.in_sight]) < -margins.CLOCK_SAME_S).any():
        return inexact("it goes back a little, be it between the frames")
    if done >= margins.STATE_OTHER or max(done, due) <= margins.STATE_SAME:
        return yes("it gets further, or rests where it should")
    return inexact("it hardly gets further")


@answers("wrbench/visible_state_broken")
def visible_state_broken(e: Evidence) -> KnownAnswer:
    """Does it fall back or start over?"""
    frames = e.clear
    if len(frames) < 2:
        return unseen("one frame shows no course")
    if falls_back(e, frames).any():
        return yes("it falls back")
    if falls_back(e, np.flatnonzero(e.in_sight)).any():
        return unseen("it falls back between the frames only")
    if state_is_due(e, frames).all():
        return no("it goes on as it should")
    return inexact("it goes on, but not at its time")


@answers("wrbench/returned_state_right")
def returned_state_right(e: Evidence) -> KnownAnswer:
    return state_due(e, e.during("returned"))


@answers("wrbench/returned_state_wrong")
def returned_state_wrong(e: Evidence) -> KnownAnswer:
    """An earlier state, or one that contradicts the event; that it is ahead of its time is neither."""
    frames = e.during("returned")
    found = state_due(e, frames)
    if found.says is False and float(np.median(late_s(e, frames))) > 0:
        return inexact("it is ahead of its time")
    return found.negated()
