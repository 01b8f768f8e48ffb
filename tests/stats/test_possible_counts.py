"""Which denominators printed percentages leave possible."""

import numpy as np
import pytest

from lookaway.stats.possible_counts import possible_counts


def test_rates_that_only_thirteenths_give() -> None:
    assert set(possible_counts([84.6, 46.2], most=200)) == set(range(13, 200, 13))


def test_every_n_is_possible_for_nothing_and_for_all() -> None:
    assert len(possible_counts([0.0, 100.0], most=50)) == 50


def test_a_rate_that_no_count_gives_leaves_nothing() -> None:
    assert not len(possible_counts([0.1], most=100))


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_the_true_count_is_always_among_the_possible_ones(decimals: int) -> None:
    draw = np.random.default_rng(5)
    for n in draw.integers(2, 400, 2000):
        printed = [round(100 * k / n, decimals) for k in draw.integers(0, n + 1, 3)]
        assert n in possible_counts(printed, decimals)


def test_a_half_may_have_been_rounded_either_way() -> None:
    assert 16 in possible_counts([6.2], most=16)  # 1 of 16 is 6.25
    assert 16 in possible_counts([6.3], most=16)
