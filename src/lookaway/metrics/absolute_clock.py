"""Is the process as far as in the true world, whatever the clip's own rate?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import KNOWN_GATES, WORLD, Case, Outcome, metric
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.readings.clock import clock, look_away


@metric(
    unit="true time",
    better="one",
    margin=0.1,
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    rounds=True,
    version=2,
)
def absolute_clock(case: Case) -> Outcome:
    """Process time on return over true time on return: 1 is on time, 0 as at the start.

    Where several moments look alike the one nearest to the truth counts.
    """
    read = clock(case)
    if isinstance(read, Abstain | NotApplicable):
        return read
    back_s = look_away(case).end_s
    choices = (np.append(read.restarts, read.restart) + read.rate * back_s) / back_s
    return float(choices[np.abs(choices - 1).argmin()])
