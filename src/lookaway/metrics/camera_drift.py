"""Does the camera turn about axes that nobody asked for?"""

from __future__ import annotations

from lookaway.geometry.camera_scores import drift
from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import camera_score


@metric(unit="deg", better="lower", margin=2.0, gates=["camera_active"], needs=["classical"], version=2)
def camera_drift(case: Case) -> Outcome:
    """RMS angle turned about the axes that the request does not use; 0 stays on the asked path."""
    return camera_score(case, drift)
