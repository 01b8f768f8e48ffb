"""When the view is back, is the subject in the right place, with the right extent?"""

from __future__ import annotations

import numpy as np

from lookaway.geometry.warp import turned_home
from lookaway.metrics import MEMORY_GATES, WORLD, Case, Outcome, metric
from lookaway.observers.subject import SubjectMasks
from lookaway.observers.view import HomeView
from lookaway.outcomes import Abstain
from lookaway.readings.view import both_returned


@metric(
    unit="overlap",
    better="higher",
    range=(0, 1),
    needs=["view", "subject"],
    gates=MEMORY_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    version=2,
)
def object_return(case: Case) -> Outcome:
    """Overlap (intersection over union) of seen and true subject, mean over returned frames; 0 is gone or elsewhere.

    Both masks are first turned into the first frame's view, so a slightly wrong camera is not held against the object.
    """
    pairs = both_returned(case)
    if isinstance(pairs, Abstain):
        return pairs
    _, world = case.known()
    masks = case.saw(SubjectMasks).unpacked(pairs.clip)
    rotation = case.saw(HomeView).rotation
    home = world.camera_to_world[0, :3, :3]
    overlaps = []
    for mask, i, j in zip(masks, pairs.clip, pairs.truth, strict=True):
        mine = turned_home(mask, rotation[i], case.task.hfov_deg)
        true = turned_home(world.masks[j], home.T @ world.camera_to_world[j, :3, :3], case.task.hfov_deg)
        overlaps.append((mine & true).sum() / max(1, (mine | true).sum()))
    return float(np.mean(overlaps))
