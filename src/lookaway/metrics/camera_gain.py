"""Does the camera turn as far as asked?"""

from __future__ import annotations

from lookaway.geometry.camera_scores import gain
from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import camera_score


@metric(unit="of the asked turn", better="one", margin=0.1, needs=["classical"], version=3)
def camera_gain(case: Case) -> Outcome:
    """Peak turn over the asked one; 0 is a static camera, 1 as far as asked, above 1 farther, below 0 the other way."""
    return camera_score(case, gain, "peak")
