"""Where the subject is gone, does something else stand in its place?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.track import is_replaced


@metric(
    unit="rate",
    better="lower",
    margin=0.5,
    range=(0, 1),
    needs=["subject_track"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=2,
)
def subject_replaced(case: Case) -> Outcome:
    """1 when it was not found after a look-away but something new of about its size was, 0 when it is back or gone."""
    return float(is_replaced(case))
