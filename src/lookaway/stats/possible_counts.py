"""Of how many could printed percentages be shares? A check of tables whose denominators nobody tells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


def possible_counts(printed: Sequence[float], decimals: int = 1, most: int = 400) -> Counts:
    """Every n up to `most` of which each printed percentage is a share, rounded either way at a half.

    >>> possible_counts([84.6, 46.2], most=60).tolist()
    [13, 26, 39, 52]
    """
    counts = np.arange(1, most + 1)
    nearest = np.rint(np.outer(printed, counts) / 100)
    off = np.abs(100 * nearest / counts - np.reshape(printed, (-1, 1)))
    possible: Counts = counts[(off <= 0.5 * 10.0**-decimals + 1e-9).all(axis=0)]
    return possible
