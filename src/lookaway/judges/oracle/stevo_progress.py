"""StEvo, progress: did the change get further while out of sight, or in the same seconds of an observed twin?"""

from __future__ import annotations

import numpy as np

from lookaway.judges.oracle import margins
from lookaway.judges.oracle.evidence import Evidence
from lookaway.judges.oracle.known_answers import KnownAnswer, answers, inexact, no, unseen, yes
from lookaway.judges.oracle.readings import gaps, paced_otherwise, state_is_due, state_is_other

Edges = tuple[int, int]  # the last look before and the first look after


@answers("stevo/progress")
def progress(e: Evidence) -> KnownAnswer:
    if not len(e.sent):
        return unseen()
    away = [(i.start_s, i.end_s) for i in e.phases if i.phase == "hidden"]
    if not away:
        return inexact("it is never out of sight")
    edges = looks_around(e, *away[0])
    if isinstance(edges, KnownAnswer):
        return edges
    return as_far_as_due(e, edges) if e.variant == "sound" else any_further(e, edges)


@answers("stevo/progress_observed")
def progress_observed(e: Evidence) -> KnownAnswer:
    asked = [(i.start_s, i.end_s) for i in e.task.yoked if i.phase == "hidden"]
    if not asked:
        return inexact("no seconds are asked about")
    edges = looks_around(e, *asked[0])
    return edges if isinstance(edges, KnownAnswer) else any_further(e, edges)


def looks_around(e: Evidence, start_s: float, end_s: float) -> Edges | KnownAnswer:
    """The frames shown right before and right after; too far off, they tell of other seconds as well."""
    seconds = e.frames.seconds[e.clear]
    before, after = e.clear[seconds < start_s], e.clear[seconds >= end_s]
    if not len(before) or not len(after):
        return unseen("there is no look before, or none after")
    first, last = int(before[-1]), int(after[0])
    near = max(start_s - e.frames.seconds[first], e.frames.seconds[last] - end_s)
    return (first, last) if near <= margins.AT_THE_END_S else unseen("the looks before and after are too far off")


def change(e: Evidence, edges: Edges) -> tuple[float, float]:
    """By how much the process went on, in its seconds, and by how much the state changed, in ranges."""
    first, last = edges
    return (
        float(e.frames.process_s[last] - e.frames.process_s[first]),
        float(gaps(e, e.clip.state[last], e.clip.state[first])),
    )


def any_further(e: Evidence, edges: Edges) -> KnownAnswer:
    moved_s, changed = change(e, edges)
    lasted = float(np.diff(e.frames.seconds[list(edges)])[0])
    if moved_s <= -margins.CLOCK_OTHER_S and changed >= margins.STATE_OTHER:
        return no("it was undone")
    if abs(moved_s) <= margins.CLOCK_SAME_S or changed <= margins.STATE_SAME / 5:
        return no("it is as it was")
    if moved_s >= margins.HALF_WAY * lasted and changed >= margins.STATE_SAME:
        return yes("it got further")
    return inexact("it may have got further in sight, next to the time out of sight")


def as_far_as_due(e: Evidence, edges: Edges) -> KnownAnswer:
    first, last = edges
    at = np.array([last])
    moved_s, changed = change(e, edges)
    lasted = float(e.frames.seconds[last] - e.frames.seconds[first])
    begun = float(e.frames.seconds[first])
    waits = e.task.trigger_s is not None and begun <= e.task.trigger_s  # before its start it has no pace to go by
    rate = float(e.frames.process_s[first]) / begun if begun > 0 and not waits else 1.0
    off = abs(moved_s - rate * lasted) / lasted
    if changed <= margins.STATE_SAME and state_is_due(e, at).all():
        return inexact("nothing was due to happen")
    if abs(moved_s) <= margins.CLOCK_SAME_S and changed <= margins.STATE_SAME:
        return no("it is as it was")  # also where it stood still before: a pace of nothing makes nothing due
    if off <= margins.ABOUT_DUE or state_is_due(e, at).all():
        return yes("it got about as far as was due")
    if off >= margins.FAR_FROM_DUE and state_is_other(e, at).all() and not paced_otherwise(e):
        return no("it is far from where it should be")
    return inexact("it is not far from where it should be")
