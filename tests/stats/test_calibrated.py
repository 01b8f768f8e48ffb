"""Probabilities learned from people beside scikit-learn's, and never from the scene they are used on."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from lookaway.outcomes import Abstain
from lookaway.stats.calibrated import Learner, abstention_curve, brier, held_out, isotonic, platt


def overconfident(items: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A judge that says 0 or 1 nearly always, where people say yes between 0.2 and 0.8."""
    rng = np.random.default_rng(1)
    truth = rng.uniform(0.2, 0.8, items)
    answers = (rng.random(items) < truth).astype(float)
    scores = np.clip(0.5 + (truth - 0.5) * 1.6 + rng.normal(0, 0.02, items), 0, 1)
    return scores, answers, np.arange(items) // 10


def test_steps_are_scikit_learns() -> None:
    reference = IsotonicRegression(out_of_bounds="clip")
    scores, answers, _ = overconfident()
    new = np.linspace(-0.2, 1.2, 57)
    assert isotonic(scores, answers)(new) == pytest.approx(reference.fit(scores, answers).predict(new), abs=1e-9)


def test_steps_pool_what_falls() -> None:
    assert isotonic(np.array([1.0, 2, 3]), np.array([0.0, 1, 0]))(np.array([1.0, 2, 3])) == pytest.approx([0, 0.5, 0.5])


def test_the_curve_has_the_least_loss() -> None:
    """No other straight line of log odds fits Platt's targets better."""
    scores, answers, _ = overconfident(60)
    yes, no = answers.sum(), len(answers) - answers.sum()
    targets = np.where(answers > 0.5, (yes + 1) / (yes + 2), 1 / (no + 2))

    def loss(probabilities: np.ndarray) -> float:
        return float(-(targets * np.log(probabilities) + (1 - targets) * np.log(1 - probabilities)).sum())

    best = platt(scores, answers)(scores)
    odds = np.log(best / (1 - best))
    nearby = [odds + a + b * scores for a in (-0.01, 0, 0.01) for b in (-0.01, 0.01)]
    assert all(loss(best) < loss(1 / (1 + np.exp(-line))) for line in nearby)


@pytest.mark.parametrize("learner", [isotonic, platt])
def test_an_overconfident_judge_is_calmed(learner: Learner) -> None:
    scores, answers, scenes = overconfident()
    calm = held_out(scores, answers, scenes, learner)
    assert not isinstance(calm, Abstain)
    assert brier(calm, answers) < brier(scores, answers)


def test_a_scene_does_not_teach_itself() -> None:
    scores, answers, scenes = overconfident(40)
    before = held_out(scores, answers, scenes, platt)
    changed = answers.copy()
    changed[scenes == 2] = 1 - changed[scenes == 2]
    after = held_out(scores, changed, scenes, platt)
    assert not isinstance(before, Abstain)
    assert not isinstance(after, Abstain)
    assert np.array_equal(before[scenes == 2], after[scenes == 2])
    assert not np.array_equal(before, after)


def test_nothing_is_learned_of_one_answer() -> None:
    assert isinstance(held_out(np.arange(4.0), np.ones(4), np.arange(4), platt), Abstain)


def test_a_judge_that_knows_its_doubts_is_right_more_often_the_less_it_answers() -> None:
    scores, answers, _ = overconfident(4000)
    curve = abstention_curve(scores, answers)
    assert [one.coverage for one in curve] == sorted(one.coverage for one in curve)
    assert curve[-1].coverage == 1.0
    half = next(one for one in curve if one.coverage >= 0.3)
    assert half.right.low > curve[-1].right.value
