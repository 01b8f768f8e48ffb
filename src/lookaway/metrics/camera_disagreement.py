"""Do two instruments see the same camera?"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from lookaway.geometry.rotations import turns_apart_deg
from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.classical import Classical
from lookaway.observers.following import CameraTurns
from lookaway.observers.pose_workers import Colmap, MapAnything, Vggt
from lookaway.outcomes import Abstain, Measured, NotApplicable
from lookaway.readings.camera import believed

POSES: tuple[type[CameraTurns], ...] = (Classical, Vggt, MapAnything, Colmap)
SHARE = 0.95  # of the frames: most of a clip may be at rest, where all agree
MIN_SURE = 0.5  # share of frames that both must be sure of


@metric(unit="deg", better="lower", margin=2.0, reads=[kind.observer for kind in POSES], version=2)
def camera_disagreement(case: Case) -> Outcome:
    """95th percentile of the angle between the views of two pose observers, of the pair furthest apart; 0 agrees."""
    looked = [case.saw(kind) for kind in POSES if kind.observer in case.seen]
    if len(looked) < 2:
        return NotApplicable("fewer than two pose observers looked; a protocol names them under `observers`")
    apart = []
    for one, other in combinations(looked, 2):
        sure = believed(one) & believed(other)
        if sure.mean() < MIN_SURE:
            pair = f"{one.observer} and {other.observer}"
            return Abstain(f"{pair} are sure of the camera in only {sure.mean():.0%} of the frames")
        between = turns_apart_deg(one.rotation[sure], other.rotation[sure])
        wide = sum(seen.half_width_deg[sure].max(axis=1) for seen in (one, other))
        apart.append([np.quantile(np.maximum(0, between + end * wide), SHARE) for end in (0, -1, 1)])
    value, low, high = max(apart)
    return Measured(float(value), float(low), float(high))
