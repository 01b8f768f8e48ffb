"""A mean that people would give, from few of their labels and a judge's answers to everything.

Prediction-powered inference (Angelopoulos et al. 2023): the judge's mean over all items is corrected by how far it is
off where people answered too. How far it is leaned on is estimated as well (power tuning): a judge that tells nothing
costs nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import LEVEL, Floats
from lookaway.stats.intervals import Estimate

FEWEST_SCENES = 5  # labelled ones: with fewer, how far to lean on the judge is a guess


class SceneSums(NamedTuple):
    """Of each scene: how many items, and the sums of what people and the judge say of them."""

    counts: Floats
    people: Floats
    judge: Floats

    @classmethod
    def of(cls, people: Floats, judge: Floats, scenes: NDArray[Any]) -> SceneSums:
        _, places = np.unique(scenes, return_inverse=True)
        counts, said, judged = (
            np.bincount(places, part).astype(float) for part in (np.ones(len(judge)), people, judge)
        )
        return cls(counts, said, judged)

    def spreads(self, lean: float) -> float:
        """Variance of the mean of people minus so much of the judge, scenes being the unit."""
        sums = self.people - lean * self.judge
        return _variance(sums, self.counts)


class PredictionPowered(NamedTuple):
    """With the judge's help, and from labels alone."""

    helped: Estimate
    labels_alone: Estimate
    lean: float  # 0: the judge has no part in it; 1: its mean is taken as it is, and corrected

    @property
    def labels_saved(self) -> float | None:
        """Share of labels that one could do without at the same length of interval."""
        if None in (self.helped.low, self.labels_alone.low):
            return None
        helped, alone = (one.high - one.low for one in (self.helped, self.labels_alone))  # type: ignore[operator]
        return 1 - (helped / alone) ** 2 if alone else None


def prediction_powered(
    people: Floats, judge: Floats, scenes: NDArray[Any], unlabelled: Floats, their_scenes: NDArray[Any]
) -> PredictionPowered | Abstain:
    """The mean of what people would say; `people`, `judge` and `scenes` are of items in scenes that are labelled."""
    if shared := set(np.unique(scenes).tolist()) & set(np.unique(their_scenes).tolist()):
        raise ValueError(f"scene {sorted(shared)[0]!r} has items with and without labels: label whole scenes")
    mine = SceneSums.of(people, judge, scenes)
    if len(mine.counts) < FEWEST_SCENES:
        return Abstain(f"labels in {len(mine.counts)} scenes: fewer than {FEWEST_SCENES}")
    other = SceneSums.of(np.zeros(len(unlabelled)), unlabelled, their_scenes)
    lean = _lean(mine, other)
    value = float(people.mean() + lean * (unlabelled.mean() - judge.mean()))
    variance = mine.spreads(lean) + lean**2 * _variance(other.judge, other.counts)
    t = float(stdtrit(len(mine.counts) - 1, 0.5 + LEVEL / 2))
    alone = float(people.mean())
    return PredictionPowered(
        _within(value, t * variance**0.5, f"prediction-powered, {len(mine.counts)} labelled scenes"),
        _within(alone, t * mine.spreads(0.0) ** 0.5, f"t over {len(mine.counts)} scenes"),
        lean,
    )


def _lean(mine: SceneSums, other: SceneSums) -> float:
    """What makes the variance smallest; never against the judge, and never beyond it."""
    flat, full = mine.spreads(0.0), mine.spreads(1.0)
    own = _variance(mine.judge, mine.counts)
    together = (flat + own - full) / 2  # covariance of the two means
    room = own + _variance(other.judge, other.counts)
    return float(np.clip(together / room, 0, 1)) if room else 0.0


def _variance(sums: Floats, counts: Floats) -> float:
    scenes = len(sums)
    if scenes < 2:
        return 0.0
    residuals = sums - counts * (sums.sum() / counts.sum())
    return float(scenes / (scenes - 1) * (residuals**2).sum() / counts.sum() ** 2)


def _within(value: float, half: float, method: str) -> Estimate:
    return Estimate(value, value - half, value + half, method)
