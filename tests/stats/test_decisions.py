"""Decisions between two clips beside people's preferences."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.outcomes import Abstain
from lookaway.stats.decisions import (
    NO_PREFERENCE,
    NO_TIE,
    decided,
    decision_agreement,
    fitted_tie_band,
    judgeability,
)
from lookaway.stats.rates import RateInterval


def test_wrbenchs_printed_shares() -> None:
    """58 of 75 preferences and 80 of 114 ties are met, 138 of 189 in all: printed .730, .773, .702."""
    people = np.concatenate([np.ones(75), np.zeros(114)])
    said = people.copy()
    said[:17] = 0
    said[75 : 75 + 34] = 1
    found = decision_agreement(people, said)
    shares = [one.value for one in found[:3] if isinstance(one, RateInterval)]
    assert shares == pytest.approx([0.730, 0.773, 0.702], abs=5e-4)
    assert found.reversals == 0


def test_a_reversal_is_worse_than_a_tie() -> None:
    found = decision_agreement(np.array([1.0, 1, -1, 0]), np.array([-1.0, 0, 1, 1]))
    assert found.reversals == 2
    assert found.exact == (0.0, 0.0, pytest.approx(0.4899, abs=1e-3), 4)


def test_pairs_without_both_judgements_do_not_count() -> None:
    found = decision_agreement(np.array([1.0, np.nan, 1]), np.array([1.0, 1, np.nan]))
    assert isinstance(found.exact, RateInterval)
    assert found.exact.n == 1
    assert found.tie == Abstain(NO_TIE)
    assert decision_agreement(np.zeros(2), np.zeros(2)).strict == Abstain(NO_PREFERENCE)


def test_the_band_is_where_people_see_no_difference() -> None:
    rng = np.random.default_rng(0)
    differences = rng.normal(0, 1, 400)
    people = decided(differences, 0.3)
    band = fitted_tie_band(people, differences)
    assert isinstance(band, float)
    assert 0.25 < band <= 0.3
    assert decision_agreement(people, decided(differences, band)).exact[0] == 1.0


def test_an_undecided_difference_stays_undecided() -> None:
    assert np.array_equal(decided(np.array([0.3, -0.05, np.nan]), 0.1), [1, 0, np.nan], equal_nan=True)


def test_an_instrument_that_judges_everything_is_at_chance() -> None:
    found = judgeability(np.array([1.0, 1, 1, 0]), np.ones(4))
    assert found.balanced == 0.5
    assert judgeability(np.ones(3), np.ones(3)).balanced == Abstain("people can judge every pair")
