"""How far two who say yes or no agree beyond chance, over rows that come in scenes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.intervals import Estimate, clopper_pearson, scene_rate
from lookaway.stats.jackknife import jackknifed

ONE_SIDED = "one of the two always says the same: nothing is left beyond chance"


class Agreement(NamedTuple):
    """Share of rows on which both say the same, and kappa: 1 always, 0 as by chance; or why there is no kappa."""

    share: Estimate
    kappa: Estimate | Abstain


def agreement(first: Floats, second: Floats, scenes: NDArray[Any]) -> Agreement | Abstain:
    """Of the answers 0 or 1 of two to the same rows, with the scene of each row; intervals are over scenes.

    Both yes 20 times, one alone 5, the other alone 10, neither 15: they agree in 0.7, by chance in 0.5, kappa is 0.4.
    """
    if not len(first):
        return Abstain("no row that both answer")
    kinds = np.stack([first * second, first * (1 - second), (1 - first) * second, (1 - first) * (1 - second)], axis=1)
    _, places = np.unique(scenes, return_inverse=True)
    tables = np.zeros((places.max() + 1, 4))
    np.add.at(tables, places, kinds)
    return Agreement(scene_rate(tables[:, 0] + tables[:, 3], tables.sum(axis=1)), _kappa(tables))


def _kappa(tables: Floats) -> Estimate | Abstain:
    """Cohen's kappa of scenes by (both, the first alone, the second alone, neither)."""
    found = jackknifed(tables, _kappa_of)
    if found is None:
        return Abstain(ONE_SIDED)
    if found.value == 1.0 and len(tables) > 1:
        return _never_apart(tables)
    low, high = (None if end is None else float(np.clip(end, -1, 1)) for end in (found.low, found.high))
    return Estimate(found.value, low, high, found.method)


def _kappa_of(totals: Floats) -> float:
    both, first, second, neither = totals / totals.sum() if totals.sum() else totals
    by_chance = (both + first) * (both + second) + (second + neither) * (first + neither)
    constant = {both + first, both + second} & {0.0, 1.0} or not totals.sum()
    return float("nan") if constant else float((both + neither - by_chance) / (1 - by_chance))


def _never_apart(tables: Floats) -> Estimate:
    """Where they never differ there is no spread to go by: as often as scenes allow, among answers as they are."""
    yes = float(tables[:, 0].sum() / tables.sum())
    _, apart = clopper_pearson(0.0, float(len(tables)))
    low = max(-1.0, 1 - apart / (2 * yes * (1 - yes)))
    return Estimate(1.0, low, 1.0, f"never apart in {len(tables)} scenes, Clopper-Pearson of how often they may be")
