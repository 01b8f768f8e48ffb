"""StEvo, evolution: does anything happen that cannot happen, and is it one unbroken film?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lookaway.judges.oracle import margins
from lookaway.judges.oracle.evidence import Evidence, Ints
from lookaway.judges.oracle.known_answers import KnownAnswer, answers, inexact, no, unseen, yes
from lookaway.judges.oracle.readings import (
    camera_leaps,
    doubled,
    falls_back,
    gaps,
    look_is_other,
    look_is_own,
    room_steady,
    state_is_due,
)
from lookaway.judges.oracle.wrbench_place import displaced, slides


@answers("stevo/plausible")
def plausible(e: Evidence) -> KnownAnswer:
    """True: something cannot be. That nothing happens, or that the hiding fails, is no breach."""
    found, whole = _breach(e, e.clear), _breach(e, np.flatnonzero(e.in_sight))
    if found.says is None and found.seen:
        return found
    if not found.says and whole.says:
        return unseen("what cannot be is between the frames only")
    return found


def _breach(e: Evidence, frames: Ints) -> KnownAnswer:
    if not len(frames):
        return unseen()
    if look_is_other(e, frames):
        return yes("it turns into something else", kind="in one moment")
    if e.clip.rests and _off_its_ground(e, frames):
        return yes("it hangs in the air or has sunk into what carries it", kind="in one moment")
    if float(e.frames.around_shift[frames].max()) >= margins.SHIFT_OTHER:
        return yes("things bend that cannot bend", kind="in one moment")
    calm = look_is_own(e, frames) and not doubled(e, frames) and not displaced(e, frames) and _nothing_gone(e)
    ahead = e.frames.process_s[frames] - e.frames.seconds[frames] > margins.CLOCK_SAME_S
    back = np.diff(e.frames.process_s[np.sort(frames)]) < -margins.CLOCK_SAME_S
    if calm and room_steady(e, frames).says is not False and not ahead.any() and not back.any():
        return no("nothing happens that cannot happen") if not camera_leaps(e) else inexact("the view leaps")
    return inexact("whether this startles anyone is a matter of taste")


def _off_its_ground(e: Evidence, frames: Ints) -> bool:
    up = np.abs(e.frames.lifted_m[frames])
    clear = (e.frames.off_widths[frames] >= margins.PLACE_OTHER) & (up > margins.MOVED_M)
    return bool((clear & (up > e.frames.aside_m[frames])).any())


def _nothing_gone(e: Evidence) -> bool:
    return not _gone(e, e.sent).any()


def _gone(e: Evidence, frames: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Frames in which the subject is not to be seen though its place is in full view."""
    lit = e.frames.light[frames] >= margins.LIT
    return np.asarray((e.frames.due_visible[frames] >= margins.IN_SIGHT) & e.out_of_sight[frames] & lit)


# ---------------------------------------------------------------- coherence


@answers("stevo/coherent")
def coherent(e: Evidence) -> KnownAnswer:
    """True: a fault on the list is plain. The verdict is known where one is, or where all are known not to be."""
    if not len(e.clear):
        return unseen(main_subject=_subject(e))
    flags: dict[str, bool | None] = {
        "subject_disappears": bool(_gone(e, e.sent).any()),
        "reappears_wrongly": _reappears_wrongly(e),
        "background_cut": _background_cut(e),
        "state_jump": _state_jump(e),
        "blackout_reset": _blackout_reset(e),
        "teleport": _teleport(e),
    }
    if e.variant == "sound":
        flags["new_object"] = doubled(e, e.clear) or (None if e.frames.other_room[e.clear].any() else False)
    elif doubled(e, e.clear):
        flags["teleport"] = None
    fields: dict[str, object] = {name: flag is True for name, flag in flags.items()}
    fields["main_subject"] = _subject(e)
    if any(flags.values()):
        return KnownAnswer(True, "a fault on the list", fields=fields, otherwise={"main_subject": _subject(e)})
    if None in flags.values():
        return inexact("whether this is one of the faults on the list cannot be said", **fields)
    if not look_is_own(e, e.clear):
        return inexact("it looks otherwise, which is not on the list", **fields)
    return KnownAnswer(False, "one unbroken film", fields=fields, otherwise={"main_subject": _subject(e)})


def _subject(e: Evidence) -> str:
    return e.task.subjects[0].name


def _reappears_wrongly(e: Evidence) -> bool | None:
    back, before = e.during("returned"), e.during("visible")
    if not len(back):
        return False
    if displaced(e, back):
        clear = e.frames.off_widths[back] >= margins.PLACE_OTHER
        return True if clear.mean() >= margins.HALF_WAY else None
    if len(before) and falls_back(e, np.array([before[-1], back[0]])).any():
        return True
    return False if state_is_due(e, back).all() else None


def _background_cut(e: Evidence) -> bool | None:
    other = e.frames.other_room[e.sent]
    if any(a != b for a, b in pairwise(other)):
        return True
    bent = float(e.frames.around_shift[e.sent].max()) > margins.SHIFT_SAME
    return None if bent or camera_leaps(e) else False


def _state_jump(e: Evidence) -> bool | None:
    """In full sight its process leaps by more than the time between two frames of the clip."""
    steps = np.diff(e.frames.process_s) - np.diff(e.frames.seconds)
    both = e.in_sight[1:] & e.in_sight[:-1]
    changed = gaps(e, e.clip.state[1:], e.clip.state[:-1])
    if (both & (np.abs(steps) >= margins.CLOCK_OTHER_S) & (changed >= margins.STATE_OTHER)).any():
        return True
    return None if (both & (np.abs(steps) >= margins.CLOCK_OTHER_S)).any() else False


def _blackout_reset(e: Evidence) -> bool | None:
    if not (e.frames.light <= margins.DARK).any():
        return False
    wrong = _reappears_wrongly(e)
    return True if wrong or bool(e.frames.other_room[e.clear].any()) else wrong


def _teleport(e: Evidence) -> bool | None:
    if slides(e, e.clear):
        return None
    return None if displaced(e, e.clear) or doubled(e, e.clear) else False
