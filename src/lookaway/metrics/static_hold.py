"""Does a camera rest that is asked to (WRBench)?"""

from __future__ import annotations

from lookaway.geometry.camera_scores import static_hold
from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.camera import camera_score


@metric(
    unit="score",
    better="higher",
    margin=0.1,
    range=(0, 1),
    name="static_hold",
    variant="released",
    needs=["classical"],
    version=2,
)
def rests(case: Case) -> Outcome:
    """1 is a camera at rest, 0 one that strays by 5 degrees or more."""
    return camera_score(case, static_hold)
