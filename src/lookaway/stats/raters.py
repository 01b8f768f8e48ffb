"""Agreement of yes/no raters on the same items: a judge with people, and people with each other.

Answers are rows of 0, 1 and NaN (not answered), one row per rater; a pair is compared on the items that both answered.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.outcomes import Abstain
from lookaway.stats.coefficients import answer_counts

Floats = NDArray[np.float64]

NO_ITEM = "no item that both answer"
ONE_CLASS = "whoever counts as right gives one answer only: nothing can be told apart"


class Confusion(NamedTuple):
    """Items by what is right and what was said."""

    yes_yes: int
    yes_no: int  # right is yes, and no was said
    no_yes: int
    no_no: int

    @property
    def n(self) -> int:
        return sum(self)


def confusion(right: Floats, said: Floats) -> Confusion:
    both = ~np.isnan(right) & ~np.isnan(said)
    yes, says = right[both] > 0.5, said[both] > 0.5
    return Confusion(*(int(each.sum()) for each in (yes & says, yes & ~says, ~yes & says, ~yes & ~says)))


def accuracy(right: Floats, said: Floats) -> float | Abstain:
    """Share of items on which both say the same."""
    table = confusion(right, said)
    return (table.yes_yes + table.no_no) / table.n if table.n else Abstain(NO_ITEM)


def balanced_accuracy(right: Floats, said: Floats) -> float | Abstain:
    """Mean of the share of yes and the share of no that is met; 0.5 is chance. StEvo-Bench prints it as ROC-AUC."""
    table = confusion(right, said)
    if not table.n:
        return Abstain(NO_ITEM)
    yes, no = table.yes_yes + table.yes_no, table.no_yes + table.no_no
    return (table.yes_yes / yes + table.no_no / no) / 2 if yes and no else Abstain(ONE_CLASS)


Compares = Callable[[Floats, Floats], float | Abstain]


class PairMean(NamedTuple):
    """Mean and spread over the pairs that tell something, and why others do not."""

    value: float
    spread: float  # standard deviation over pairs
    pairs: int
    silent: tuple[str, ...]


def with_people(judge: Floats, people: Floats, compares: Compares) -> PairMean | Abstain:
    """Of a judge and each person, who counts as right."""
    return _over_pairs([compares(person, judge) for person in people])


def among_people(people: Floats, compares: Compares) -> PairMean | Abstain:
    """Of every two people; each counts as right once."""
    pairs = combinations(range(len(people)), 2)
    both_ways = ((a, b) for pair in pairs for a, b in (pair, pair[::-1]))
    return _over_pairs([compares(people[a], people[b]) for a, b in both_ways])


def _over_pairs(found: list[float | Abstain]) -> PairMean | Abstain:
    values = [each for each in found if not isinstance(each, Abstain)]
    silent = tuple(each.reason for each in found if isinstance(each, Abstain))
    if not values:
        return Abstain(silent[0] if silent else "fewer than two raters")
    return PairMean(float(np.mean(values)), float(np.std(values)), len(values), silent)


def majority(people: Floats) -> Floats:
    """What most people say of each item; NaN where they are evenly split or nobody answered."""
    with np.errstate(invalid="ignore"):
        share = np.nansum(people, axis=0) / (~np.isnan(people)).sum(axis=0)
    return np.where(np.isnan(share) | (share == 0.5), np.nan, (share > 0.5).astype(float))


class ItemAgreement(NamedTuple):
    """Per item that the judge and two people answer: with how many the judge agrees, how many pairs of people agree."""

    judge: Floats  # share of the people who answered
    people: Floats  # share of their pairs
    items: NDArray[np.bool_]  # which of all items these are


def item_agreement(judge: Floats, people: Floats) -> ItemAgreement:
    """Are the items that are hard for people hard for the judge? With three people: 0, 1/3, 2/3, 1 by 1/3, 1."""
    counts, values = answer_counts(people)
    given = counts.sum(axis=1)
    told = ~np.isnan(judge) & (given >= 2)
    counts, given = counts[told], given[told]
    with_judge = (counts * (judge[told, None] == values)).sum(axis=1) / given
    return ItemAgreement(with_judge, (counts * (counts - 1)).sum(axis=1) / (given * (given - 1)), told)
