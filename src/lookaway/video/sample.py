"""Which frames to look at."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def nearest_index(seconds: NDArray[np.float64], at: float) -> int:
    """Index of the timestamp closest to `at`; the earlier one on a tie. Timestamps ascend."""
    after = int(np.searchsorted(seconds, at))
    if after == 0:
        return 0
    if after == len(seconds):
        return len(seconds) - 1
    return after - 1 if at - seconds[after - 1] <= seconds[after] - at else after


def indices_at_rate(frames: int, fps: float, rate: float = 3.0, most: int = 24) -> list[int]:
    """WRBench's rule: about `rate` frames a second and both ends; above `most`, that many evenly spread."""
    step = max(fps / rate, 1.0)
    stepped = np.arange(0, frames, step).round()
    chosen = _ascending([0, *stepped.tolist(), frames - 1], frames)
    return chosen if len(chosen) <= most else indices_uniform(frames, most)


def indices_uniform(frames: int, count: int) -> list[int]:
    """Up to `count` distinct indices, evenly spread, both ends kept; one index is the first frame."""
    return _ascending(np.linspace(0, frames - 1, min(count, frames)).round().tolist(), frames)


def _ascending(indices: Iterable[float], frames: int) -> list[int]:
    return sorted({min(int(index), frames - 1) for index in indices if frames})
