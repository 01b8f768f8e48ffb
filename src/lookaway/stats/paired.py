"""Two arms on the same tasks: how far apart they are, and whether chance explains it.

Every function takes one entry per pair, in any order, and gives numbers or the reason why nothing can be said.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, ndtr

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.intervals import scene_mean
from lookaway.stats.ranks import midranks

MOST_PATTERNS = 2**14  # of signs: all are tried up to here, beyond it some are drawn
BLOCKS, DRAWS_PER_BLOCK = 9, 1111  # 9,999 draws and what was observed make 10,000
MOST_EXACT = 50  # pairs; beyond, the signed-rank sum is as good as normal
SAME = 1e-12  # differences this close, relative to the largest, are rounding errors of one number


class Difference(NamedTuple):
    """A mean difference with its 95 % interval; no interval where every scene has the same."""

    value: float
    low: float | None
    high: float | None
    n: int
    scenes: int
    method: str


class Significance(NamedTuple):
    """How often chance alone would set the arms as far apart: small p, not chance."""

    p: float
    n: int
    method: str


class Discordance(NamedTuple):
    """Pairs that only one arm got right, and how often chance would divide them so unevenly."""

    p: float
    only_first: int
    only_second: int
    n: int
    method: str


def paired_difference(differences: Floats, scenes: NDArray[Any]) -> Difference | Abstain:
    """Mean of the differences with an interval over scenes; 0 inside it means the arms may be equal."""
    sums, counts = _scene_totals(differences, scenes)
    if reason := _why_silent(differences, len(sums)):
        return Abstain(reason)
    found = scene_mean(sums, counts)
    return Difference(found.value, found.low, found.high, len(differences), len(sums), found.method)


def sign_flip(differences: Floats, scenes: NDArray[Any]) -> Significance | Abstain:
    """Whether the mean difference stands out when whole scenes change the arms' names at random.

    For scene totals of 3, 1 and 1 two of the eight patterns, +++ and ---, reach the 5 that was observed: p = 0.25.
    """
    sums, _ = _scene_totals(differences, scenes)
    if reason := _why_silent(differences, len(sums)):
        return Abstain(reason)
    signed, all_of_them = _signed_sums(sums)
    hits = int((np.abs(signed) >= abs(float(np.sort(sums).sum())) - _rounding(sums)).sum())
    n, over = len(differences), f"sign-flip over {len(sums)} scenes"
    if all_of_them:
        return Significance(hits / len(signed), n, f"{over}, all {len(signed)} patterns")
    return Significance((hits + 1) / (len(signed) + 1), n, f"{over}, {len(signed)} patterns drawn")


def sign_flip_above(values: Floats) -> float:
    """One-sided, of one value for each scene: how often random signs bring the sum as high; 1 where all are 0.

    For 3, 1 and 1 one of the eight patterns, +++, reaches the 5 that was observed: 0.125.
    """
    if not values.any():
        return 1.0
    signed, all_of_them = _signed_sums(values)
    hits = int((signed >= float(np.sort(values).sum()) - _rounding(values)).sum())
    return hits / len(signed) if all_of_them else (hits + 1) / (len(signed) + 1)


def mcnemar(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> Discordance | Abstain:
    """Exact McNemar: the pairs that only one arm got right against a fair coin; takes pairs for independent."""
    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    unequal = only_first + only_second
    if not len(first):
        return Abstain("no pairs")
    if not unequal:
        return Abstain(f"both arms agree on all {len(first)} pairs")
    p = min(1.0, 2 * float(bdtr(min(only_first, only_second), unequal, 0.5)))
    return Discordance(p, only_first, only_second, len(first), f"exact McNemar, {unequal} of {len(first)} pairs differ")


def wilcoxon(differences: Floats) -> Significance | Abstain:
    """Wilcoxon's signed-rank test; takes pairs for independent.

    Zeros are ranked with the others and then left out (Pratt); equal sizes share their mean rank. The null distribution
    is exact, ties and zeros included, up to 50 pairs.
    """
    if reason := _why_silent(differences, 2):
        return Abstain(reason)
    scaled = np.round(differences / np.abs(differences).max() / SAME)  # whole numbers, or rounding errors break ties
    ranks, n = midranks(np.abs(scaled)), len(differences)
    positive, ranks = float(ranks[scaled > 0].sum()), ranks[scaled != 0]
    zeros = n - len(ranks)
    if n <= MOST_EXACT:
        p, how = _rank_sum_p(positive, ranks), "exact"
    else:
        far = abs(positive - float(ranks.sum()) / 2)
        p, how = 2 * float(ndtr(-2 * far / np.sqrt((ranks**2).sum()))), "normal approximation"
    return Significance(p, n, f"Wilcoxon signed-rank, {how}, {zeros} zeros by Pratt's rule")


def holm(p_values: Floats) -> Floats:
    """p-values of one family, adjusted by Holm so that the chance of any false alarm keeps its level.

    [0.01, 0.04, 0.03, 0.005] -> [0.03, 0.06, 0.06, 0.02]
    """
    order = np.argsort(p_values, kind="stable")
    raised = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def _why_silent(differences: Floats, scenes: int) -> str:
    if not len(differences):
        return "no pairs"
    if not differences.any():
        return f"both arms are equal in all {len(differences)} pairs"
    return "all pairs are of one scene" if scenes < 2 else ""


def _scene_totals(differences: Floats, scenes: NDArray[Any]) -> tuple[Floats, Floats]:
    """Each scene's sum and number of pairs, the same to the last bit in any order of pairs."""
    order = np.argsort(differences, kind="stable")
    names, place = np.unique(scenes[order], return_inverse=True)
    sums = np.bincount(place, differences[order], len(names)).astype(np.float64)
    return sums, np.bincount(place, minlength=len(names)).astype(np.float64)


def _signed_sums(values: Floats) -> tuple[Floats, bool]:
    """The sums under every pattern of signs, or under drawn ones where there are too many; and which of the two."""
    sizes = np.sort(np.abs(values))
    sizes = sizes[sizes > SAME * sizes[-1]]  # the sign of nothing is nothing
    few = 2 ** len(sizes) <= MOST_PATTERNS
    return (_all_signed_sums(sizes) if few else _drawn_signed_sums(sizes)), few


def _rounding(values: Floats) -> float:
    return SAME * float(np.sort(np.abs(values)).sum())


def _all_signed_sums(sizes: Floats) -> Floats:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _drawn_signed_sums(sizes: Floats) -> Floats:
    """Sums under drawn signs; the signs depend on the number of sizes alone."""
    source, many = np.random.PCG64([1, len(sizes)]), DRAWS_PER_BLOCK * len(sizes)
    sums = []
    for _ in range(BLOCKS):
        bits = np.unpackbits(source.random_raw(-(-many // 64)).view(np.uint8), count=many)
        sums.append(2 * (bits.reshape(DRAWS_PER_BLOCK, -1) @ sizes) - sizes.sum())
    return np.concatenate(sums)


def _rank_sum_p(positive: float, ranks: Floats) -> float:
    """Two-sided, from the chance of every possible sum of positive ranks; in half ranks, which are whole numbers."""
    chances = np.ones(1)
    for twice in np.rint(2 * ranks).astype(int):
        chances = (np.pad(chances, (0, twice)) + np.pad(chances, (twice, 0))) / 2
    seen = round(2 * positive)
    return min(1.0, 2 * float(min(chances[: seen + 1].sum(), chances[seen:].sum())))
