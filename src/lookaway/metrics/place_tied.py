"""Is a place that the clip shows twice recognised?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.same_place import SamePlace
from lookaway.outcomes import Abstain


@metric(
    unit="share",
    better="higher",
    margin=0.1,
    range=(0, 1),
    needs=["same_place"],
    gates=["shown_twice"],
    phase_source="measured",
    version=1,
)
def place_tied(case: Case) -> Outcome:
    """Share of features that tie two views of one direction, in the median over pairs; 0 is made up anew.

    From 0.05 on it is the same place; a compressed true clip has 0.4.
    """
    tied = case.saw(SamePlace).tied
    return float(np.median(tied)) if len(tied) else Abstain("no view is shown twice")
