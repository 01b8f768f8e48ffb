"""When the view is back, is there one subject, not none and not two?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import KNOWN_GATES, Case, Outcome, metric
from lookaway.observers.replaying.search import FOUND
from lookaway.outcomes import Abstain
from lookaway.replayed import found


@metric(
    unit="subjects",
    better="lower",
    margin=0.15,
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth="world",
    phase_source="measured",
    version=1,
)
def return_count(case: Case) -> Outcome:
    """Subjects too many or too few, by area, mean over frames after the look-away: 0 is one, 1 none or two alike."""
    explained, extra = found(case, "explained"), found(case, "extra")
    if isinstance(explained, Abstain) or isinstance(extra, Abstain):
        return Abstain("no frame after the look-away shows the subject's place whole")
    return float(np.mean(np.abs((explained >= FOUND) + extra - 1)))
