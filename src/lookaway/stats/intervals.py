"""95 % intervals for means over rows that come in scenes.

Rows of one scene are not independent, so scenes are the unit: the variance is that of scene totals around the mean
(linearised ratio estimator), and each side is as long as t or a bootstrap-t over scenes asks for, whichever is longer:
t alone is too short where values crowd at a ceiling, bootstrap-t alone where some lie far out. Rates use
Clopper-Pearson at the effective sample size (Korn and Graubard 1998), which does not collapse when every row says the
same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from lookaway.stats.bootstrap_t import LEVEL, t_ends, t_quantile
from lookaway.stats.bootstrap_t import Floats as Floats

FEWEST_DRAWN = 5  # of 4 scenes one draw in 64 is one scene four times: a third of the tails has no spread
MOST_DRAWN = 256  # beyond, t does as well and the draws would fill memory
WIDEST_SPREAD = 3.0  # draws of equal scenes have no spread and t without end: no side is longer than three times t's


class Estimate(NamedTuple):
    """A mean, its interval where one can be given, and how it came about."""

    value: float
    low: float | None
    high: float | None
    method: str


def scene_mean(sums: Floats, counts: Floats) -> Estimate:
    """Mean of a quantity from each scene's sum and row count; the same to the last bit in any order of scenes."""
    order = np.lexsort((counts, sums))
    sums, counts = sums[order], counts[order]
    value, variance = _ratio(sums, counts)
    scenes = len(sums)
    if scenes < 2:
        return Estimate(value, None, None, "too few scenes (1)")
    if variance == 0:
        return Estimate(value, None, None, f"no spread between {scenes} scenes")
    error, t = float(np.sqrt(variance)), t_quantile(scenes - 1)
    if not FEWEST_DRAWN <= scenes <= MOST_DRAWN:
        return Estimate(value, value - t * error, value + t * error, f"t over {scenes} scenes")
    left, right = t_ends(sums - value * counts, counts)
    below, above = (min(max(end, t), WIDEST_SPREAD * t) for end in (right, -left))
    held = f", at most {WIDEST_SPREAD:g} t" if WIDEST_SPREAD * t in (below, above) else ""
    return Estimate(value, value - below * error, value + above * error, f"bootstrap-t over {scenes} scenes{held}")


def scene_rate(successes: Floats, counts: Floats) -> Estimate:
    """Share of successes from each scene's successes and row count; never wider than 0 to 1."""
    rate, _ = _ratio(successes, counts)
    scenes = len(successes)
    if scenes < 2:
        return Estimate(rate, None, None, "too few scenes (1)")
    effective = effective_size(successes, counts)
    low, high = clopper_pearson(rate * effective, effective)
    return Estimate(rate, low, high, f"Clopper-Pearson at effective n {effective:.1f}, {scenes} scenes")


def effective_size(successes: Floats, counts: Floats) -> float:
    """How many independent rows tell as much of a share as these, which come in two scenes or more."""
    rate, variance = _ratio(successes, counts)
    scenes, rows = len(successes), float(counts.sum())
    if rate in (0.0, 1.0):
        return float(scenes)  # equal rows tell nothing of how alike a scene's rows are: count scenes
    independent = rate * (1 - rate) / variance if variance > 0 else rows
    shrink = (t_quantile(max(1.0, rows - 1)) / t_quantile(scenes - 1)) ** 2
    return min(independent * shrink, rows)


def _ratio(sums: Floats, counts: Floats) -> tuple[float, float]:
    scenes, rows = len(sums), counts.sum()
    value = float(sums.sum() / rows)
    if scenes < 2:
        return value, 0.0
    residuals = sums - value * counts
    variance = float(scenes / (scenes - 1) * (residuals**2).sum() / rows**2)
    return value, variance if variance > 1e-24 * max(1.0, value**2) else 0.0


def clopper_pearson(successes: float, n: float) -> tuple[float, float]:
    """Exact 95 % interval of a share; both numbers may be broken."""
    tail = (1 - LEVEL) / 2
    low = 0.0 if successes <= 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes >= n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return low, high
