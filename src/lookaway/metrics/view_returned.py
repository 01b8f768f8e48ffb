"""Having turned away, did the camera come back?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.readings.view import ever_back


@metric(
    unit="rate",
    better="higher",
    range=(0, 1),
    needs=["view"],
    gates=["opportunity", "by_camera", "home_bound", "turned_away"],
    phase_source="measured",
    version=3,
)
def view_returned(case: Case) -> Outcome:
    """1 when the first view is back in view after the look-away, 0 when it never comes back."""
    back = ever_back(case)
    return back if isinstance(back, Abstain) else float(back)
