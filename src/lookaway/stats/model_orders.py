"""Do two raters put models in the same order, task by task? (StEvo-Bench's MRA, and what chance would give.)"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from lookaway.outcomes import Abstain

Floats = NDArray[np.float64]


def order_agreement(first: Floats, second: Floats) -> float | Abstain:
    """Over every two models and every task they share: 1 for the same order, 0.5 where one rater sees a tie, else 0.

    Answers are (models, tasks) of 0, 1 and NaN. Two raters who never look agree far beyond zero: `order_by_chance`.
    """
    scores = [
        1 - np.abs(np.sign(first[a] - first[b]) - np.sign(second[a] - second[b])) / 2
        for a, b in combinations(range(len(first)), 2)
    ]
    met = np.concatenate(scores) if scores else np.empty(0)
    met = met[~np.isnan(met)]
    return float(met.mean()) if len(met) else Abstain("no two models share a task that both raters answer")


def order_by_chance(first_rate: float, second_rate: float | None = None) -> float:
    """What two raters reach who say yes so often, to whatever they are shown.

    >>> [round(order_by_chance(rate), 3) for rate in (0.5, 0.2, 0.1, 0.05)]
    [0.625, 0.731, 0.838, 0.909]
    """
    mine = first_rate * (1 - first_rate)
    other = mine if second_rate is None else second_rate * (1 - second_rate)
    tied_mine, tied_other = 1 - 2 * mine, 1 - 2 * other
    one_tie = tied_mine * 2 * other + tied_other * 2 * mine
    return 2 * mine * other + tied_mine * tied_other + one_tie / 2
