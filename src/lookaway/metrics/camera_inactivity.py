"""Did the camera leave out the motion that was asked of it? To be read beside every consistency score."""

from __future__ import annotations

from lookaway.geometry.camera_scores import inactivity
from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import camera_verdict


@metric(unit="rate", better="lower", margin=0.5, range=(0, 1), needs=["classical"], version=2)
def camera_inactivity(case: Case) -> Outcome:
    """1 when the camera makes less than a tenth of the asked turn, or less than 2 degrees; 0 when it moves."""
    return camera_verdict(case, inactivity)
