"""Intervals of numbers made of totals: those of a mean are the known ones, and ratios are covered."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.stats.intervals import scene_mean
from lookaway.stats.jackknife import Floats, jackknifed


def ratio(totals: Floats) -> float:
    return float(totals[0] / totals[1]) if totals[1] > 0 else float("nan")


def test_a_mean_has_the_interval_that_means_have() -> None:
    sums = np.random.default_rng(0).normal(0.5, 0.2, 12)
    found, known = jackknifed(np.stack([sums, np.ones(12)], 1), ratio), scene_mean(sums, np.ones(12))
    assert found is not None
    assert found[:3] == pytest.approx(known[:3])


def test_a_ratio_of_rates_is_covered_about_as_often_as_promised() -> None:
    """Left 0.2 and right 0.4 on 25 scenes of eight clips each: the ratio 0.5 lies inside in 92 to 98 of 100."""
    rng, inside = np.random.default_rng(1), []
    for _ in range(400):
        left, right = rng.binomial(8, 0.2, 25).astype(float), rng.binomial(8, 0.4, 25).astype(float)
        found = jackknifed(np.stack([left, right], 1), ratio)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        inside.append(found.low <= 0.5 <= found.high)
    assert 0.92 <= np.mean(inside) <= 0.98


def test_what_hangs_on_one_scene_has_no_interval_and_what_has_no_value_none() -> None:
    lonely = jackknifed(np.array([[1.0, 2.0], [0.0, 0.0]]), ratio)
    assert lonely is not None
    assert (lonely.value, lonely.low, lonely.method) == (0.5, None, "hangs on a single scene")
    assert jackknifed(np.zeros((3, 2)), ratio) is None


def test_the_order_of_scenes_does_not_matter() -> None:
    rows = np.random.default_rng(2).random((9, 2)) + 0.1
    assert jackknifed(rows, ratio) == jackknifed(rows[::-1], ratio)
