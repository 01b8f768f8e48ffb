"""Does the picture hold together from frame to frame and from first to last (WRBench)?"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.patch_features import PatchFeatures

Floats = NDArray[np.float32]


@metric(unit="cosine", better="higher", range=(0, 1), variant="paper", needs=["patch_features"], version=1)
def visual_integrity(case: Case) -> Outcome:
    """The lower of two similarities: first to last frame as a whole, and the weakest patches of neighbouring frames.

    1 is an unchanged picture, 0 a picture that shares nothing. A static camera scores high: read it beside
    `turned_away`.
    """
    seen = case.saw(PatchFeatures)
    whole = float(np.clip(seen.class_token[0] @ seen.class_token[-1], 0, 1))
    patches = seen.patch_tokens.astype(np.float32)
    local = [_weak_matches(a, b) for a, b in itertools.pairwise(patches)]
    return min(whole, float(np.percentile(local, 20)))


def _weak_matches(a: Floats, b: Floats) -> float:
    """20th percentile of best-match cosines, taken in both directions."""
    cosines = np.clip(a @ b.T, 0, 1)
    return float(np.percentile(np.concatenate([cosines.max(1), cosines.max(0)]), 20))
