"""StEvo, controls: was it hidden, was it set going?"""

from __future__ import annotations

import numpy as np

from lookaway.judges.oracle import margins
from lookaway.judges.oracle.evidence import Evidence, Ints
from lookaway.judges.oracle.known_answers import KnownAnswer, answers, inexact, no, unseen, yes
from lookaway.judges.oracle.readings import from_start, gaps, nothing_happens
from lookaway.judges.prompting.context import NONE, hiding_kind


@answers("stevo/hidden")
def hidden(e: Evidence) -> KnownAnswer:
    """Completely out of sight with something left to happen; `paper_text` asks for a sustained time, too."""
    if hiding_kind(e.task) == "none":
        return yes("nothing was to hide it")
    if not len(e.sent):
        return unseen()
    gone = e.frames.visible[e.sent] == 0
    away = e.out_of_sight & (e.frames.visible == 0)
    if not gone.any():
        if away.any():
            return unseen("it is hidden between the frames only")
        dim = e.frames.light[e.sent].min() < margins.LIT or e.frames.visible[e.sent].min() < margins.IN_SIGHT
        return inexact("it is next to hidden") if dim else no("a part of it is always in sight")
    return _in_time(e, gone)


def _in_time(e: Evidence, gone: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> KnownAnswer:
    first = int(e.sent[int(np.argmax(gone))])
    left = float(gaps(e, e.clip.state[first], e.clip.due_state[-1]))
    if nothing_happens(e) or left <= margins.STATE_SAME:
        return inexact("hardly anything was left to happen when it was hidden")
    if e.variant == "paper_text" and longest_s(e, gone) < margins.SUSTAINED_S:
        return unseen("for how long it is hidden is not shown")
    return yes("it cannot be seen at all for a time")


def longest_s(e: Evidence, flags: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    """The longest time between two frames shown, with none between them for which the flag does not hold."""
    longest, start = 0.0, None
    for second, flag in zip(e.frames.seconds[e.sent], flags, strict=True):
        start = None if not flag else second if start is None else start
        longest = longest if start is None else max(longest, float(second - start))
    return longest


@answers("stevo/started")
def started(e: Evidence) -> KnownAnswer:
    """Whether the action happened is told by what it brought about, of both variants.

    What was to happen unseen is told by what is seen after the hiding alone.
    """
    if e.task.action_control == NONE:
        return yes("nothing was to be done")
    frames = e.during("returned") if e.task.trigger else e.clear
    if not len(frames):
        return unseen()
    effect, due = from_start(e, frames), _due(e, frames)
    if effect.max() >= margins.STATE_OTHER:
        return yes("what it brought about can be seen")
    if due.max() < margins.STATE_OTHER:
        return unseen("its effect would not be seen yet")
    return no("nothing came of it") if effect.max() <= margins.STATE_SAME else inexact("hardly anything came of it")


def _due(e: Evidence, frames: Ints) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return gaps(e, e.clip.due_state[frames], e.clip.due_state[0])
