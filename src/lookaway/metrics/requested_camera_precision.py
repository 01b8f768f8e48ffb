"""How exactly does the camera follow the asked path (WRBench's CamPrec)?"""

from __future__ import annotations

from lookaway.geometry.camera_scores import precision_released, precision_sound
from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import camera_score


@metric(
    unit="score",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="requested_camera_precision",
    variant="released",
    needs=["classical"],
    version=2,
)
def released(case: Case) -> Outcome:
    """exp(-mean rotation error / 45 degrees); 1 is exact; a camera that hardly turns scores 0.5 for 60 degrees."""
    return camera_score(case, precision_released)


@metric(
    unit="score",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="requested_camera_precision",
    needs=["classical"],
    version=2,
)
def sound(case: Case) -> Outcome:
    """The same, scaled so that 0 is a static camera or a turn the other way, and 1 an exact one."""
    return camera_score(case, precision_sound)
