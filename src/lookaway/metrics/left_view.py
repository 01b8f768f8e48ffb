"""For how much of the asked time was the subject really out of sight, however it was to be hidden?"""

from __future__ import annotations

import numpy as np

from lookaway.geometry.visibility import frames_in
from lookaway.metrics import WORLD, Case, Outcome, metric
from lookaway.observers.replay import Replay
from lookaway.readings.sight import lost, unseen


@metric(
    unit="of the asked time",
    better="higher",
    margin=0.2,
    range=(0, 1),
    needs=["replay"],
    gates=["opportunity"],
    needs_truth=WORLD,
    phase_source="measured",
    version=1,
)
def left_view(case: Case) -> Outcome:
    """Seconds out of sight, by camera, cover, darkness or its own motion, over the seconds asked for; 0 never was."""
    if (unknown := lost(case)) is not None:
        return unknown
    asked = frames_in(case.saw(Replay).seconds, case.task.phases, "hidden")
    return float(np.clip(unseen(case).sum() / asked.sum(), 0, 1))
