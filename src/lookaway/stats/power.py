"""How many scenes or seeds tell two systems apart, and how small a difference so many scenes can tell.

Differences of pairs are averaged over scenes and tested by t over scenes, two-sided at 5 %.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import nctdtr

from lookaway.stats.bootstrap_t import t_quantile
from lookaway.stats.variance import VarianceParts

POWER = 0.8
MOST_SCENES = 100_000
DISCORDANT = 0.2  # of pairs of a right-or-wrong score, where nothing was measured yet
STEP = 1e-6  # standard errors, so fine is a difference looked for
CORRELATION = 0.3  # of two tasks of one scene, likewise


def power(effect: float, variance: float, scenes: int) -> float:
    """The chance to find a difference of that size when the mean over the scenes has that variance."""
    if scenes < 2:
        return 0.0
    if variance <= 0:
        return 1.0 if effect else 0.05
    shift, edge, degrees = abs(effect) / variance**0.5, t_quantile(scenes - 1), scenes - 1
    if shift > _surely(scenes):
        return 1.0
    return float(1 - nctdtr(degrees, shift, edge) + np.nan_to_num(nctdtr(degrees, shift, -edge)))


def _surely(scenes: int) -> float:
    """In standard errors: beyond it, a difference is missed less than once in ten thousand times."""
    return 4 * t_quantile(scenes - 1) + 5


def resolution(variance: float, scenes: int, at: float = POWER) -> float | None:
    """The smallest difference found with that chance; None of fewer than two scenes, or where none is."""
    if scenes < 2:
        return None
    if variance <= 0:
        return 0.0
    steps = _fewest(lambda steps: power(steps * STEP, 1.0, scenes) >= at, 0, int(_surely(scenes) / STEP))
    return None if steps is None else variance**0.5 * steps * STEP


def scenes_needed(
    effect: float, parts: VarianceParts, tasks_per_scene: float, seeds: float = 1, at: float = POWER
) -> int | None:
    """The fewest scenes that find the difference with that chance; None where 100,000 are too few."""

    def enough(scenes: int) -> bool:
        return power(effect, parts.of_mean(scenes, tasks_per_scene, seeds), scenes) >= at

    return _fewest(enough, 2, MOST_SCENES)


def seeds_needed(
    effect: float, parts: VarianceParts, scenes: int, tasks_per_scene: float, at: float = POWER
) -> int | None:
    """The fewest seeds of every task that do; None where no number of seeds can, because scenes differ too much."""
    if not parts.tells_seeds:
        return None

    def enough(seeds: int) -> bool:
        return power(effect, parts.of_mean(scenes, tasks_per_scene, seeds), scenes) >= at

    return _fewest(enough, 1, 10_000)


def _fewest(enough: Callable[[int], bool], low: int, high: int) -> int | None:
    if not enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def assumed_parts(
    correlation: float = CORRELATION, variance: float = DISCORDANT, scenes: int = 2, tasks: int = 2
) -> VarianceParts:
    """The variance of a pair's difference without a run, split by the correlation of two tasks of a scene."""
    return VarianceParts(correlation * variance, (1 - correlation) * variance, 0.0, scenes, tasks, tasks)
