"""How much of its largest turn has the camera left at the end? Needs neither a request nor the lens."""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import end_over_peak


@metric(unit="of the peak turn", better="lower", margin=0.1, needs=["classical"], version=1)
def camera_end_over_peak(case: Case) -> Outcome:
    """Angle between the last view and the first over the largest such angle; 0 came home, 1 ends at its farthest."""
    return end_over_peak(case)
