"""Correlations: values against scipy, intervals by hand, against scipy and in simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.correlations import Correlation, kendall, pearson, spearman

Coefficient = Callable[[Floats, Floats], Correlation | Abstain]

ALL = pytest.mark.parametrize("coefficient", [pearson, spearman, kendall])


def told(found: Correlation | Abstain) -> Correlation:
    assert isinstance(found, Correlation), found
    return found


def points(n: int, rho: float, seed: int = 0) -> tuple[Floats, Floats]:
    rng = np.random.default_rng([n, seed])
    x, noise = rng.normal(size=(2, n))
    return x, rho * x + np.sqrt(1 - rho**2) * noise


@pytest.mark.parametrize("is_tied", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs"), [(pearson, stats.pearsonr), (spearman, stats.spearmanr), (kendall, stats.kendalltau)]
)
def test_values_are_scipys(ours: Coefficient, theirs: Callable[..., tuple[float, float]], is_tied: bool) -> None:
    for seed in range(5):
        x, y = points(30, 0.5, seed)
        if is_tied:
            x, y = np.round(x), np.round(y)
        found = told(ours(x, y))
        assert found.value == pytest.approx(theirs(x, y)[0])
        assert found.n == 30


def test_pearsons_interval_is_scipys() -> None:
    x, y = points(28, 0.5)
    found = told(pearson(x, y))
    assert (found.low, found.high) == pytest.approx(tuple(stats.pearsonr(x, y).confidence_interval()))


def interval_at(value: float, variance: float) -> tuple[float, float]:
    half = 1.959964 * variance**0.5
    return float(np.tanh(np.arctanh(value) - half)), float(np.tanh(np.arctanh(value) + half))


def test_intervals_by_hand() -> None:
    # Ranks 1 2 3 4 5 against 2 1 4 3 5: Spearman 1 - 6 * 4 / (5 * 24) = 0.8; 8 pairs agree and 2 do not, Kendall 0.6.
    x, y = np.array([10.0, 20.0, 30.0, 40.0, 50.0]), np.array([2.0, 1.0, 4.0, 3.0, 5.0])
    rho, tau = told(spearman(x, y)), told(kendall(x, y))
    assert (rho.value, tau.value) == pytest.approx((0.8, 0.6))
    assert (rho.low, rho.high) == pytest.approx(interval_at(0.8, (1 + 0.8**2 / 2) / 2), rel=1e-6)
    assert (tau.low, tau.high) == pytest.approx(interval_at(0.6, 0.437), rel=1e-6)


@ALL
def test_a_planted_correlation_is_found_and_a_null_is_not(coefficient: Coefficient) -> None:
    found, nothing = told(coefficient(*points(60, 0.7))), told(coefficient(*points(60, 0.0)))
    assert found.low is not None
    assert found.low > 0.2
    assert nothing.low is not None
    assert nothing.high is not None
    assert nothing.low < 0 < nothing.high


@pytest.mark.parametrize("n", [12, 40])
@pytest.mark.parametrize("rho", [0.0, 0.6])
@pytest.mark.parametrize(
    ("coefficient", "truth"),
    [
        (pearson, lambda rho: rho),
        (spearman, lambda rho: 6 / np.pi * np.arcsin(rho / 2)),
        (kendall, lambda rho: 2 / np.pi * np.arcsin(rho)),
    ],
    ids=["pearson", "spearman", "kendall"],
)
def test_intervals_hold_the_truth(
    coefficient: Coefficient, truth: Callable[[float], float], rho: float, n: int
) -> None:
    """93 to 97 in 100, and 2 either way for three standard errors of 1,000; truths are those of a normal pair."""
    held = 0
    for seed in range(1000):
        found = told(coefficient(*points(n, rho, seed)))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth(rho) <= found.high
    assert 910 <= held <= 990


@ALL
def test_perfect_agreement_claims_no_certainty(coefficient: Coefficient) -> None:
    x = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.7])
    for sign in (1, -1):
        found = told(coefficient(x, sign * 3 * x))
        assert found.value == pytest.approx(sign)
        assert (found.low, found.high) == (None, None)
        assert found.method.endswith(f"no interval at {sign:+d}")


@ALL
def test_the_order_of_points_changes_no_bit(coefficient: Coefficient) -> None:
    x, y = points(50, 0.3)
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(50)
        assert coefficient(x[order], y[order]) == coefficient(x, y)


@ALL
def test_too_few_points_or_none_that_differ_give_a_reason(coefficient: Coefficient) -> None:
    fewest = 5 if coefficient is kendall else 4
    x = np.arange(fewest - 1.0)
    assert coefficient(x, x) == Abstain(f"{fewest - 1} points: too few for an interval, which takes {fewest}")
    x, flat = np.arange(6.0), np.full(6, 0.1) * 3
    assert coefficient(flat, x) == Abstain("no spread in the first quantity")
    assert coefficient(x, flat) == Abstain("no spread in the second quantity")
    assert coefficient(flat, flat) == Abstain("no spread in the first and the second quantity")


def test_as_many_points_as_are_needed_are_enough() -> None:
    x, y = np.arange(5.0), np.array([0.0, 2.0, 1.0, 4.0, 3.0])
    assert told(pearson(x[:4], y[:4])).n == 4
    assert told(spearman(x[:4], y[:4])).n == 4
    assert told(kendall(x, y)).n == 5
