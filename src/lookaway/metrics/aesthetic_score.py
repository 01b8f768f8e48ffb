"""How well are the frames made, to LAION's aesthetic predictor (MemoBench)?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.aesthetics import Aesthetics
from lookaway.stats.normalised import percent_of_range

PAPER_RANGE, RELEASED_RANGE = (1.0, 10.0), (0.0, 10.0)


@metric(unit="share", better="higher", range=(0, 1), variant="paper", needs=["aesthetics"], version=1)
def aesthetic_score(case: Case) -> Outcome:
    """The mean aesthetic score over every fourth frame, 0 at 1 point and 1 at 10."""
    return aesthetic(case, PAPER_RANGE)


@metric(
    name="aesthetic_score",
    unit="share",
    better="higher",
    range=(0, 1),
    variant="released",
    needs=["aesthetics"],
    version=1,
)
def released(case: Case) -> Outcome:
    """The mean aesthetic score over every fourth frame, 0 at 0 points and 1 at 10."""
    return aesthetic(case, RELEASED_RANGE)


def aesthetic(case: Case, points: tuple[float, float]) -> float:
    return percent_of_range(float(case.saw(Aesthetics).score.mean()), *points) / 100
