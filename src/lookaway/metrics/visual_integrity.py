"""Does the picture hold together from frame to frame and from first to last (WRBench)?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.patch_features import PatchFeatures
from lookaway.observers.patch_features_released import MiddleFeatures
from lookaway.observers.plain_patches import PlainPatches

Tokens = NDArray[np.float32]
WEAK = 20  # percent


@metric(unit="cosine", better="higher", range=(0, 1), variant="paper", needs=["patch_features"], version=2)
def visual_integrity(case: Case) -> Outcome:
    """The lower of two similarities: first to last frame as a whole, and the weakest patches of neighbouring frames.

    1 is an unchanged picture, 0 a picture that shares nothing. A static camera scores high: read it beside
    `turned_away`.
    """
    seen = case.saw(PatchFeatures)
    return integrity(seen.class_token, seen.forward, seen.backward)


@metric(
    unit="cosine",
    better="higher",
    range=(0, 1),
    name="visual_integrity",
    variant="patch_mean",
    needs=["patch_features"],
    version=1,
)
def patch_mean(case: Case) -> Outcome:
    """The same, where the mean of its patches stands for a frame as a whole."""
    seen = case.saw(PatchFeatures)
    return integrity(seen.patch_mean, seen.forward, seen.backward)


@metric(
    unit="cosine",
    better="higher",
    range=(0, 1),
    name="visual_integrity",
    variant="released",
    needs=["patch_features_released"],
    version=1,
)
def released(case: Case) -> Outcome:
    """The same of the middle of the picture, at two frames a second."""
    seen = case.saw(MiddleFeatures)
    return integrity(seen.class_token, seen.forward, seen.backward)


@metric(
    unit="cosine",
    better="higher",
    range=(0, 1),
    name="visual_integrity",
    variant="plain",
    needs=["plain_patches"],
    version=1,
)
def plain(case: Case) -> Outcome:
    """The same by edges and colours of patches, without weights; not to be compared with what learned features say."""
    seen = case.saw(PlainPatches)
    return integrity(seen.whole, seen.forward, seen.backward)


def integrity(frames: Tokens, forward: Tokens, backward: Tokens) -> float:
    """From frames as unit vectors, and each patch's best match in the frame after it and before it."""
    whole = float(np.clip(frames[0] @ frames[-1], 0, 1))
    local = np.percentile(np.concatenate([forward, backward], axis=1), WEAK, axis=1)
    return min(whole, float(np.percentile(local, WEAK)))
