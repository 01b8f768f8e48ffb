"""Nightly evidence: bets come out as worked by hand, false alarms stay below what is stated, drops are found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from lookaway.stats.paired import sign_flip_above
from lookaway.stats.sequential import STAKES, betting_capital, evidence_above_zero

SCENES, NIGHTS, SEQUENCES = 36, 8, 300


def test_the_capital_of_a_bet_is_worked_by_hand() -> None:
    one, two = 1 + STAKES * 0.5, (1 + STAKES * 0.5) * (1 - STAKES * 0.25)
    assert betting_capital(np.array([1.0, -0.5]), lowest=2.0) == pytest.approx([one.mean(), two.mean()])


def test_no_number_is_no_evidence() -> None:
    nothing = evidence_above_zero([], lowest=1.0)
    assert (nothing.highest, nothing.alarm_at, nothing.first_night_p) == (1.0, None, None)


def test_a_number_below_its_bound_is_refused() -> None:
    with pytest.raises(ValueError, match="below the bound"):
        evidence_above_zero([np.array([-1.5])], lowest=1.0)


@pytest.mark.parametrize("seed", range(4))
def test_the_one_sided_flip_is_scipys(seed: int) -> None:
    values = np.random.default_rng(seed).normal(0.3, 1, 9)
    test = stats.permutation_test(
        (values,), np.sum, permutation_type="samples", alternative="greater", n_resamples=np.inf
    )
    assert sign_flip_above(values) == pytest.approx(test.pvalue)


def test_the_one_sided_flip_of_many_scenes_is_near_the_normal_tail() -> None:
    values = np.random.default_rng(1).normal(0.4, 1, 60)
    tail = stats.norm.sf(values.sum() / np.sqrt((values**2).sum()))
    assert sign_flip_above(values) == pytest.approx(tail, abs=0.004)
    assert sign_flip_above(np.zeros(5)) == 1.0


def nights(rng: np.random.Generator, drop: float, own: np.ndarray | float = 0.0) -> list[np.ndarray]:
    return [np.clip(drop + own + rng.normal(0, 0.2, SCENES), drop - 1, drop + 1) for _ in range(NIGHTS)]


@pytest.mark.parametrize("differ", [0.0, 0.3])
def test_alarms_without_cause_stay_below_what_is_stated(differ: float) -> None:
    """Also where scenes differ lastingly, some better and some worse, as long as their mean is 0."""
    rng, alarms = np.random.default_rng(2), 0
    for _ in range(SEQUENCES):
        own = rng.normal(0, differ, SCENES) if differ else 0.0
        alarms += evidence_above_zero(nights(rng, 0.0, own - np.mean(own)), lowest=2.0).alarm_at is not None
    assert alarms <= stats.binom.ppf(0.999, SEQUENCES, 0.05)


def test_the_same_numbers_every_night_never_alarm_where_their_mean_is_zero() -> None:
    once = np.array([0.9] * 4 + [-0.1] * 36)
    found = evidence_above_zero([once] * 50, lowest=1.0)
    assert found.e_values[len(once) :].max() < 20


def test_a_drop_is_found_in_the_first_night_as_often_as_a_fixed_test_does() -> None:
    rng, found, fixed = np.random.default_rng(3), 0, 0
    for _ in range(SEQUENCES):
        made = nights(rng, 0.1)
        alarm = evidence_above_zero(made, lowest=2.0).alarm_at
        found += alarm is not None and alarm <= SCENES
        fixed += stats.ttest_1samp(made[0], 0).pvalue < 0.05
    assert fixed / SEQUENCES > 0.7, "the drop is one that a fixed test can find"
    assert found >= fixed - 0.05 * SEQUENCES


def test_a_drop_too_small_for_one_night_is_found_in_several() -> None:
    rng = np.random.default_rng(4)
    alarm = evidence_above_zero([night for _ in range(8) for night in nights(rng, 0.05)], lowest=1.1).alarm_at
    assert alarm is not None
    assert alarm > SCENES


def test_a_first_night_in_parts_makes_no_test() -> None:
    part = np.full(10, 0.9)
    assert evidence_above_zero([part], 1.0, first_is_whole=False).first_night_p is None
    assert evidence_above_zero([part], 1.0).first_night_p == pytest.approx(2**-10)
