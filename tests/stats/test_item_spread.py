"""How raters spread over the answers to an item: worked by hand, and beside scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import entropy

from lookaway.stats.item_spread import item_spread, split_by_chance

NOT = np.nan
SAID = np.array([[1, 1, NOT, 0, 0, -1], [1, 0, NOT, NOT, 0, 0], [0, 0, NOT, 1, 0, 1], [0, NOT, NOT, NOT, 0, 1]], float)


def test_spread_by_hand() -> None:
    found = item_spread(SAID)
    assert np.array_equal(found.answers, [4, 3, 0, 2, 4, 4])
    assert np.allclose(found.agreement, [1 / 3, 1 / 3, NOT, 0, 1, 1 / 6], equal_nan=True)
    assert np.array_equal(found.most, [NOT, 0, NOT, NOT, 0, 1], equal_nan=True)
    assert np.array_equal(found.votes, [2, 2, 0, 1, 4, 2])


def test_entropy_is_scipys() -> None:
    found = item_spread(SAID)
    shares = ([0.5, 0.5], [1 / 3, 2 / 3], None, [0.5, 0.5], [1.0], [0.25, 0.25, 0.5])
    for value, of in zip(found.entropy, shares, strict=True):
        assert np.isnan(value) if of is None else value == pytest.approx(entropy(of, base=2), abs=1e-12)


def test_where_nobody_says_anything_nothing_is_known() -> None:
    found = item_spread(np.full((3, 2), NOT))
    assert np.isnan([*found.agreement, *found.entropy, *found.most]).all()


def test_raters_who_never_look_split_as_often_as_by_chance() -> None:
    assert split_by_chance(np.array([[1.0, 0], [0, 1], [1, 0]])) == pytest.approx(0.75)
    guesses = (np.random.default_rng(3).random((3, 4000)) < 0.8).astype(float)
    agreed = item_spread(guesses).agreement == 1
    assert split_by_chance(guesses) == pytest.approx(1 - agreed.mean(), abs=0.02)
