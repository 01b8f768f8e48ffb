"""By how much is the world's clock wrong after the look-away, at the least?"""

from __future__ import annotations

from lookaway.metrics import KNOWN_GATES, WORLD, Case, Outcome, metric
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.readings.clock import clock, look_away


@metric(
    unit="hidden durations",
    better="lower",
    margin=0.03,
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    rounds=True,
    version=3,
)
def clock_error(case: Case) -> Outcome:
    """Distance of the interval clock from having kept time; 1 is a whole hidden duration off.

    0 when what is seen fits a world that went on. A process that ended or repeats itself may fit at several moments;
    the nearest counts. Abstains where it stands still throughout.
    """
    read = clock(case)
    if isinstance(read, Abstain | NotApplicable):
        return read
    if read.stands:
        return Abstain("the process stands still wherever it is seen, so no time can be told; see absolute_clock")
    hidden = look_away(case)
    rate = read.rate if read.ticks else 1.0
    return float(read.slip / ((hidden.end_s - hidden.start_s) * rate))
