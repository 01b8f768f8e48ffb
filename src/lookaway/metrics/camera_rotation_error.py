"""How many degrees is the camera off the asked path (the rotation part of what MemoBench calls ATE)?"""

from __future__ import annotations

from lookaway.geometry.camera_scores import rotation_error
from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import camera_score


@metric(unit="deg", better="lower", margin=3.0, range=(0, 180), needs=["classical"], version=1)
def camera_rotation_error(case: Case) -> Outcome:
    """RMS angle between the asked view and the one that was got, from their first views on; 0 follows exactly."""
    return camera_score(case, rotation_error)
