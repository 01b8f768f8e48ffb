"""When the view is back, is it the same room?"""

from __future__ import annotations

import numpy as np

from lookaway.geometry.rounds import asked_phases, frames_back, round_count
from lookaway.metrics import WORLD, Case, Outcome, metric
from lookaway.observers.replay import Replay
from lookaway.outcomes import Abstain
from lookaway.readings.sight import LIT


@metric(
    unit="correlation",
    better="higher",
    margin=0.1,
    range=(-1, 1),
    needs=["replay"],
    gates=["posed", "left_view"],
    needs_truth=WORLD,
    phase_source="measured",
    rounds=True,
    version=2,
)
def background_same(case: Case) -> Outcome:
    """Correlation of fine structure with the true view after the look-away: 1 is the same, 0 another room.

    Where the process changes nothing. If the subject's place is not back, whatever is seen when it was due is compared
    with the true view from the same camera; what shows nothing known counts 0.
    """
    seen, task = case.saw(Replay), case.task
    same = seen.background[seen.background_round == case.round]
    if len(same):
        return float(np.median(same))
    due = frames_back(seen.seconds, asked_phases(task), case.round, round_count(task)) & (seen.brightness >= LIT)
    if not due.any():
        return Abstain("too dark after the look-away to compare")
    return float(np.median(seen.likeness[due]))
