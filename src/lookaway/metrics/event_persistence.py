"""What was brought about midway stays so: a law of worlds that are driven by actions."""

from __future__ import annotations

import numpy as np

from lookaway.metrics import KNOWN_GATES, WORLD, Case, Outcome, metric
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.readings.clock import clock, look_away

AS_SEEN_S = 0.25  # of the process: so much earlier looks as it did


@metric(
    unit="yes or no",
    better="higher",
    range=(0, 1),
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    rounds=True,
    version=1,
)
def event_persistence(case: Case) -> Outcome:
    """1 where, on return, what an event brought about is at least as far as it was seen before; 0 where it was undone.

    An event is whatever sets a process off in sight, at the start or midway. Standing still meanwhile is no undoing.
    """
    if case.task.action_control == "none":
        return NotApplicable("no event is asked for")
    away = look_away(case)
    if case.task.trigger_s is not None and case.task.trigger_s >= away.start_s:
        return NotApplicable("the event falls into the hidden time: nothing of it was seen before")
    read = clock(case)
    if isinstance(read, Abstain | NotApplicable):
        return read
    begun_s = case.task.trigger_s or 0.0
    before = read.start + read.rate * away.start_s
    if before - begun_s < AS_SEEN_S:
        return Abstain("hardly anything had come of the event when it was hidden")
    after = np.append(read.restarts, read.restart) + read.rate * away.end_s
    return float(after.max() >= before - AS_SEEN_S)
