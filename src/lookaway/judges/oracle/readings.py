"""What facts mean: is the subject where it should be, as far along, as it was, and what is it in?"""

from __future__ import annotations

import numpy as np

from lookaway.judges.oracle import margins
from lookaway.judges.oracle.evidence import Bools, Evidence, Floats, Ints
from lookaway.judges.oracle.known_answers import KnownAnswer, inexact, no, unseen, yes

# ---------------------------------------------------------------- place


def doubled(e: Evidence, frames: Ints) -> bool:
    return bool((e.frames.copies[frames] >= 2).any())


def put_elsewhere(e: Evidence, frames: Ints) -> Bools:
    """Frames in which the subject is clearly not where the truth has it."""
    return np.asarray(e.frames.off_widths[frames] >= margins.PLACE_OTHER)


def in_place(e: Evidence, frames: Ints, most: bool) -> KnownAnswer:
    """Is it where the truth has it, once? With `most`, half of the frames must show that it is not."""
    if not len(frames):
        return unseen()
    if doubled(e, frames):
        return no("it is there twice")
    if (e.frames.off_widths[frames] <= margins.PLACE_SAME).all():
        return yes("it is where it should be")
    if paced_otherwise(e):
        return inexact("its process runs at another pace from the start")
    elsewhere = put_elsewhere(e, frames)
    if (elsewhere.mean() >= margins.HALF_WAY) if most else elsewhere.any():
        return no("it is somewhere else")
    return inexact("it is next to its place")


def paced_otherwise(e: Evidence) -> bool:
    """Whether the process runs evenly from the start, only faster or slower."""
    seconds, process_s = e.frames.seconds, e.frames.process_s
    rate = float(process_s[-1] / seconds[-1]) if len(seconds) > 1 else 1.0
    slow, fast = margins.PACE
    even = np.abs(process_s - rate * seconds).max() <= margins.CLOCK_SAME_S
    return bool(even and slow < rate < fast and abs(rate - 1) * seconds[-1] > margins.CLOCK_SAME_S)


# ---------------------------------------------------------------- state


def gaps(e: Evidence, states: Floats, others: Floats) -> Floats:
    """How far states lie apart at the worst, in ranges of the true clip; infinite where a state never changes."""
    ranges = np.ptp(e.clip.due_state, axis=0)
    apart = np.abs(states - others)
    scaled = np.divide(apart, ranges, out=np.full_like(apart, np.inf), where=ranges > 0)
    return np.asarray(np.where(apart < 1e-9, 0.0, scaled).max(axis=-1))


def state_gap(e: Evidence, frames: Ints) -> Floats:
    return gaps(e, e.clip.state[frames], e.clip.due_state[frames])


def from_end(e: Evidence, frames: Ints) -> Floats:
    return gaps(e, e.clip.state[frames], e.clip.due_state[-1])


def from_start(e: Evidence, frames: Ints) -> Floats:
    return gaps(e, e.clip.state[frames], e.clip.due_state[0])


def nothing_happens(e: Evidence) -> bool:
    return bool((np.ptp(e.clip.due_state, axis=0) == 0).all())


def late_s(e: Evidence, frames: Ints) -> Floats:
    """How far the process is ahead of the true one; behind is negative."""
    return np.asarray(e.frames.process_s[frames] - e.frames.seconds[frames])


def state_is_due(e: Evidence, frames: Ints) -> Bools:
    gap, late = state_gap(e, frames), late_s(e, frames)
    return np.asarray((np.abs(late) <= margins.CLOCK_SAME_S) | (gap <= margins.STATE_SAME))


def state_is_other(e: Evidence, frames: Ints) -> Bools:
    gap, late, apart_m = state_gap(e, frames), late_s(e, frames), e.frames.apart_m[frames]
    differs = np.isnan(apart_m) | (apart_m >= margins.APART_M)
    return np.asarray((np.abs(late) >= margins.CLOCK_OTHER_S) & (gap >= margins.STATE_OTHER) & differs)


def state_due(e: Evidence, frames: Ints) -> KnownAnswer:
    """Is it as far along as the truth?"""
    if not len(frames):
        return unseen()
    if state_is_due(e, frames).all():
        return yes("it is as far along as it should be")
    if paced_otherwise(e):
        return inexact("its process runs at another pace from the start")
    if state_is_other(e, frames).mean() >= margins.HALF_WAY:
        return no("it is not as far along as it should be, or farther")
    return inexact("it is nearly as far along as it should be")


def falls_back(e: Evidence, frames: Ints) -> Bools:
    """Steps between frames, in the order shown, at which the process clearly goes back."""
    steps = np.diff(e.frames.process_s[frames])
    changed = gaps(e, e.clip.state[frames[1:]], e.clip.state[frames[:-1]])
    return np.asarray((steps <= -margins.CLOCK_OTHER_S) & (changed >= margins.STATE_OTHER))


# ---------------------------------------------------------------- looks and surroundings


def look_is_other(e: Evidence, frames: Ints) -> bool:
    """Its colour, shape or size is clearly not its own."""
    beyond = e.frames.look_change[frames] - e.frames.around_change[frames]
    return bool(((beyond >= margins.LOOK_OTHER) | (e.frames.stretch[frames] >= margins.STRETCH_OTHER)).any())


def look_is_own(e: Evidence, frames: Ints) -> bool:
    beyond = e.frames.look_change[frames] - e.frames.around_change[frames]
    return bool(((beyond <= margins.LOOK_SAME) & (e.frames.stretch[frames] <= margins.STRETCH_SAME)).all())


def room_steady(e: Evidence, frames: Ints) -> KnownAnswer:
    """Do fixed things keep their places among each other?"""
    if len(frames) < 2:
        return unseen("one frame shows no change")
    other, shift = e.frames.other_room[frames] > 0, e.frames.around_shift[frames]
    if other.any() and not other.all():
        return no("the surroundings are others")
    if (shift <= margins.SHIFT_SAME).all() and not other.any():
        return yes("the surroundings keep their places")
    if other.all():
        return unseen("what the surroundings were before is not shown")
    if shift.max() >= margins.SHIFT_OTHER and shift.min() <= margins.SHIFT_SAME:
        return no("the surroundings are bent out of shape")
    return inexact("the surroundings are displaced a little")


def camera_leaps(e: Evidence) -> bool:
    """From one frame of the clip to the next the view jumps, and not because that was asked for."""
    jumps = np.abs(np.diff(e.frames.turn_deg)) >= margins.CUT_DEG
    return bool((jumps & (np.abs(np.diff(e.frames.strays_deg)) >= margins.CUT_DEG)).any())


def faultless(e: Evidence) -> bool:
    """The clip shows the truth, all of it, whatever was done to the picture as a whole."""
    clip, every = e.frames, np.arange(len(e.clip))
    shown = np.flatnonzero(e.in_sight)
    return bool(
        np.allclose(clip.visible, clip.due_visible, atol=margins.OUT_OF_SIGHT)
        and (np.abs(late_s(e, every)) <= margins.CLOCK_SAME_S).all()
        and (clip.off_widths[shown] <= margins.PLACE_SAME).all()
        and (clip.strays_deg <= margins.STRAYS_DEG).all()
        and look_is_own(e, shown)
        and not clip.other_room.any()
        and (clip.around_shift <= margins.SHIFT_SAME).all()
    )
