"""Scores of a judge turned into probabilities that people say yes, learned on some scenes and used on others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.rates import RateInterval, wilson

ONE_CLASS = "people say the same of every item: nothing can be learned"
FLATTEST = 1e-10  # Newton's steps below this have come to rest
STEPS = 100

Probability = Callable[[Floats], Floats]
Learner = Callable[[Floats, Floats], Probability]  # from scores and answers of 0 or 1


def isotonic(scores: Floats, answers: Floats) -> Probability:
    """The best rising steps (pool adjacent violators); between two learned scores it goes straight.

    Scores 1, 2, 3 with answers 0, 1, 0 -> 0, 0.5, 0.5.
    """
    at, places = np.unique(scores, return_inverse=True)
    weights = np.bincount(places).astype(float)
    pools: list[tuple[float, float, int]] = []  # level, weight, how many scores
    for level, weight in zip(np.bincount(places, answers) / weights, weights, strict=True):
        pool = (float(level), float(weight), 1)
        while pools and pools[-1][0] >= pool[0]:
            before = pools.pop()
            both = before[1] + pool[1]
            pool = ((before[0] * before[1] + pool[0] * pool[1]) / both, both, before[2] + pool[2])
        pools.append(pool)
    levels = np.repeat([pool[0] for pool in pools], [pool[2] for pool in pools])
    return lambda new: np.interp(new, at, levels)


def platt(scores: Floats, answers: Floats) -> Probability:
    """A logistic curve over the score; its targets are drawn in a little (Platt 1999): it is never quite sure."""
    yes, no = answers.sum(), len(answers) - answers.sum()
    targets = np.where(answers > 0.5, (yes + 1) / (yes + 2), 1 / (no + 2))
    middle, spread = float(scores.mean()), float(scores.std()) or 1.0
    terms = np.column_stack([np.ones(len(scores)), (scores - middle) / spread])
    curve = np.zeros(2)
    for _ in range(STEPS):
        said = expit(terms @ curve)
        bend = terms.T @ (terms * (said * (1 - said))[:, None]) + FLATTEST * np.eye(2)
        step = np.linalg.solve(bend, terms.T @ (targets - said))
        curve += step
        if np.abs(step).max() < FLATTEST:
            break
    return lambda new: np.asarray(expit(curve[0] + curve[1] * (new - middle) / spread))


def held_out(scores: Floats, answers: Floats, scenes: NDArray[Any], learner: Learner) -> Floats | Abstain:
    """The probability of every item, learned on all other scenes."""
    if len(np.unique(answers)) < 2:
        return Abstain(ONE_CLASS)
    found = np.empty(len(scores))
    for scene in np.unique(scenes):
        here = scenes == scene
        if len(np.unique(answers[~here])) < 2:
            return Abstain("without one scene people say the same of every item: nothing can be learned")
        found[here] = learner(scores[~here], answers[~here])(scores[here])
    return found


def brier(probabilities: Floats, answers: Floats) -> float:
    """Mean squared distance of what was said from what people say; 0 is perfect, 0.25 that of a constant half."""
    return float(((probabilities - answers) ** 2).mean())


class Answered(NamedTuple):
    """If only the surest items are answered: how sure one must be, their share of all, and how often they are right."""

    sureness: float
    coverage: float
    right: RateInterval


def abstention_curve(probabilities: Floats, answers: Floats) -> list[Answered]:
    """From the surest items to all of them; a judge worth its doubts is right more often the less it answers."""
    sureness = np.abs(probabilities - 0.5)
    right = (probabilities > 0.5) == (answers > 0.5)
    return [
        Answered(float(least + 0.5), float(kept.mean()), wilson(int(right[kept].sum()), int(kept.sum())))
        for least in np.unique(sureness)[::-1]
        for kept in [sureness >= least]
    ]
