"""Does the camera end where it was asked to come back to?"""

from __future__ import annotations

from lookaway.geometry.camera_scores import return_error
from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import camera_score


@metric(unit="deg", better="lower", margin=3.0, range=(0, 180), gates=["camera_active"], needs=["classical"], version=2)
def camera_return_error(case: Case) -> Outcome:
    """Angle between the last view and the last one asked for; 0 came back exactly."""
    return camera_score(case, return_error, "end")
