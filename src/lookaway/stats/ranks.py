"""Ranks from 1; equal values share the mean of theirs."""

from __future__ import annotations

import numpy as np

from lookaway.stats.bootstrap_t import Floats


def midranks(values: Floats) -> Floats:
    """[0.2, 0.9, 0.2, 0.5] -> [1.5, 4, 1.5, 3]"""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks
