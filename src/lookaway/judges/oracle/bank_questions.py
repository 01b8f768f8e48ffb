"""The questions that the oracle writes of a task, and what is right of each in any clip of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from lookaway.judges.oracle import margins
from lookaway.judges.oracle.evidence import Evidence
from lookaway.judges.oracle.known_answers import KnownAnswer, inexact, no, unseen, yes
from lookaway.judges.oracle.readings import (
    camera_leaps,
    doubled,
    falls_back,
    faultless,
    from_start,
    look_is_other,
    look_is_own,
    room_steady,
)
from lookaway.judges.oracle.wrbench_place import displaced, lifted, slides
from lookaway.records import BankDimension

FindAnswer = Callable[[Evidence], KnownAnswer]


@dataclass(frozen=True)
class KnownQuestion:
    """A question, whether yes speaks for the video, and who finds what is right."""

    text: str
    good: bool
    find: FindAnswer

    def answer(self, e: Evidence) -> KnownAnswer:
        """Of a clip that shows the truth the good answer, where nothing that is known of it says another."""
        found = self.find(e)
        if found.says is None and found.seen and faultless(e):
            return KnownAnswer(self.good, "the video shows the truth")
        return found


def known_questions(e: Evidence) -> Mapping[BankDimension, list[KnownQuestion]]:
    """Six in each dimension, three of which a good video answers by yes."""
    name = e.task.subjects[0].name
    return {
        "instruction": _instruction(e, name),
        "things": _things(name),
        "memory": _memory(name),
        "physics": _physics(name),
    }


def known_question(e: Evidence, text: str) -> KnownQuestion | None:
    """The question of these words, if the oracle writes it of this task."""
    if e.task.subject is None:
        return None
    return next((one for each in known_questions(e).values() for one in each if one.text == text), None)


def changing_states(e: Evidence) -> list[tuple[str, float, float]]:
    """Name of every state that changes, and its first and last value."""
    first, last = e.clip.due_state[0], e.clip.due_state[-1]
    moved = np.ptp(e.clip.due_state, axis=0) > 0
    listed = zip(e.state_names, first, last, moved, strict=True)
    return [(name.replace("_", " "), float(a), float(b)) for name, a, b, changes in listed if changes]


def _instruction(e: Evidence, name: str) -> list[KnownQuestion]:
    states = changing_states(e)
    state = states[0][0] if states else "state"
    return [
        KnownQuestion("Does the camera end where it began?", True, _camera_returns),
        KnownQuestion(f"Does the {state} of {name} change?", bool(states), _state_changes),
        KnownQuestion(f"Is {name} in sight at the beginning?", True, _there_at_first),
        KnownQuestion(f"Does the {state} of {name} stay as it was all the time?", not states, _turned(_state_changes)),
        KnownQuestion("Does the picture jump?", False, _picture_jumps),
        KnownQuestion(f"Does {name} go along with the camera?", False, _dragged),
    ]


def _things(name: str) -> list[KnownQuestion]:
    return [
        KnownQuestion(f"Does {name} keep its colour?", True, _keeps_colour),
        KnownQuestion("Are the surroundings the same at the start and at the end?", True, _same_surroundings),
        KnownQuestion("Do fixed things keep their places among each other?", True, lambda e: room_steady(e, e.sent)),
        KnownQuestion(f"Does {name} turn into another thing?", False, _otherwise_unless_own),
        KnownQuestion("Is the scene another one at the end?", False, _other_scene),
        KnownQuestion("Do walls, ground or furniture bend?", False, _bends),
    ]


def _memory(name: str) -> list[KnownQuestion]:
    bare = name.removeprefix("a ").removeprefix("an ")
    back = f"Does {name} look as if time had gone backwards while it was out of sight?"
    return [
        KnownQuestion(f"Can one see {name} at the end?", True, there),
        KnownQuestion(f"Is it the same {bare} at the end as at the start?", True, _same_at_end),
        KnownQuestion(f"Is there one of {name} only, whenever it is in sight?", True, _turned(_twice)),
        KnownQuestion(f"Is {name} gone for good?", False, _turned(there)),
        KnownQuestion(f"Are there two of {name} at any time?", False, _twice),
        KnownQuestion(back, False, _back_in_time),
    ]


def _physics(name: str) -> list[KnownQuestion]:
    return [
        KnownQuestion(f"Does {name} keep its size?", True, _keeps_size),
        KnownQuestion("Does everything heavy rest on something?", True, _rests),
        KnownQuestion(f"Does {name} cast its shadow where the light has it?", True, _nobody_knows),
        KnownQuestion(f"Does {name} sink into what carries it?", False, _sinks),
        KnownQuestion(f"Can one see through {name}?", False, _otherwise_unless_own),
        KnownQuestion(f"Does {name} jump from one place to another in full sight?", False, _jumps),
    ]


def _turned(find: FindAnswer) -> FindAnswer:
    return partial(_negated, find)


def _negated(find: FindAnswer, e: Evidence) -> KnownAnswer:
    found = find(e)
    return found.negated() if found.answerable else found


def there(e: Evidence) -> KnownAnswer:
    """Is the subject to be seen at the end?"""
    if e.last is None:
        return unseen("how the video ends is not shown")
    if e.out_of_sight[e.last]:
        return no("it is not to be seen at the end")
    if not e.in_sight[e.last]:
        return inexact("a little of it is to be seen at the end")
    if not look_is_own(e, np.array([e.last])):
        return inexact("something is to be seen that does not look like it")
    return yes("it is to be seen at the end")


def _camera_returns(e: Evidence) -> KnownAnswer:
    if e.last is None:
        return unseen("how the video ends is not shown")
    away_deg = abs(float(e.frames.turn_deg[e.last]))
    if away_deg <= margins.STRAYS_DEG:
        return yes("it looks where it looked at first")
    return no("it looks elsewhere") if away_deg >= margins.CUT_DEG else inexact("it looks nearly where it looked")


def _state_changes(e: Evidence) -> KnownAnswer:
    if not len(e.clear):
        return unseen()
    most = float(from_start(e, e.clear).max())
    if most >= margins.STATE_OTHER:
        return yes("it changes")
    return no("it stays as it was") if most <= margins.STATE_SAME else inexact("it hardly changes")


def _there_at_first(e: Evidence) -> KnownAnswer:
    if not len(e.sent) or e.frames.seconds[e.sent[0]] > margins.AT_THE_END_S:
        return unseen("how the video begins is not shown")
    first = e.sent[0]
    if e.in_sight[first]:
        return yes("it is to be seen at first")
    return no("it is not to be seen at first") if e.out_of_sight[first] else inexact("a little of it is to be seen")


def _picture_jumps(e: Evidence) -> KnownAnswer:
    if not len(e.sent):
        return unseen()
    if camera_leaps(e):
        return yes("the view leaps")
    return inexact("the room is another one") if e.frames.other_room.any() else no("the view never leaps")


def _dragged(e: Evidence) -> KnownAnswer:
    if not len(e.clear):
        return unseen()
    if slides(e, e.clear):
        return yes("it moves with the view")
    return inexact("it is elsewhere") if displaced(e, e.clear) else no("it stays in its world")


def _keeps_colour(e: Evidence) -> KnownAnswer:
    if not len(e.clear):
        return unseen()
    beyond = e.frames.look_change[e.clear] - e.frames.around_change[e.clear]
    if beyond.max() >= margins.LOOK_OTHER:
        return no("its pixels are of another colour")
    return yes("it looks as it did") if beyond.max() <= margins.LOOK_SAME else inexact("it looks a little otherwise")


def _same_surroundings(e: Evidence) -> KnownAnswer:
    if e.last is None:
        return unseen("how the video ends is not shown")
    return room_steady(e, np.array([e.sent[0], e.last]))


def _other_scene(e: Evidence) -> KnownAnswer:
    if e.last is None:
        return unseen("how the video ends is not shown")
    if e.frames.other_room[e.last] > 0:
        return yes("the room is another one")
    return no("it is the same room") if e.frames.around_shift[e.last] <= margins.SHIFT_SAME else inexact("it is bent")


def _bends(e: Evidence) -> KnownAnswer:
    if not len(e.sent):
        return unseen()
    shift = float(e.frames.around_shift[e.sent].max())
    if e.frames.other_room[e.sent].any():
        return inexact("the room is another one")
    if shift >= margins.SHIFT_OTHER:
        return yes("the surroundings are bent out of shape")
    return no("nothing bends") if shift <= margins.SHIFT_SAME else inexact("the surroundings are bent a little")


def _same_at_end(e: Evidence) -> KnownAnswer:
    if e.last is None:
        return unseen("how the video ends is not shown")
    if not e.in_sight[e.last]:
        return inexact("it is not to be seen at the end")
    at = np.array([e.last])
    if look_is_other(e, at):
        return no("it does not look like itself")
    return yes("it looks like itself") if look_is_own(e, at) else inexact("it looks a little otherwise")


def _twice(e: Evidence) -> KnownAnswer:
    if not len(e.clear):
        return unseen()
    return yes("it is there twice") if doubled(e, e.clear) else no("it is there once")


def _back_in_time(e: Evidence) -> KnownAnswer:
    frames = np.sort(e.clear)
    if not len(e.during("returned")):
        return unseen("it is never seen again")
    if falls_back(e, frames).any():
        return yes("its process has gone back")
    steps = np.diff(e.frames.process_s[frames])
    return no("its process goes on") if (steps >= -margins.CLOCK_SAME_S).all() else inexact("it is back a little")


def _keeps_size(e: Evidence) -> KnownAnswer:
    if not len(e.clear):
        return unseen()
    most = float(e.frames.stretch[e.clear].max())
    if most >= margins.STRETCH_OTHER:
        return no("it is larger or smaller than it was")
    return yes("it is as large as it was") if most <= margins.STRETCH_SAME else inexact("it differs a little")


def _rests(e: Evidence) -> KnownAnswer:
    if not len(e.clear):
        return unseen()
    if e.clip.rests and lifted(e, e.clear):
        return no("it hangs in the air")
    return inexact("it is elsewhere") if displaced(e, e.clear) else yes("it stands where it stood")


def _sinks(e: Evidence) -> KnownAnswer:
    if not len(e.clear):
        return unseen()
    down, off = -e.frames.lifted_m[e.clear], e.frames.off_widths[e.clear]
    if e.clip.rests and ((down > margins.MOVED_M) & (off >= margins.PLACE_OTHER)).any():
        return yes("it has gone into what carries it")
    return no("it stands on it") if (down <= margins.MOVED_M).all() else inexact("it has sunk a little")


def _jumps(e: Evidence) -> KnownAnswer:
    if not len(e.clear):
        return unseen()
    return inexact("it is elsewhere") if displaced(e, e.clear) else no("it never leaves its path")


def _otherwise_unless_own(e: Evidence) -> KnownAnswer:
    """Of a question on the subject's looks whose yes no number can tell from another change of looks."""
    if not len(e.clear):
        return unseen()
    return no("it looks as it did") if look_is_own(e, e.clear) else inexact("it looks otherwise")


def _nobody_knows(e: Evidence) -> KnownAnswer:
    return inexact("nothing is known of it") if len(e.clear) else unseen()
