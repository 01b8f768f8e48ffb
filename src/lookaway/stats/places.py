"""Ranks that say how sure they are: who is told apart from whom decides the best and the worst place of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.paired import Significance, holm, sign_flip

LEVEL = 0.05


class PossiblePlaces(NamedTuple):
    """Places from `best` to `worst`, 1 being first; systems of one tie group are not told apart from its first."""

    best: int
    worst: int
    tie_group: int


def possible_places(badness: Sequence[Floats], scenes: NDArray[Any]) -> list[PossiblePlaces]:
    """Of systems that met the same tasks; one array each, lower is better, NaN where there is no number.

    Every two are compared over the tasks that both have a number for, by sign flips of whole scenes, with Holm's
    correction over all pairs. A system's best place is one behind those that beat it, its worst before those it beats.
    """
    beaten_by = _beaten_by(badness, scenes)
    means = [float(np.nanmean(one)) if np.isfinite(one).any() else np.inf for one in badness]
    groups = _tie_groups(means, beaten_by)
    many = len(badness)
    return [
        PossiblePlaces(1 + int(beaten_by[k].sum()), many - int(beaten_by[:, k].sum()), groups[k]) for k in range(many)
    ]


def _beaten_by(badness: Sequence[Floats], scenes: NDArray[Any]) -> NDArray[np.bool_]:
    """[k, j]: k is significantly worse than j."""
    many = len(badness)
    pairs = [(k, j) for k in range(many) for j in range(k)]
    differences = [badness[k] - badness[j] for k, j in pairs]
    p_values = holm(np.array([_p(one, scenes) for one in differences])) if pairs else np.zeros(0)
    beaten = np.zeros((many, many), bool)
    for (k, j), one, p in zip(pairs, differences, p_values, strict=True):
        if p < LEVEL:
            worse = float(np.nanmean(one)) > 0
            beaten[k, j], beaten[j, k] = worse, not worse
    return beaten


def _p(differences: Floats, scenes: NDArray[Any]) -> float:
    known = np.isfinite(differences)
    tested = sign_flip(differences[known], scenes[known])
    return tested.p if isinstance(tested, Significance) else 1.0


def _tie_groups(means: Sequence[float], beaten_by: NDArray[np.bool_]) -> list[int]:
    """From the best down: a new group begins with the first that the group's first member beats."""
    groups, number, first = [0] * len(means), 0, -1
    for k in sorted(range(len(means)), key=lambda k: (means[k], k)):
        if first < 0 or beaten_by[k, first]:
            number, first = number + 1, k
        groups[k] = number
    return groups
