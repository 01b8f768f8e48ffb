"""How much of the asked rotation does the camera get right (MemoBench)?"""

from __future__ import annotations

from lookaway.geometry.camera_scores import controllability_paper, controllability_sound
from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import camera_score


@metric(
    unit="score",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="camera_controllability",
    variant="paper",
    needs=["classical"],
    version=2,
)
def paper(case: Case) -> Outcome:
    """1 - rotation RMSE / net rotation; 1 is exact, and a static camera scores 0.42 on a half turn."""
    return camera_score(case, controllability_paper)


@metric(
    unit="score",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="camera_controllability",
    needs=["classical"],
    version=2,
)
def sound(case: Case) -> Outcome:
    """1 - rotation RMSE / that of a static camera; 1 is exact, 0 no better than a static camera."""
    return camera_score(case, controllability_sound)
