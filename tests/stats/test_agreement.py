"""Agreement beyond chance: a hand-worked table, a known formula, and intervals that hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.outcomes import Abstain
from lookaway.stats.agreement import ONE_SIDED, Agreement, agreement
from lookaway.stats.intervals import Estimate


def answers(both: int, first: int, second: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    counts = (both, first, second, neither)
    return np.repeat([1.0, 1, 0, 0], counts), np.repeat([1.0, 0, 1, 0], counts)


def kappa(found: Agreement | Abstain) -> Estimate:
    assert isinstance(found, Agreement)
    assert isinstance(found.kappa, Estimate)
    return found.kappa


def test_a_table_worked_by_hand() -> None:
    one, other = answers(20, 5, 10, 15)
    found = agreement(one, other, np.arange(50))
    assert isinstance(found, Agreement)
    assert found.share.value == pytest.approx(0.7)
    assert kappa(found).value == pytest.approx((0.7 - 0.5) / 0.5)


def test_of_independent_rows_the_interval_is_that_of_the_large_sample_formula() -> None:
    """Fleiss, Cohen and Everitt (1969) for the table 40, 10, 20, 30 of a hundred, worked by hand."""
    one, other = answers(40, 10, 20, 30)
    found = kappa(agreement(one, other, np.arange(100)))
    chance = 0.5 * 0.6 + 0.5 * 0.4
    value = (0.7 - chance) / (1 - chance)
    on = 0.4 * (1 - (0.5 + 0.6) * (1 - value)) ** 2 + 0.3 * (1 - (0.5 + 0.4) * (1 - value)) ** 2
    off = (1 - value) ** 2 * (0.1 * (0.6 + 0.5) ** 2 + 0.2 * (0.4 + 0.5) ** 2)
    error = np.sqrt((on + off - (value - chance * (1 - value)) ** 2) / 100) / (1 - chance)
    assert found.value == pytest.approx(value)
    longer = (found.high - found.low) / 2 / (1.984 * error)  # t with 99 degrees of freedom; skew makes sides longer
    assert 0.98 <= longer <= 1.1


def test_opposites_are_at_minus_one_and_strangers_near_zero() -> None:
    one, other = answers(0, 10, 10, 0)
    assert kappa(agreement(one, other, np.arange(20))).value == pytest.approx(-1)
    one, other = answers(12, 12, 12, 12)
    strangers = kappa(agreement(one, other, np.arange(48)))
    assert strangers.value == pytest.approx(0)
    assert strangers.low < 0 < strangers.high


def test_who_always_says_the_same_agrees_by_chance_alone() -> None:
    one, other = answers(0, 0, 10, 10)
    found = agreement(one, other, np.arange(20))
    assert isinstance(found, Agreement)
    assert found.kappa == Abstain(ONE_SIDED)
    assert found.share.value == 0.5
    assert isinstance(agreement(one[:0], one[:0], np.arange(0)), Abstain)


def test_two_who_never_differ_may_yet_do_so_and_the_more_scenes_the_less() -> None:
    one, other = answers(20, 0, 0, 20)
    few, many = (kappa(agreement(one, other, np.arange(40) % scenes)) for scenes in (5, 40))
    assert few.value == many.value == many.high == 1.0
    assert few.low < many.low < 1.0
    assert many.low == pytest.approx(1 - (1 - 0.025 ** (1 / 40)) / 0.5)  # never in 40, by hand


def test_the_interval_over_scenes_covers_the_true_kappa() -> None:
    """Scenes in which both tend to the same answer: kappa is the share of the variance that is between scenes."""
    rng, covered, draws = np.random.default_rng(5), 0, 400
    alpha = 1.0  # rates uniform on 0 to 1: variance 1/12 of 1/4
    for _ in range(draws):
        rate = np.repeat(rng.beta(alpha, alpha, 40), 6)
        one, other = ((rng.random(240) < rate).astype(float) for _ in range(2))
        found = kappa(agreement(one, other, np.repeat(np.arange(40), 6)))
        covered += found.low <= 1 / 3 <= found.high
    assert 0.92 <= covered / draws <= 0.985
