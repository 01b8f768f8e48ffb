"""Coefficients beside outside references, worked tables, and what they must not do."""

from __future__ import annotations

import evalica
import numpy as np
import pandas
import pytest
from sklearn.metrics import cohen_kappa_score

from lookaway.outcomes import Abstain
from lookaway.stats.coefficients import (
    ONE_ANSWER,
    TOO_FEW,
    Measurement,
    Weights,
    cohen,
    gwet,
    krippendorff,
    percent_agreement,
)
from lookaway.stats.intervals import Estimate

NOT = np.nan
# Krippendorff's twelve items by four observers, with missing answers (2011); Gwet (2014) prints AC1 of the same table.
FOUR = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NOT, NOT, NOT],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NOT, 3],
        [NOT, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NOT],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NOT],
    ]
)
TWELVE = np.arange(12)
# Five raters of twenty pairs: better, tie, worse; 14 of 100 answers are missing.
FIVE = np.array(
    [
        [{"+": 1.0, "0": 0.0, "-": -1.0, "?": NOT}[said] for said in rater]
        for rater in (
            "+0-+?0--+0+?-00+-+?0",
            "+0-0+?--+0+0-0++-+-0",
            "?0-++0-?00+0?-0+-++0",
            "++-?+0--+??0-00+0+-?",
            "+?00+0--+0+--?0+?+-0",
        )
    ]
)
SAME = np.ones((3, 8))


def answers(seed: int, raters: int = 4, items: int = 60, missing: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.integers(-1, 2, items)
    said = np.where(rng.random((raters, items)) < 0.7, truth, rng.integers(-1, 2, (raters, items))).astype(float)
    said[rng.random(said.shape) < missing] = np.nan
    return said


def value(found: Estimate | Abstain) -> float:
    assert isinstance(found, Estimate)
    return found.value


@pytest.mark.parametrize(("level", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_printed_example(level: Measurement, printed: float) -> None:
    assert value(krippendorff(FOUR, TWELVE, level)) == pytest.approx(printed, abs=5e-4)


def test_gwets_printed_example() -> None:
    assert value(gwet(FOUR, TWELVE)) == pytest.approx(0.77544, abs=5e-6)
    assert value(percent_agreement(FOUR, TWELVE)) == pytest.approx(0.81818, abs=5e-6)


@pytest.mark.parametrize(
    ("said", "weights", "ac", "share"),
    [
        (FOUR, "nominal", 0.775444068127, 0.81818181818182),
        (FOUR, "linear", 0.85873913643261, 0.93939393939394),
        (FOUR, "quadratic", 0.9140007235516, 0.97537878787879),
        (FIVE, "nominal", 0.67320261437908, 0.78166666666667),
        (FIVE, "linear", 0.72771353972398, 0.87833333333333),
        (FIVE, "quadratic", 0.78187586753916, 0.92666666666667),
    ],
)
def test_ac1_and_ac2_with_missing_answers_are_irrcacs(
    said: np.ndarray, weights: Weights, ac: float, share: float
) -> None:
    """Numbers of irrCAC 0.4.4, its categories named. It is GPL-3 and wants scipy 1.12, so that it is no dependency."""
    items = np.arange(said.shape[1])
    assert value(gwet(said, items, weights)) == pytest.approx(ac, abs=1e-12)
    assert value(percent_agreement(said, items, weights)) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_alpha_is_evalicas(level: Measurement, missing: float) -> None:
    said = answers(3, missing=missing)
    reference = evalica.alpha(pandas.DataFrame(said), distance=level).alpha
    assert value(krippendorff(said, np.arange(60), level)) == pytest.approx(reference, abs=1e-9)


@pytest.mark.parametrize("weights", ["nominal", "linear", "quadratic"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_kappa_is_scikit_learns_over_what_both_answer(weights: Weights, missing: float) -> None:
    first, second, *_ = answers(5, missing=missing)
    both = ~np.isnan(first) & ~np.isnan(second)
    reference = cohen_kappa_score(
        first[both].astype(int), second[both].astype(int), weights=None if weights == "nominal" else weights
    )
    assert value(cohen(first, second, np.arange(60), weights)) == pytest.approx(reference, abs=1e-9)


def test_a_weighted_ac_by_hand() -> None:
    """Two raters, four items of -1, 0, 1: they agree, miss by one, agree, miss by two.

    Linear weights give 1, .5, 1, 0: .625 of agreement. Shares of answers are 3/8, 1/8, 4/8: p (1 - p) adds up to
    .59375; weights add up to 5, over 3 x 2: chance is .4948, and .1302 of .5052 is left.
    """
    said = np.array([[-1, 0, 1, -1], [-1, 1, 1, 1]], float)
    assert value(gwet(said, np.arange(4), "linear")) == pytest.approx(0.257732, abs=1e-6)


def test_ac_stays_where_kappa_falls() -> None:
    """94 of 100 both say yes, three times one says no, three times the other: kappa finds less than nothing."""
    first, second = np.ones(100), np.ones(100)
    first[:3], second[3:6] = 0, 0
    rows = np.arange(100)
    assert value(cohen(first, second, rows)) == pytest.approx(-0.0309, abs=1e-4)
    assert value(gwet(np.array([first, second]), rows)) > 0.9


def test_one_answer_leaves_nothing_beyond_chance() -> None:
    rows = np.arange(8)
    assert cohen(SAME[0], SAME[1], rows) == Abstain(ONE_ANSWER)
    assert gwet(SAME, rows) == Abstain(ONE_ANSWER)
    assert krippendorff(SAME, rows) == Abstain(ONE_ANSWER)
    assert value(percent_agreement(SAME, rows)) == 1.0


def test_nobody_to_agree_with() -> None:
    alone = np.array([[0.0, 1.0, NOT], [NOT, NOT, 1.0]])
    rows = np.arange(3)
    assert percent_agreement(alone, rows) == gwet(alone, rows) == krippendorff(alone, rows) == Abstain(TOO_FEW)
    assert cohen(alone[0], alone[1], rows) == Abstain(TOO_FEW)


def test_raters_who_never_differ_may_still_differ() -> None:
    said = np.tile([0.0, 1.0], (3, 10))
    found = gwet(said, np.arange(20))
    assert isinstance(found, Estimate)
    assert found.value == found.high == 1.0
    assert found.low is not None
    assert 0.5 < found.low < 0.9


def test_scenes_widen_an_interval() -> None:
    """Twelve copies of a scene's items tell no more than one."""
    said = answers(7, items=20)
    often, scenes = np.repeat(said, 12, axis=1), np.repeat(np.arange(20), 12)
    once, copies = krippendorff(said, np.arange(20)), krippendorff(often, np.arange(240))
    by_scene = krippendorff(often, scenes)
    assert isinstance(once, Estimate)
    assert isinstance(copies, Estimate)
    assert isinstance(by_scene, Estimate)
    assert by_scene.low == pytest.approx(once.low, abs=0.02)
    assert copies.low is not None
    assert by_scene.low is not None
    assert copies.low > by_scene.low + 0.05
