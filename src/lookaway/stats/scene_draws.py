"""Scenes drawn with replacement, the same draws for every question about as many scenes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lookaway.stats.bootstrap_t import Floats

DRAWS = 1000


@lru_cache(maxsize=16)
def scene_weights(scenes: int, draws: int = DRAWS) -> Floats:
    """How often each draw (rows) has each scene (columns); every row adds up to their number."""
    bits = np.random.PCG64([1, scenes]).random_raw(draws * scenes)  # these bits numpy promises to keep
    drawn = (bits % np.uint64(scenes)).astype(np.int64).reshape(draws, scenes) + scenes * np.arange(draws)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=draws * scenes).reshape(draws, scenes)
    return counts.astype(np.float64)
