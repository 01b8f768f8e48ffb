"""How much of the asked turn did the camera make?"""

from __future__ import annotations

import numpy as np

from lookaway.geometry.visibility import camera_hides
from lookaway.metrics import Case, Outcome, metric
from lookaway.outcomes import NotApplicable
from lookaway.replayed import lost, turned_deg


@metric(
    unit="of the asked turn",
    better="higher",
    margin=0.1,
    range=(0, 1),
    needs=["replay"],
    needs_truth="world",
    phase_source="none",
    version=1,
)
def turn_share(case: Case) -> Outcome:
    """The largest angle to the first view over the largest asked one; 1 is as far or further, 0 a static camera."""
    if not camera_hides(case.task):
        return NotApplicable("the camera is not asked to turn")
    if (unknown := lost(case)) is not None:
        return unknown
    seen = case.seen["replay"]
    _, world = case.known()
    asked = turned_deg(world.camera_to_world[:, :3, :3], world.camera_to_world[0, :3, :3]).max()
    made = turned_deg(seen["pose"][seen["trusted"]][:, :3, :3], np.eye(3)).max()
    return float(min(1.0, made / asked))
