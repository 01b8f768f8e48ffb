"""How far raters spread over the answers to each item; answers are (raters, items), NaN where somebody gave none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.coefficients import answer_counts


class ItemSpread(NamedTuple):
    """Of each item; agreement and entropy are NaN below two answers, `most` where no answer is the most common."""

    answers: Floats  # how many were given
    agreement: Floats  # share of pairs of raters that say the same
    entropy: Floats  # of the shares of answers, in bits
    most: Floats  # the most common answer
    votes: Floats  # how many gave it


def item_spread(answers: Floats) -> ItemSpread:
    """yes, yes, no -> 3 answers, a third of pairs agree, 0.918 bits, most say yes, 2 of them."""
    counts, values = answer_counts(answers)
    given = counts.sum(axis=1)
    unknown = np.full(len(given), np.nan)
    if not len(values):
        return ItemSpread(given, unknown, unknown, unknown, given)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = counts / given[:, None]
        agreement = (counts * (counts - 1)).sum(axis=1) / (given * (given - 1))
        entropy = np.where(counts > 0, shares * np.log2(1 / shares), 0.0).sum(axis=1)
    votes = counts.max(axis=1)
    alone = ((counts == votes[:, None]).sum(axis=1) == 1) & (votes > 0)
    most = np.where(alone, values[counts.argmax(axis=1)], np.nan)
    two = given >= 2
    return ItemSpread(given, np.where(two, agreement, np.nan), np.where(two, entropy, np.nan), most, votes)


def split_by_chance(answers: Floats) -> float:
    """Share of items on which raters would split who never look and give each answer as often as it was given.

    Two answers, each half of the time, three raters an item: all say the same in a quarter, so 0.75 are split.
    """
    counts, _ = answer_counts(answers)
    given, often = counts.sum(axis=1), counts.sum(axis=0) / counts.sum()
    alike = (often[None, :] ** given[given >= 2][:, None]).sum(axis=1)
    return float(1 - alike.mean())
