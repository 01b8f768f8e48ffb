"""How far two who say yes or no agree beyond chance, over rows that come in scenes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.coefficients import Disagreement, chance_corrected
from lookaway.stats.intervals import Estimate, scene_rate

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
    kappa = chance_corrected(kinds, scenes, _kappa)
    return Agreement(
        scene_rate(tables[:, 0] + tables[:, 3], tables.sum(axis=1)),
        kappa if isinstance(kappa, Estimate) else Abstain(ONE_SIDED),
    )


def _kappa(totals: Floats) -> Disagreement:
    """Cohen's, of (both, the first alone, the second alone, neither); nothing where one of them always says the same.

    There `coefficients.cohen` is 0, as elsewhere; that would read as a measurement of a gate that was never shut.
    """
    both, first, second, neither = totals / totals.sum() if totals.sum() else totals
    constant = {both + first, both + second} & {0.0, 1.0} or not totals.sum()
    by_chance = (both + first) * (first + neither) + (second + neither) * (both + second)
    return Disagreement(first + second, np.nan if constant else by_chance)
