"""When the view is back, is the subject where it should be by then?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import KNOWN_GATES, Case, Outcome, metric
from lookaway.observers.replaying.search import FOUND
from lookaway.outcomes import Abstain
from lookaway.replayed import NOTHING_FOUND, found

MOST = 1.2  # frame widths: about the diagonal


@metric(
    unit="frame widths",
    better="lower",
    margin=0.03,
    range=(0, MOST),
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth="world",
    phase_source="measured",
    version=1,
)
def return_place(case: Case) -> Outcome:
    """Distance in the picture from where the subject is due, by the clip's own clock, to where it is found; 0 right."""
    explained = found(case, "explained")
    if isinstance(explained, Abstain):
        return explained
    if np.median(explained) < FOUND:
        return Abstain(NOTHING_FOUND)
    seen, shape = case.seen["replay"], case.task
    across = seen["place_x"] - seen["due_x"]
    down = (seen["place_y"] - seen["due_y"]) * shape.height / shape.width
    return float(min(MOST, np.median(np.hypot(across, down))))
