"""A clip's own clock around a look-away."""

from __future__ import annotations

import numpy as np

from lookaway.geometry.rounds import look_aways
from lookaway.observers.replay import Replay
from lookaway.observers.replaying.clock import Clock, read_clock
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.readings import Case
from lookaway.readings.finds import NOTHING_FOUND, is_missing
from lookaway.readings.sight import posed_phases
from lookaway.records import Interval

MIN_READ = 3


def look_away(case: Case) -> Interval:
    """The look-away that the case's round is about, where `clock` could be read."""
    return look_aways(posed_phases(case))[case.round - 1]


def clock(case: Case) -> Clock | Abstain | NotApplicable:
    """The clip's own clock around the look-away of the case's round.

    Its first line is what was seen last before that look-away: from the second round on, the stretch after the one
    before. The stretch before the first look-away then helps to tell the rate.
    """
    if case.task.event == "none":
        return NotApplicable("nothing happens in this task, so no clock can be read")
    seen, before = case.saw(Replay), case.round - 1
    rounds = seen.read_round
    if min((rounds == case.round).sum(), (rounds == before).sum()) < MIN_READ:
        return Abstain("too few frames show the subject's place whole before and after the look-away")
    if is_missing(case, case.round):
        return Abstain(NOTHING_FOUND)
    if before and is_missing(case, before):
        return Abstain("nothing that looks like the subject was found before the look-away")
    used = np.isin(rounds, (0, before, case.round))
    return read_clock(seen.moments, seen.seconds[seen.read[used]], seen.curves[used], rounds[used])
