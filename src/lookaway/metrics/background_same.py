"""When the view is back, is it the same room?"""

from __future__ import annotations

import numpy as np

from lookaway.geometry.visibility import frames_in
from lookaway.metrics import Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.replayed import LIT


@metric(
    unit="correlation",
    better="higher",
    margin=0.1,
    range=(-1, 1),
    needs=["replay"],
    gates=["opportunity", "left_view"],
    needs_truth="world",
    phase_source="measured",
    version=1,
)
def background_same(case: Case) -> Outcome:
    """Correlation of fine structure with the true view after the look-away: 1 is the same, 0 another room.

    Where the process changes nothing. If the subject's place is not back, whatever is seen when it was due is compared
    with the true view from the same camera; what shows nothing known counts 0.
    """
    seen = case.seen["replay"]
    if len(seen["background"]):
        return float(np.median(seen["background"]))
    due = frames_in(seen["seconds"], case.task.phases, "returned") & (seen["brightness"] >= LIT)
    if not due.any():
        return Abstain("too dark after the look-away to compare")
    return float(np.median(seen["likeness"][due]))
