"""Does the camera turn the asked way, and far enough (WRBench's CamAlign)?"""

from __future__ import annotations

from lookaway.geometry.camera_scores import alignment_released, alignment_sound
from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import camera_score


@metric(
    unit="score",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="prompt_camera_alignment",
    variant="released",
    needs=["classical"],
    version=3,
)
def released(case: Case) -> Outcome:
    """Peak turn the asked way, over 30 degrees; 1 is 30 degrees or more, 0 the other way or less than 2."""
    return camera_score(case, alignment_released, "peak")


@metric(
    unit="score",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="prompt_camera_alignment",
    needs=["classical"],
    version=3,
)
def sound(case: Case) -> Outcome:
    """Peak turn the asked way, over the asked turn; 1 is as far or further, 0 the other way or less than 2 degrees."""
    return camera_score(case, alignment_sound, "peak")
