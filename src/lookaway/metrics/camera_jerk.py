"""Does the camera jerk where it was asked to move evenly?"""

from __future__ import annotations

from lookaway.geometry.camera_scores import jerk
from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import camera_score


@metric(unit="deg/s³", better="lower", margin=2500.0, gates=["camera_active"], needs=["classical"], version=2)
def camera_jerk(case: Case) -> Outcome:
    """Median of how much the turn jerks otherwise than asked, read ten times a second; 0 is as even as asked."""
    return camera_score(case, jerk)
