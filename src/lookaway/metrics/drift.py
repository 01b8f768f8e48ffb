"""Does the picture fall apart along the clip?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import WORLD, Case, Outcome, metric
from lookaway.observers.replay import Replay
from lookaway.outcomes import Abstain
from lookaway.readings.sight import LIT


@metric(
    unit="correlation lost",
    better="lower",
    margin=0.1,
    needs=["replay"],
    needs_truth=WORLD,
    phase_source="none",
    version=1,
)
def drift(case: Case) -> Outcome:
    """Likeness of structure to the true view from the same camera, first quarter minus last; 0 lost nothing, 1 all."""
    seen = case.saw(Replay)
    share = seen.seconds / seen.seconds[-1]
    lit = seen.brightness >= LIT
    early, late = seen.likeness[lit & (share <= 0.25)], seen.likeness[lit & (share >= 0.75)]
    if not len(early) or not len(late):
        return Abstain("too dark at one of its ends to compare")
    return float(np.median(early) - np.median(late))
