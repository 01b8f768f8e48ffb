"""Thresholds, areas under ROC and the two halves, by hand and by law."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from lookaway.calibration.thresholds import auc, badness, halves, threshold
from tests.calibration.graded import a_metric

NUMBERS = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=40).map(np.array)


def test_badness_grows_away_from_the_best_value() -> None:
    values = np.array([0.0, 0.95, 1.0, 1.5])
    assert badness(values, a_metric(better="lower")).tolist() == [0.0, 0.95, 1.0, 1.5]
    assert badness(values, a_metric(better="one")).tolist() == [1.0, 0.05, 0.0, 0.5]
    assert badness(values[:3], a_metric(better="higher", range=(0.0, 1.0))).tolist() == [1.0, 0.05, 0.0]
    assert badness(values, a_metric(better="higher"), usual=1.5).tolist() == [1.5, 0.55, 0.5, 0.0]
    assert badness(values, a_metric(better="lower", range=(-1.0, 2.0))).tolist() == [1.0, 1.95, 2.0, 2.5]


def test_a_threshold_is_exceeded_by_one_in_twenty() -> None:
    calm = np.arange(20.0)
    assert threshold(calm, 0.0) == 18.0  # 19 alone exceeds it: 1 of 20
    assert threshold(np.arange(19.0), 0.0) == 18.0  # of 19 none may
    assert threshold(calm, 30.0) == 30.0  # the margin stands


def test_a_metric_that_cries_wolf_too_often_gets_a_threshold_nothing_exceeds() -> None:
    """With 0 and 1 there is nothing between: 2 wolves of 20 are too many, and the threshold becomes 1."""
    assert threshold(np.array([1.0] * 2 + [0.0] * 18), 0.0) == 1.0
    assert threshold(np.array([1.0] * 1 + [0.0] * 19), 0.0) == 0.0


def test_auc_by_hand() -> None:
    # 3 beats all four; 1 beats 0 and ties with one of two 1s each half: (4 + 1 + 1) / 8
    assert auc(np.array([3.0, 1.0]), np.array([0.0, 1.0, 1.0, 2.0])) == pytest.approx((4 + 1 + 2 * 0.5) / 8)
    assert auc(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 0.5
    assert auc(np.array([-np.inf]), np.array([0.0, 1.0])) == 0.0


@given(NUMBERS, NUMBERS)
def test_auc_is_the_normalised_mann_whitney_u(bad: np.ndarray, calm: np.ndarray) -> None:
    assert auc(bad, calm) == pytest.approx(stats.mannwhitneyu(bad, calm).statistic / (len(bad) * len(calm)))


@given(NUMBERS, NUMBERS, st.integers(-20, 20))
def test_auc_does_not_see_a_shift_of_both(bad: np.ndarray, calm: np.ndarray, shift: int) -> None:
    assert auc(bad + shift, calm + shift) == auc(bad, calm)
    assert auc(bad, calm) + auc(calm, bad) == pytest.approx(1.0)


@given(NUMBERS, st.integers(0, 60).map(float))
def test_a_threshold_keeps_its_promise_and_is_the_smallest_that_does(calm: np.ndarray, margin: float) -> None:
    found = threshold(calm, margin)
    assert (calm > found).mean() <= 0.05
    assert found >= margin
    assert found == margin or (calm >= found).mean() > 0.05


def test_halves_alternate_by_name() -> None:
    assert halves(["street", "beach", "garden", "beach", "kitchen"]) == (("beach", "kitchen"), ("garden", "street"))
    assert halves(["beach"]) == (("beach",), ())
