"""Which frames to look at."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

RELEASED_LEAST = 4  # frames, where a clip has as many


def nearest_index(seconds: NDArray[np.float64], at: float) -> int:
    """Index of the timestamp closest to `at`; the earlier one on a tie. Timestamps ascend."""
    after = int(np.searchsorted(seconds, at))
    if after == 0:
        return 0
    if after == len(seconds):
        return len(seconds) - 1
    return after - 1 if at - seconds[after - 1] <= seconds[after] - at else after


def indices_at_rate(frames: int, fps: float, rate: float = 3.0, most: int = 24) -> list[int]:
    """About `rate` frames a second and both ends; above `most`, that many evenly spread over all frames."""
    chosen = _stepped(frames, fps, rate)
    return chosen if len(chosen) <= most else indices_uniform(frames, most)


def indices_as_released(frames: int, fps: float, rate: float = 3.0, most: int = 24) -> list[int]:
    """The rule of WRBench's release: `indices_at_rate`, but four at least, and above `most` the chosen are thinned.

    60 frames at 30 fps, 12 a second, at most 10 -> 0 5 12 20 25 32 40 45 52 59, unevenly apart.
    """
    if not fps > 0:  # unknown
        return _ascending(_floors(frames, most), frames)
    chosen = _stepped(frames, fps, rate)
    if len(chosen) < RELEASED_LEAST:
        chosen = _ascending([*chosen, *_floors(frames, RELEASED_LEAST)], frames)
    return chosen if len(chosen) <= most else [chosen[i] for i in _floors(len(chosen), most)]


RATE_RULES = {"rate": indices_at_rate, "released": indices_as_released}


def _stepped(frames: int, fps: float, rate: float) -> list[int]:
    """Every frame nearest to a multiple of 1 / `rate` seconds, halves to the even one, and the last."""
    stepped = np.arange(0, frames, max(fps / rate, 1.0)).round()
    return _ascending([0, *stepped.tolist(), frames - 1], frames)


def _floors(length: int, count: int) -> list[int]:
    return [int(place) for place in np.linspace(0, length - 1, count)]


def indices_uniform(frames: int, count: int) -> list[int]:
    """Up to `count` distinct indices, evenly spread, both ends kept; one index is the first frame."""
    return _ascending(np.linspace(0, frames - 1, min(count, frames)).round().tolist(), frames)


def _ascending(indices: Iterable[float], frames: int) -> list[int]:
    return sorted({min(int(index), frames - 1) for index in indices if frames})
