"""How far several raters agree beyond chance, whatever they answer in: kinds, an order, or numbers.

Answers are (raters, items) with NaN where somebody did not answer. All coefficients are functions of totals over items,
so each has an interval from leaving out one scene at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.intervals import Estimate, clopper_pearson
from lookaway.stats.jackknife import jackknifed

Weights = Literal["nominal", "linear", "quadratic"]
Measurement = Literal["nominal", "ordinal", "interval"]

TOO_FEW = "no item that two raters answer"
ONE_ANSWER = "only one answer was ever given: nothing is left beyond chance"


class Disagreement(NamedTuple):
    """Mean disagreement of two answers to one item, and of two by chance; 1 is the largest there can be."""

    apart: float
    by_chance: float


Counted = Callable[[Floats], Disagreement]  # from totals over items


def percent_agreement(answers: Floats, scenes: NDArray[Any], weights: Weights = "nominal") -> Estimate | Abstain:
    """Mean over items of the share of pairs of raters that say the same; near misses count in part where weighted."""
    counts, values = answer_counts(answers)
    items = _item_shares(counts, agreement_weights(values, weights))
    return chance_corrected(items, scenes, lambda totals: Disagreement(1 - totals[0] / totals[1], 1.0))


def gwet(answers: Floats, scenes: NDArray[Any], weights: Weights = "nominal") -> Estimate | Abstain:
    """Gwet's AC1, or AC2 where weighted: chance is what raters would agree on at random where they are unsure.

    Unlike kappa it stays high where nearly all items get the same answer.
    """
    counts, values = answer_counts(answers)
    if len(values) == 1:
        return Abstain(ONE_ANSWER)
    kinds, weight = len(values), agreement_weights(values, weights)

    def disagreement(totals: Floats) -> Disagreement:
        shares = totals[3:] / totals[2]
        chance = weight.sum() / (kinds * (kinds - 1)) * float((shares * (1 - shares)).sum())
        return Disagreement(1 - totals[0] / totals[1], 1 - chance)

    return chance_corrected(_item_shares(counts, weight), scenes, disagreement)


def cohen(first: Floats, second: Floats, scenes: NDArray[Any], weights: Weights = "nominal") -> Estimate | Abstain:
    """Cohen's kappa of two raters: chance is that each answers as often as it does, whatever it is shown."""
    both = ~np.isnan(first) & ~np.isnan(second)
    values, places = np.unique(np.concatenate([first[both], second[both]]), return_inverse=True)
    kinds, weight = len(values), agreement_weights(values, weights)
    tables = np.zeros((int(both.sum()), kinds * kinds))
    tables[np.arange(len(tables)), places[: len(tables)] * kinds + places[len(tables) :]] = 1.0

    def disagreement(totals: Floats) -> Disagreement:
        table = totals.reshape(kinds, kinds) / totals.sum()
        by_chance = np.outer(table.sum(axis=1), table.sum(axis=0))
        return Disagreement(float(((1 - weight) * table).sum()), float(((1 - weight) * by_chance).sum()))

    return chance_corrected(tables, scenes[both], disagreement)


def krippendorff(answers: Floats, scenes: NDArray[Any], level: Measurement = "nominal") -> Estimate | Abstain:
    """Krippendorff's alpha: one minus disagreement within items over that of any two answers.

    Items that fewer than two raters answer have no part in it.
    """
    counts, values = answer_counts(answers)
    paired = counts.sum(axis=1) >= 2
    kinds = len(values)

    def disagreement(totals: Floats) -> Disagreement:
        table = totals.reshape(kinds, kinds)
        often = table.sum(axis=1)
        apart = distances(values, often, level)
        by_chance = (np.outer(often, often) - np.diag(often)) / (often.sum() - 1)
        scale = often.sum() * (apart.max() or 1.0)
        return Disagreement(float((apart * table).sum() / scale), float((apart * by_chance).sum() / scale))

    return chance_corrected(coincidences(counts[paired]).reshape(-1, kinds * kinds), scenes[paired], disagreement)


def answer_counts(answers: Floats) -> tuple[Floats, Floats]:
    """How often each item got each answer, (items, answers), and the answers in rising order.

    [[0, 1], [0, nan]] -> [[2, 0], [0, 1]], [0, 1]
    """
    values = np.unique(answers[~np.isnan(answers)])
    return (answers[:, :, None] == values).sum(axis=0).astype(float), values


def agreement_weights(values: Floats, weights: Weights) -> Floats:
    """What two answers count for: 1 the same; between the two farthest apart 0, in steps of their places or squares."""
    if weights == "nominal" or len(values) < 2:
        return np.eye(len(values))
    apart = np.abs(values[:, None] - values[None, :]) / (values[-1] - values[0])
    return np.asarray(1 - apart if weights == "linear" else 1 - apart**2)


def distances(values: Floats, often: Floats, level: Measurement) -> Floats:
    """How far apart two answers are; by order, how many answers lie between them."""
    if level == "nominal":
        return 1 - np.eye(len(values))
    if level == "interval":
        return np.asarray((values[:, None] - values[None, :]) ** 2)
    middles = np.cumsum(often) - often / 2
    return np.asarray((middles[:, None] - middles[None, :]) ** 2)


def coincidences(counts: Floats) -> Floats:
    """Pairs of answers within each item, each item weighing as much as it has answers: (items, answers, answers)."""
    pairs = counts[:, :, None] * counts[:, None, :]
    kinds = np.arange(counts.shape[1])
    pairs[:, kinds, kinds] -= counts
    return np.asarray(pairs / (counts.sum(axis=1) - 1)[:, None, None])


def _item_shares(counts: Floats, weight: Floats) -> Floats:
    """Of each item: agreement, whether two answered, whether anybody did, and the share of each answer."""
    raters = counts.sum(axis=1)
    alike = (counts * (counts @ weight - 1)).sum(axis=1)
    two, one = raters >= 2, raters >= 1
    agreement = np.divide(alike, raters * (raters - 1), out=np.zeros(len(counts)), where=two)
    shares = np.divide(counts, raters[:, None], out=np.zeros_like(counts), where=one[:, None])
    return np.column_stack([agreement, two, one, shares]) if two.any() else np.empty((0, 3 + counts.shape[1]))


def chance_corrected(items: Floats, scenes: NDArray[Any], disagreement: Counted) -> Estimate | Abstain:
    """One minus disagreement over that by chance, of rows per item that add up; scenes are left out in turn.

    A disagreement that is not a number says that these totals do not suffice.
    """
    if not len(items):
        return Abstain(TOO_FEW)
    _, places = np.unique(scenes, return_inverse=True)
    totals = np.zeros((places.max() + 1, items.shape[1]))
    np.add.at(totals, places, items)

    def coefficient(of: Floats) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = disagreement(of)
            return float(1 - np.float64(found.apart) / found.by_chance)

    found = jackknifed(totals, coefficient)
    if found is None:
        return Abstain(ONE_ANSWER)
    if found.value == 1.0 and len(totals) > 1:
        return _never_apart(len(totals), disagreement(totals.sum(axis=0)).by_chance)
    low, high = (None if end is None else float(np.clip(end, -1, 1)) for end in (found.low, found.high))
    return Estimate(found.value, low, high, found.method)


def _never_apart(scenes: int, by_chance: float) -> Estimate:
    """Where they never differ there is no spread to go by: they may, by all they can, as often as scenes allow."""
    _, apart = clopper_pearson(0.0, float(scenes))
    method = f"never apart in {scenes} scenes, Clopper-Pearson of how often they may be"
    return Estimate(1.0, max(-1.0, 1 - apart / by_chance), 1.0, method)
