"""When the view is back, is there one subject, not none and not two?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import KNOWN_GATES, WORLD, Case, Outcome, metric
from lookaway.observers.replaying.search import FOUND
from lookaway.outcomes import Abstain
from lookaway.readings.finds import finds


@metric(
    unit="subjects",
    better="lower",
    margin=0.15,
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    rounds=True,
    version=2,
)
def return_count(case: Case) -> Outcome:
    """Subjects too many or too few, by area, mean over frames after the look-away: 0 is one, 1 none or two alike."""
    after = finds(case)
    if isinstance(after, Abstain):
        return after
    return float(np.mean(np.abs((after.explained >= FOUND) + after.extra - 1)))
