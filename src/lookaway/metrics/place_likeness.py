"""Is a place that the clip shows twice alike?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.same_place import SamePlace
from lookaway.outcomes import Abstain


@metric(
    unit="correlation",
    better="higher",
    margin=0.05,
    needs=["same_place"],
    gates=["shown_twice"],
    phase_source="measured",
    version=1,
)
def place_likeness(case: Case) -> Outcome:
    """Likeness of blocks between two views of one direction, in the median over pairs; 1 the same, 0.5 another room."""
    seen = case.saw(SamePlace)
    told = seen.likeness[~np.isnan(seen.likeness)]
    return float(np.median(told)) if len(told) else Abstain("the views that are shown twice are too plain to compare")
