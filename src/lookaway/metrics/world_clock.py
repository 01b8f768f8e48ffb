"""How much of the hidden time did the process live through?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import KNOWN_GATES, WORLD, Case, Outcome, metric
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.readings.clock import clock, look_away

SURE_CLOCK = 0.3  # hidden durations: a wider choice of answers is none


@metric(
    unit="hidden durations",
    better="one",
    margin=0.1,
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    rounds=True,
    version=2,
)
def world_clock(case: Case) -> Outcome:
    """Advance of the process while hidden over hidden time at the clip's own rate: 1 kept time, 0 stopped.

    Below 0 it was undone, above 1 it skipped ahead. Abstains, with the range, when several moments look alike.
    """
    read = clock(case)
    if isinstance(read, Abstain | NotApplicable):
        return read
    if not read.ticks:
        return Abstain(f"no steady progress to see: its rate lies between {read.rates[0]:g} and {read.rates[1]:g}")
    hidden = look_away(case)
    lasted = (hidden.end_s - hidden.start_s) * read.rate
    readings = 1 + (read.restarts - read.start) / lasted
    if np.ptp(readings) > SURE_CLOCK:
        gaps = np.diff(np.sort(readings)) > SURE_CLOCK / 2
        why = "several moments look alike" if gaps.any() else "the process had ended or hardly changes"
        return Abstain(f"{why}: the clock reads between {readings.min():.2f} and {readings.max():.2f}")
    return float(1 + (read.restart - read.start) / lasted)
