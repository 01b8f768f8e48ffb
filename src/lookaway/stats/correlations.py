"""How closely two quantities go together, with 95 % intervals; points are taken for independent."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import LEVEL, Floats
from lookaway.stats.jackknife import left_out
from lookaway.stats.ranks import midranks

FEWEST = 4  # points: the variance of Fisher's z is 1 / (n - 3)
PERFECT = 1 - 1e-12


class Correlation(NamedTuple):
    """From -1, as one rises the other falls, over 0 to 1, they rise together; no interval at -1 and 1."""

    value: float
    low: float | None
    high: float | None
    n: int
    method: str


def pearson(x: Floats, y: Floats) -> Correlation | Abstain:
    """How nearly the points lie on a line; interval by Fisher's z."""
    if reason := _why_silent(x, y, FEWEST):
        return Abstain(reason)
    return _with_interval(_linear(x, y), len(x), 1 / (len(x) - 3), "Pearson, Fisher's z")


def spearman(x: Floats, y: Floats) -> Correlation | Abstain:
    """How nearly the points keep one order, by their ranks; variance of z by Bonett and Wright (2000)."""
    if reason := _why_silent(x, y, FEWEST):
        return Abstain(reason)
    value = _linear(midranks(x), midranks(y))
    return _with_interval(value, len(x), (1 + value**2 / 2) / (len(x) - 3), "Spearman, Bonett-Wright")


def scene_spearman(x: Floats, y: Floats, scenes: NDArray[Any]) -> Correlation | Abstain:
    """Spearman over points that come in scenes: the interval is from leaving out each scene in turn, on Fisher's z."""
    if reason := _why_silent(x, y, FEWEST):
        return Abstain(reason)
    value, names = _linear(midranks(x), midranks(y)), np.unique(scenes)
    if len(names) < 2 or abs(value) > PERFECT:
        return Correlation(value, None, None, len(x), f"Spearman over {len(names)} scenes: no interval")
    without = np.array([_fisher(x[scenes != one], y[scenes != one]) for one in names])
    found = left_out(float(np.arctanh(value)), without)
    if found.low is None or found.high is None:
        return Correlation(value, None, None, len(x), f"Spearman: {found.method}")
    low, high = (float(np.tanh(end)) for end in (found.low, found.high))
    return Correlation(value, low, high, len(x), f"Spearman, {found.method}")


def _fisher(x: Floats, y: Floats) -> float:
    """Fisher's z of Spearman's rank correlation; not a number where there is none."""
    if _why_silent(x, y, FEWEST) or abs(value := _linear(midranks(x), midranks(y))) > PERFECT:
        return float("nan")
    return float(np.arctanh(value))


def kendall(x: Floats, y: Floats) -> Correlation | Abstain:
    """Pairs of points in the same order minus pairs in opposite order, ties allowed for (tau-b).

    The variance of z is by Fieller, Hartley and Pearson (1957), which needs one point more than the others.
    """
    if reason := _why_silent(x, y, FEWEST + 1):
        return Abstain(reason)
    from scipy.stats import kendalltau  # takes half a second to import

    value = float(kendalltau(x, y, variant="b", method="asymptotic").statistic)
    return _with_interval(value, len(x), 0.437 / (len(x) - 4), "Kendall tau-b, Fieller")


def _why_silent(x: Floats, y: Floats, fewest: int) -> str:
    if len(x) < fewest:
        return f"{len(x)} points: too few for an interval, which takes {fewest}"
    flat = [name for name, values in (("first", x), ("second", y)) if _is_flat(values)]
    return f"no spread in the {' and the '.join(flat)} quantity" if flat else ""


def _is_flat(values: Floats) -> bool:
    return float(np.ptp(values)) <= 1e-12 * float(np.abs(values).max())


def _linear(x: Floats, y: Floats) -> float:
    order = np.lexsort((y, x))  # floats add up to other last bits in another order
    dx, dy = (values[order] - values[order].mean() for values in (x, y))
    return float(np.clip(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy)), -1.0, 1.0))


def _with_interval(value: float, n: int, variance: float, method: str) -> Correlation:
    if abs(value) > PERFECT:
        return Correlation(value, None, None, n, f"{method}: no interval at {value:+.0f}")
    middle, half = np.arctanh(value), float(ndtri(0.5 + LEVEL / 2)) * np.sqrt(variance)
    return Correlation(value, float(np.tanh(middle - half)), float(np.tanh(middle + half)), n, method)
