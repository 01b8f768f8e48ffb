"""Few labels and a judge's answers to everything."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.outcomes import Abstain
from lookaway.stats.prediction_powered import PredictionPowered, prediction_powered

RATE = 0.6


def study(
    rng: np.random.Generator, right: float, bias: float = 0.0, labelled: int = 30, others: int = 300, each: int = 3
) -> PredictionPowered | Abstain:
    """People say yes in 0.6 of all, in scenes that differ; a judge says what they say so often, else a coin's side."""
    scenes = np.repeat(np.arange(labelled + others), each)
    rates = np.clip(RATE + rng.uniform(-0.3, 0.3, labelled + others), 0, 1)[scenes]
    people = (rng.random(len(scenes)) < rates).astype(float)
    judge = np.where(rng.random(len(scenes)) < right, people, rng.random(len(scenes)) < 0.5 + bias).astype(float)
    cut = labelled * each
    return prediction_powered(people[:cut], judge[:cut], scenes[:cut], judge[cut:], scenes[cut:])


def held(found: PredictionPowered | Abstain) -> PredictionPowered:
    assert isinstance(found, PredictionPowered)
    return found


def test_a_good_judge_saves_labels() -> None:
    found = held(study(np.random.default_rng(0), right=0.9))
    assert found.labels_saved is not None
    assert found.labels_saved > 0.3
    assert found.lean > 0.5


def test_a_judge_that_tells_nothing_costs_nothing() -> None:
    found = [held(study(np.random.default_rng(seed), right=0.0)) for seed in range(40)]
    assert np.mean([one.lean for one in found]) < 0.15
    assert np.mean([one.labels_saved for one in found]) > -0.02  # type: ignore[arg-type]


def test_a_biased_judge_does_not_move_the_mean() -> None:
    found = [held(study(np.random.default_rng(seed), right=0.5, bias=0.5)).helped.value for seed in range(200)]
    assert np.mean(found) == pytest.approx(RATE, abs=0.01)


def test_labels_must_be_of_whole_scenes() -> None:
    with pytest.raises(ValueError, match="label whole scenes"):
        prediction_powered(np.ones(2), np.ones(2), np.arange(2), np.ones(2), np.array([1, 2]))


def test_few_scenes_tell_nothing() -> None:
    assert isinstance(study(np.random.default_rng(0), right=0.9, labelled=4), Abstain)
