"""Power and variance parts: equal to statsmodels, to hand-worked values, and to how often simulated tests succeed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ttest_1samp
from statsmodels.regression.mixed_linear_model import MixedLM
from statsmodels.stats.power import TTestPower

from lookaway.stats.power import assumed_parts, power, resolution, scenes_needed, seeds_needed
from lookaway.stats.variance import VarianceParts, variance_parts

PARTS = VarianceParts(scene=0.02, task=0.05, seed=0.08, scenes=20, tasks=80, n=240)


@pytest.mark.parametrize("scenes", [4, 25, 154])
@pytest.mark.parametrize("effect", [0.05, 0.1, 0.25])
def test_power_is_that_of_statsmodels(scenes: int, effect: float) -> None:
    spread = 0.4
    expected = TTestPower().power(effect / spread, scenes, 0.05)
    assert power(effect, spread**2 / scenes, scenes) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("scenes", [8, 36])
def test_the_resolution_is_found_with_four_chances_in_five(scenes: int) -> None:
    floor = resolution(0.09 / scenes, scenes)
    assert floor is not None
    assert floor == pytest.approx(0.3 * TTestPower().solve_power(None, scenes, 0.05, 0.8), rel=1e-4)
    assert resolution(0.1, 1) is None


def test_scenes_and_seeds_that_are_needed_are_the_fewest() -> None:
    scenes = scenes_needed(0.1, PARTS, tasks_per_scene=4)
    assert scenes is not None
    assert power(0.1, PARTS.of_mean(scenes, 4, 1), scenes) >= 0.8
    assert power(0.1, PARTS.of_mean(scenes - 1, 4, 1), scenes - 1) < 0.8
    seeds = seeds_needed(0.1, PARTS, scenes=30, tasks_per_scene=4)
    assert seeds is not None
    assert power(0.1, PARTS.of_mean(30, 4, seeds), 30) >= 0.8
    assert seeds == 1 or power(0.1, PARTS.of_mean(30, 4, seeds - 1), 30) < 0.8


def test_no_number_of_seeds_makes_up_for_too_few_scenes() -> None:
    assert seeds_needed(0.05, PARTS, scenes=5, tasks_per_scene=4) is None
    assert seeds_needed(0.5, PARTS._replace(n=80), scenes=30, tasks_per_scene=4) is None, "seeds were never told apart"


def test_a_quarter_of_points_for_25_scenes_of_one_task_each() -> None:
    """A right-or-wrong score with a fifth of discordant pairs, as docs/power.md has it."""
    floor = resolution(assumed_parts().of_mean(25, 1, 1), 25)
    assert floor == pytest.approx(0.26, abs=0.01)


def drawn(rng: np.random.Generator, scenes: int, tasks: int, seeds: int) -> tuple[NDArray[np.float64], ...]:
    """Values, scene and task of every clip, with the parts of PARTS."""
    scene, task = np.repeat(np.arange(scenes), tasks * seeds), np.repeat(np.arange(scenes * tasks), seeds)
    values = np.sqrt(PARTS.scene) * rng.standard_normal(scenes)[scene]
    values += np.sqrt(PARTS.task) * rng.standard_normal(scenes * tasks)[task]
    return values + np.sqrt(PARTS.seed) * rng.standard_normal(len(task)), scene, task


def test_the_parts_are_found_again() -> None:
    rng = np.random.default_rng(0)
    found = [variance_parts(*drawn(rng, 20, 4, 3)) for _ in range(400)]
    for name, true in (("scene", PARTS.scene), ("task", PARTS.task), ("seed", PARTS.seed)):
        assert np.mean([getattr(one, name) for one in found]) == pytest.approx(true, rel=0.08), name
    assert found[0].tells_seeds
    assert np.mean([one.correlation for one in found]) == pytest.approx(0.02 / 0.07, abs=0.06)


def test_the_parts_are_those_of_a_mixed_model() -> None:
    """On equal sizes, where no part is 0, analysis of variance and REML agree."""
    values, scene, task = drawn(np.random.default_rng(3), 30, 4, 3)
    ours = variance_parts(values, scene, task)
    means = np.array([values[task == one].mean() for one in np.unique(task)])
    of_task = np.array([scene[task == one][0] for one in np.unique(task)])
    fitted = MixedLM(means, np.ones((len(means), 1)), groups=of_task).fit(reml=True)
    assert ours.scene == pytest.approx(float(fitted.cov_re[0, 0]), rel=1e-3)
    assert ours.task + ours.seed / 3 == pytest.approx(float(fitted.scale), rel=1e-3)


def test_unequal_sizes_are_not_biased() -> None:
    rng, found = np.random.default_rng(5), []
    for _ in range(400):
        values, scene, task = drawn(rng, 20, 4, 3)
        kept = rng.random(len(values)) < 0.6
        found.append(variance_parts(values[kept], scene[kept], task[kept]))
    assert np.mean([one.scene for one in found]) == pytest.approx(PARTS.scene, rel=0.1)
    assert np.mean([one.seed for one in found]) == pytest.approx(PARTS.seed, rel=0.05)


def test_one_clip_a_task_counts_seeds_as_tasks() -> None:
    values, scene, task = drawn(np.random.default_rng(1), 200, 4, 1)
    found = variance_parts(values, scene, task)
    assert not found.tells_seeds
    assert found.seed == 0
    assert found.task == pytest.approx(PARTS.task + PARTS.seed, rel=0.15)


def test_the_chance_to_find_a_difference_is_as_promised() -> None:
    rng, scenes, hits, runs = np.random.default_rng(2), 12, 0, 1500
    effect = resolution(PARTS.of_mean(scenes, 4, 3), scenes)
    assert effect is not None
    for _ in range(runs):
        values, _, _ = drawn(rng, scenes, 4, 3)
        hits += ttest_1samp(values.reshape(scenes, -1).mean(axis=1) + effect, 0.0).pvalue < 0.05
    assert hits / runs == pytest.approx(0.8, abs=0.03)
