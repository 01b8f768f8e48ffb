"""What visual integrity goes by, whatever the features are: how well the patches of a frame match those of the next.

Tokens are reduced to their best matches here, in full precision: a clip's tokens take a hundred times the room, and
rounded to half precision they move the metric by 7e-5.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.float32]
SHORTEST = 1e-12


class PatchMatches(NamedTuple):
    """Each patch's best cosine among the patches of the next frame, and of the one before, from 0 to 1."""

    forward: Tokens  # (N - 1, patches)
    backward: Tokens  # (N - 1, patches)


def unit(tokens: Tokens) -> Tokens:
    """The same of length 1; nothing stays nothing."""
    length = np.linalg.norm(tokens, axis=-1, keepdims=True)
    return np.asarray(tokens / np.maximum(length, SHORTEST), np.float32)


def matches(patches: Tokens) -> PatchMatches:
    """Of unit vectors (N, patches, size)."""
    best = [_best(here, there) for here, there in pairwise(patches)]
    return PatchMatches(*(np.stack(side) for side in zip(*best, strict=True)))


def _best(here: Tokens, there: Tokens) -> tuple[Tokens, Tokens]:
    cosines = np.clip(here @ there.T, 0, 1)
    return cosines.max(axis=1), cosines.max(axis=0)
