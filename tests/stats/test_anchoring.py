"""An anchor helps where it moves with the system, and is left alone where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.outcomes import Abstain
from lookaway.stats.anchoring import Anchoring, anchoring


def test_a_hand_worked_case() -> None:
    """Scene means 1, 2, 3 and 0, 1, 2: the difference is 1 in every scene."""
    found = anchoring(np.array([1.0, 2.0, 2.0, 3.0]), np.array([0.0, 0.5, 1.5, 2.0]), np.array(list("abbc")))
    assert isinstance(found, Anchoring)
    assert (found.raw, found.difference, found.scenes) == (2.0, 1.0, 3)
    assert found.raw_error == pytest.approx(1 / np.sqrt(3))
    assert found.difference_error == 0
    assert found.correlation == pytest.approx(1)
    assert found.narrows


def test_it_narrows_exactly_where_draws_of_scenes_spread_less() -> None:
    draws = np.random.default_rng(0)
    shared = draws.normal(size=400)
    for weight in (0.0, 0.3, 0.9):
        value = weight * shared + (1 - weight**2) ** 0.5 * draws.normal(size=400)
        anchor = weight * shared + (1 - weight**2) ** 0.5 * draws.normal(size=400)
        found = anchoring(value, anchor, np.arange(400))
        picks = [draws.integers(0, 400, 50) for _ in range(500)]
        raw = np.std([value[pick].mean() for pick in picks])
        anchored = np.std([(value - anchor)[pick].mean() for pick in picks])
        assert isinstance(found, Anchoring)
        assert found.narrows == (anchored < raw) == (weight == 0.9)


def test_two_scenes_are_too_few() -> None:
    assert isinstance(anchoring(np.ones(4), np.ones(4), np.array([0, 0, 1, 1])), Abstain)
