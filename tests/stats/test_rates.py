"""Intervals of plain counts, against scipy and by simulation."""

import numpy as np
import pytest
from scipy.stats import binomtest

from lookaway.stats.rates import newcombe, wilson


@pytest.mark.parametrize(("successes", "n"), [(0, 7), (7, 7), (1, 30), (15, 30), (203, 225)])
def test_wilson_is_scipys(successes: int, n: int) -> None:
    outside = binomtest(successes, n).proportion_ci(method="wilson")
    mine = wilson(successes, n)
    assert (mine.low, mine.high) == pytest.approx((outside.low, outside.high), abs=1e-12)


def test_a_published_example_of_newcombes_interval() -> None:
    """Newcombe 1998, method 10, 56/70 against 48/80: 0.0524 to 0.3339."""
    difference, low, high = newcombe(wilson(56, 70), wilson(48, 80))
    assert (difference, low, high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_the_difference_is_covered_as_often_as_it_says() -> None:
    draw = np.random.default_rng(2)
    first, second = draw.binomial(40, 0.7, 4000), draw.binomial(25, 0.4, 4000)
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    differences = [newcombe(wilson(a, 40), wilson(b, 25)) for a, b in pairs]
    assert 0.935 <= np.mean([low <= 0.3 <= high for _, low, high in differences]) <= 0.975
