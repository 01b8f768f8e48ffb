"""How sure an order of systems is: where each may rank, who cannot be told apart, and on how few scenes it hangs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from lookaway.stats.bootstrap_t import LEVEL, Floats
from lookaway.stats.paired import holm
from lookaway.stats.scene_draws import scene_weights

Ints = NDArray[np.int64]
BLOCK = 500  # draws at a time: their means stay in the processor's own memory


class RankIntervals(NamedTuple):
    """Ranks from 1, the highest mean first; arrays of systems, or of systems by metrics."""

    rank: Ints
    low: Ints
    high: Ints


def rank_intervals(sums: Floats, counts: Floats, draws: int = 1000) -> RankIntervals:
    """From each scene's sum and number of rows, arrays of scenes by systems or scenes by systems by metrics.

    Scenes are drawn with replacement, for all systems alike; a rank is 1 and how many have a larger mean. The interval
    is the central 95 % of the drawn ranks.
    """
    scenes, shape = len(sums), sums.shape[1:]
    flat = np.concatenate([sums.reshape(scenes, -1), counts.reshape(scenes, -1)], axis=1)
    weights = scene_weights(scenes, draws)
    ranks = np.empty((draws, *shape), np.int16)
    for start in range(0, draws, BLOCK):
        drawn = weights[start : start + BLOCK] @ flat
        ranks[start : start + BLOCK] = _ranks(drawn, shape)
    tail = int((1 - LEVEL) / 2 * draws)
    ordered = np.partition(ranks, (tail, draws - 1 - tail), axis=0)
    own = _ranks(flat.sum(axis=0, keepdims=True), shape)[0]
    return RankIntervals(*(part.astype(np.int64) for part in (own, ordered[tail], ordered[-1 - tail])))


def _ranks(drawn: Floats, shape: tuple[int, ...]) -> NDArray[np.int16]:
    """Of every draw, a row of sums and then of numbers of rows; equal means share the better rank, none comes last."""
    sums, counts = np.split(drawn, 2, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(counts > 0, sums / counts, -np.inf).reshape(-1, *shape)
    order = np.argsort(-means, axis=1, kind="stable")
    sorted_means = np.take_along_axis(means, order, axis=1)
    place = np.arange(1, shape[0] + 1).reshape(1, -1, *(1,) * (len(shape) - 1))
    new = np.ones_like(sorted_means, bool)
    new[:, 1:] = sorted_means[:, 1:] < sorted_means[:, :-1]
    first = np.maximum.accumulate(np.where(new, place, 0), axis=1).astype(np.int16)
    ranks = np.empty_like(first)
    np.put_along_axis(ranks, order, first, axis=1)
    return ranks


def tie_groups(sums: Floats, counts: Floats) -> list[tuple[int, ...]]:
    """Systems, best first, in the largest groups within which no pair differs; a system may be in several.

    Pairs are tested by t over scenes on the difference of their means, all pairs corrected by Holm at 5 %.
    """
    means = sums.sum(axis=0) / counts.sum(axis=0)
    order = np.argsort(-means, kind="stable")
    differs = _differs(sums[:, order], counts[:, order])
    ends: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and not differs[first : last + 1, last + 1].any():
            last += 1
        if not ends or last > ends[-1][1]:
            ends.append((first, last))
    return [tuple(int(system) for system in order[first : last + 1]) for first, last in ends]


def _differs(sums: Floats, counts: Floats) -> NDArray[np.bool_]:
    scenes, systems = sums.shape
    totals = counts.sum(axis=0)
    means = sums.sum(axis=0) / totals
    off = (sums - means * counts) / totals
    first, second = np.triu_indices(systems, 1)
    if not len(first) or scenes < 2:
        return np.zeros((systems, systems), bool)
    error = np.sqrt(scenes / (scenes - 1) * ((off[:, first] - off[:, second]) ** 2).sum(axis=0))
    gap = np.abs(means[first] - means[second])
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(error > 0, gap / error, np.where(gap > 0, np.inf, 0.0))
    significant = holm(2 * stdtr(scenes - 1, -t)) < 1 - LEVEL
    found = np.zeros((systems, systems), bool)
    found[first, second] = found[second, first] = significant
    return found


def fewest_scenes(differences: Floats, scenes: NDArray[Any]) -> tuple[str, ...] | None:
    """The smallest set of scenes without which the mean difference is no longer positive; None if it never was.

    Without some scenes, the sum of what is left decides; so the scenes with the largest sums go first.
    [3, 1, -2] in three scenes -> the first
    """
    names, scene = np.unique(scenes, return_inverse=True)
    sums = np.bincount(scene, differences)
    total = float(sums.sum())
    if total <= 0:
        return None
    removed = []
    for place in np.argsort(-sums, kind="stable"):
        if total <= 1e-12:
            break
        removed.append(str(names[place]))
        total -= float(sums[place])
    return tuple(removed)
