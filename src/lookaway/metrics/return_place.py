"""When the view is back, is the subject where it should be by then?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import KNOWN_GATES, WORLD, Case, Outcome, metric
from lookaway.observers.replaying.search import FOUND
from lookaway.outcomes import Abstain
from lookaway.readings.finds import NOTHING_FOUND, finds

MOST = 1.2  # frame widths: about the diagonal


@metric(
    unit="frame widths",
    better="lower",
    margin=0.03,
    range=(0, MOST),
    needs=["replay"],
    gates=KNOWN_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    rounds=True,
    version=2,
)
def return_place(case: Case) -> Outcome:
    """Distance in the picture from where the subject is due, by the clip's own clock, to where it is found; 0 right."""
    after = finds(case)
    if isinstance(after, Abstain):
        return after
    if np.median(after.explained) < FOUND:
        return Abstain(NOTHING_FOUND)
    across = after.place_x - after.due_x
    down = (after.place_y - after.due_y) * case.task.height / case.task.width
    return float(min(MOST, np.median(np.hypot(across, down))))
