"""Was the look-away delivered?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.readings.view import ever_away


@metric(
    unit="rate",
    better="higher",
    range=(0, 1),
    needs=["view"],
    gates=["opportunity", "by_camera"],
    phase_source="measured",
    version=3,
)
def turned_away(case: Case) -> Outcome:
    """1 when the camera took the subject's first place out of view for half a second, 0 when it never did."""
    away = ever_away(case)
    return away if isinstance(away, Abstain) else float(away)
