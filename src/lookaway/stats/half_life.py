"""At which dose do half of the answers turn wrong? Nothing is assumed of the curve but that it falls."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from lookaway.stats.bootstrap_t import LEVEL, Floats, t_quantile
from lookaway.stats.scene_draws import scene_weights

HALF = 0.5
Beyond = Literal["", "below", "above", "either side of"]


class HalfLife(NamedTuple):
    """The dose at which half are right, and how sure that is; an end that is None lies beyond the doses.

    `low` to `high` is the 95 % interval over scenes and holds the bracket: the neighbouring doses between which the
    share falls through a half. Where that is not between doses, `beyond` says on which side, and there is no value.
    """

    value: float | None
    low: float | None
    high: float | None
    beyond: Beyond
    n: int
    scenes: int
    method: str


def half_life(doses: Floats, right: NDArray[np.bool_], scenes: NDArray[Any]) -> HalfLife:
    """From one row per answer: its dose, whether it was right, and its scene.

    >>> doses = np.array([1.0, 2.0, 4.0, 1.0, 2.0, 4.0])
    >>> found = half_life(doses, doses < 3, np.array(list("aaabbb")))
    >>> round(found.value, 3), found.low, found.high
    (2.828, 2.0, 4.0)
    """
    places, excess = _cumulated(doses, right, scenes)
    low, high = (float(end[0]) for end in _brackets(np.ones((1, len(excess))) @ excess, places))
    n, count = len(doses), len(excess)
    beyond = _beyond(low, high)
    value = None if beyond else float(np.sqrt(low * high))
    if count < 2:
        return HalfLife(value, _inside(low), _inside(high), beyond, n, count, "bracket of doses; too few scenes (1)")
    left, right_end = _spread(_brackets(scene_weights(count) @ excess, places), value, count)
    how = f"bootstrap over {count} scenes, and at least the bracket of doses"
    return HalfLife(value, _inside(min(low, left)), _inside(max(high, right_end)), beyond, n, count, how)


def _cumulated(doses: Floats, right: NDArray[np.bool_], scenes: NDArray[Any]) -> tuple[Floats, Floats]:
    """The distinct doses, rising; and per scene (rows) how many more were right than a half, up to each dose.

    The first column is before any dose. Of a falling step curve that fits best, all that lies above a half ends where
    such a sum is largest, so the largest sum finds the crossing and no curve need be fitted.
    """
    places, spot = np.unique(doses, return_inverse=True)
    names, scene = np.unique(scenes, return_inverse=True)
    excess = np.zeros((len(names), len(places) + 1))
    np.add.at(excess, (scene, spot + 1), right - HALF)
    return places, np.cumsum(excess, axis=1)


def _brackets(sums: Floats, places: Floats) -> tuple[Floats, Floats]:
    """Per row the last dose surely above a half, 0 if none is, and the first surely below, infinite if none is."""
    top = sums.max(axis=1, keepdims=True) - 1e-9
    first = (sums >= top).argmax(axis=1)
    last = sums.shape[1] - 1 - (sums[:, ::-1] >= top).argmax(axis=1)
    return np.append(0.0, places)[first], np.append(places, np.inf)[last]


def _spread(drawn: tuple[Floats, Floats], value: float | None, scenes: int) -> tuple[float, float]:
    """95 % of the drawn crossings, wider by as much as t over so few scenes is wider than a normal's."""
    wider = t_quantile(scenes - 1) / float(ndtri(0.5 + LEVEL / 2)) * np.sqrt(scenes / (scenes - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        middles = np.log(drawn[0]) / 2 + np.log(drawn[1]) / 2
    rank = int((1 - LEVEL) / 2 * len(middles))
    lowest, highest = (np.sort(np.where(np.isnan(middles), far, middles)) for far in (-np.inf, np.inf))
    ends = float(lowest[rank]), float(highest[-1 - rank])
    if value is not None:
        ends = np.log(value) + wider * (ends[0] - np.log(value)), np.log(value) + wider * (ends[1] - np.log(value))
    return float(np.exp(ends[0])), float(np.exp(ends[1]))


def _beyond(low: float, high: float) -> Beyond:
    if low == 0:
        return "either side of" if high == np.inf else "below"
    return "above" if high == np.inf else ""


def _inside(end: float) -> float | None:
    return end if 0 < end < np.inf else None
