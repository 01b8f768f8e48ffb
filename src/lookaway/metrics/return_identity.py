"""When the view is back, is it the same thing?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import KNOWN_GATES, Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.replayed import found


@metric(
    unit="explained",
    better="higher",
    margin=0.05,
    range=(-1, 1),
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth="world",
    phase_source="measured",
    version=1,
)
def return_identity(case: Case) -> Outcome:
    """How well the subject's true looks, at any moment, explain what is found anywhere in the view.

    1 is wholly, 0 no better than nothing being there, below 0 worse.
    """
    explained = found(case, "explained")
    return explained if isinstance(explained, Abstain) else float(np.clip(np.median(explained), -1, 1))
