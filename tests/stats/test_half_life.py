"""Half-life of a falling share: against isotonic regression, by hand, censored, and how often its interval is right."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from lookaway.stats.half_life import HalfLife, half_life

DOSES = 0.5 * 16 ** (np.arange(12) / 11)
SCENES = 8


def ladder(scenes: int = SCENES) -> NDArray[np.float64]:
    """Doses (scenes, 12), each scene a little off the others."""
    return np.asarray(DOSES * 16 ** ((np.arange(scenes)[:, None] % 8 / 8 - 0.5) / 11))


def found(doses: NDArray[np.float64], right: NDArray[np.bool_]) -> HalfLife:
    scene = np.repeat(np.arange(len(doses)), doses.shape[1])
    return half_life(doses.ravel(), right.ravel(), scene)


@pytest.mark.parametrize("ends_s", [0.75, 1.0, 1.5, 3.0])
def test_a_sharp_end_is_found_between_its_neighbours(ends_s: float) -> None:
    doses = ladder()
    one = found(doses, doses <= ends_s)
    last, first = doses[doses <= ends_s].max(), doses[doses > ends_s].min()
    assert one.value == pytest.approx(np.sqrt(last * first))
    assert one.low is not None
    assert one.high is not None
    assert one.low <= last < first <= one.high


def test_the_crossing_is_that_of_isotonic_regression() -> None:
    """scipy fits the curve; ours never does."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        right = rng.random((SCENES, 12)) < 1 / (1 + (DOSES / 2) ** 2)
        one = found(np.tile(DOSES, (SCENES, 1)), right)
        fitted = isotonic_regression(right.mean(axis=0), increasing=False).x
        above, below = DOSES[fitted > 0.5 + 1e-9], DOSES[fitted < 0.5 - 1e-9]
        if len(above) and len(below):
            assert one.value == pytest.approx(np.sqrt(above[-1] * below[0]))
        else:
            assert one.value is None


def test_beyond_the_doses_there_is_no_number() -> None:
    doses = ladder()
    forgets, keeps = found(doses, np.zeros(doses.shape, bool)), found(doses, np.ones(doses.shape, bool))
    assert (forgets.value, forgets.beyond, forgets.low, forgets.high) == (None, "below", None, doses.min())
    assert (keeps.value, keeps.beyond, keeps.low, keeps.high) == (None, "above", doses.max(), None)


def test_nothing_that_falls_is_beyond_both_ends() -> None:
    one = half_life(np.array([1.0, 1.0]), np.array([True, False]), np.array(["a", "b"]))
    assert (one.value, one.beyond, one.low, one.high) == (None, "either side of", None, None)


def test_one_scene_gives_its_bracket_and_says_so() -> None:
    one = half_life(np.array([1.0, 2.0]), np.array([True, False]), np.array(["a", "a"]))
    assert (one.low, one.high) == (1.0, 2.0)
    assert "too few scenes" in one.method


def test_an_end_that_some_scenes_do_not_reach_is_left_open() -> None:
    doses = ladder()
    ends_s = np.array([1.0, 1.5, 2.0, 3.0, 5.0, 99.0, 99.0, 99.0])
    one = found(doses, doses <= ends_s[:, None])
    assert one.value is not None
    assert one.low is not None
    assert one.high is None


@pytest.mark.parametrize(("between", "slope"), [(0.3, 0.0), (0.0, 0.3), (0.4, 0.3)])
def test_the_interval_holds_the_true_half_life(between: float, slope: float) -> None:
    """Nominally 95 in 100; scenes that differ, clips that differ, and both."""
    rng, doses, runs = np.random.default_rng(1), ladder(), 400
    hits = 0
    for _ in range(runs):
        ends_s = 2.0 * np.exp(between * rng.standard_normal(SCENES))
        ahead = np.log(ends_s)[:, None] - np.log(doses)
        one = found(doses, ahead + slope * rng.logistic(size=doses.shape) / 1.7 > 0)
        hits += (one.low or 0.0) <= 2.0 <= (one.high or np.inf)
    assert 0.92 <= hits / runs <= 0.99
