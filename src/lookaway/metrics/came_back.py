"""Having been out of sight, did the subject's place come back?"""

from __future__ import annotations

from lookaway.metrics import WORLD, Case, Outcome, metric
from lookaway.readings.sight import stayed_away


@metric(
    unit="rate",
    better="higher",
    margin=0.5,
    range=(0, 1),
    needs=["replay"],
    gates=["opportunity", "ever_hidden"],
    needs_truth=WORLD,
    phase_source="measured",
    version=1,
)
def came_back(case: Case) -> Outcome:
    """1 when the subject's place is seen again as fully as asked, 0 when it never is."""
    return float(not stayed_away(case))
