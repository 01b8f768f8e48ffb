"""Paired comparisons: against scipy, brute force, hand-worked values, planted effects and nulls."""

from __future__ import annotations

import itertools
from typing import TypeVar

import numpy as np
import pytest
from scipy import stats

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.intervals import scene_mean
from lookaway.stats.paired import holm, mcnemar, paired_difference, sign_flip, wilcoxon

Found = TypeVar("Found")


def told(found: Found | Abstain) -> Found:
    assert not isinstance(found, Abstain), found.reason
    return found


def differences(scenes: int, effect: float, seed: int = 0, rows: int = 4) -> tuple[Floats, Floats]:
    """Differences of tasks in scenes that have their own leaning, and the scene of each."""
    rng = np.random.default_rng([scenes, seed])
    scene = np.repeat(np.arange(scenes), rows)
    return effect + rng.normal(size=scenes)[scene] + rng.normal(size=len(scene)), scene


# ---------------------------------------------------------------- the difference


def test_a_planted_difference_is_found_and_a_null_is_not() -> None:
    found = told(paired_difference(*differences(25, 2.0)))
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 2.0 < found.high
    assert (found.n, found.scenes, found.method) == (100, 25, "bootstrap-t over 25 scenes")
    nothing = told(paired_difference(*differences(25, 0.0)))
    assert nothing.low is not None
    assert nothing.high is not None
    assert nothing.low < 0 < nothing.high


def test_the_difference_is_a_scene_mean_of_pairs() -> None:
    values, scene = np.array([0.1, 0.3, -0.2, 0.4, 0.6]), np.array(["a", "a", "b", "c", "c"])
    expected = scene_mean(np.array([0.4, -0.2, 1.0]), np.array([2.0, 1.0, 2.0]))
    found = told(paired_difference(values, scene))
    assert (found.value, found.low, found.high) == pytest.approx(expected[:3])
    assert found.value == pytest.approx(1.2 / 5)


def test_arms_that_change_places_change_the_sign_alone() -> None:
    values, scene = differences(12, 0.7)
    ours, theirs = (told(paired_difference(sign * values, scene)) for sign in (1, -1))
    assert (ours.value, ours.low, ours.high) == pytest.approx((-theirs.value, -theirs.high, -theirs.low))  # type: ignore[operator]
    assert sign_flip(values, scene) == sign_flip(-values, scene)


def test_the_same_difference_everywhere_has_no_interval() -> None:
    found = told(paired_difference(np.full(6, 0.5), np.arange(6)))
    assert (found.value, found.low, found.method) == (0.5, None, "no spread between 6 scenes")


@pytest.mark.parametrize("many", [8, 30])
def test_the_order_of_pairs_changes_no_bit(many: int) -> None:
    values, scene = differences(many, 0.3)
    values[:6] = values[6]
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(values))
        assert paired_difference(values[order], scene[order]) == paired_difference(values, scene)
        assert sign_flip(values[order], scene[order]) == sign_flip(values, scene)
        assert wilcoxon(values[order]) == wilcoxon(values)


@pytest.mark.parametrize("test", [paired_difference, sign_flip], ids=["difference", "sign_flip"])
def test_where_nothing_can_be_said_a_reason_is_given(test: object) -> None:
    assert callable(test)
    assert test(np.zeros(0), np.zeros(0)) == Abstain("no pairs")
    assert test(np.array([0.1, 0.2]), np.array(["a", "a"])) == Abstain("all pairs are of one scene")
    assert test(np.zeros(3), np.arange(3)) == Abstain("both arms are equal in all 3 pairs")


# ---------------------------------------------------------------- sign-flip


def test_three_scenes_by_hand() -> None:
    found = told(sign_flip(np.array([2.0, 1.0, 1.0, 1.0]), np.array(["a", "a", "b", "c"])))
    assert (found.p, found.n, found.method) == (0.25, 4, "sign-flip over 3 scenes, all 8 patterns")


@pytest.mark.parametrize("scenes", [2, 5, 9])
@pytest.mark.parametrize("kind", ["graded", "ties"])
def test_all_patterns_are_those_of_brute_force(scenes: int, kind: str) -> None:
    rng = np.random.default_rng(scenes)
    for _ in range(20):
        values = rng.normal(size=scenes) if kind == "graded" else rng.integers(-2, 3, scenes) / 10
        if not values.any():
            continue
        sums = [
            abs(sum(s * v for s, v in zip(signs, values, strict=True)))
            for signs in itertools.product((-1, 1), repeat=scenes)
        ]
        expected = np.mean(np.array(sums) >= abs(values.sum()) - 1e-9)
        assert told(sign_flip(values, np.arange(scenes))).p == expected


def test_scenes_flip_whole() -> None:
    """Twenty equal pairs are strong evidence as twenty scenes, none as two."""
    values = np.full(20, 0.5)
    assert told(sign_flip(values, np.arange(20) % 2)).p == 0.5
    assert told(sign_flip(values, np.arange(20))).p == pytest.approx(1e-4)


def test_scenes_that_sum_to_nothing_change_nothing() -> None:
    values, scene = np.array([3.0, 1.0, 1.0]), np.arange(3)
    with_zeros = np.concatenate([values, np.zeros(20), [0.1, 0.2, -0.3]])
    found = told(sign_flip(with_zeros, np.concatenate([scene, 10 + np.arange(20), [40, 40, 40]])))
    assert (found.p, found.n) == (told(sign_flip(values, scene)).p, 26)
    assert told(sign_flip(np.array([1.0, -1.0, 2.0, -2.0]), np.array([0, 0, 1, 1]))).p == 1.0


def test_drawn_patterns_agree_with_scipy() -> None:
    """Both draw 9,999 patterns: the standard error of a p of 0.1 is 0.003, of the difference of two 0.0042."""
    values, _ = differences(20, 0.25, rows=1)
    found = told(sign_flip(values, np.arange(20)))
    assert found.method == "sign-flip over 20 scenes, 9999 patterns drawn"
    rng = np.random.default_rng(0)
    other = stats.permutation_test((values,), np.mean, permutation_type="samples", n_resamples=9999, rng=rng)
    assert 0.02 < found.p < 0.4, "a p near 0 or 1 would show little"
    assert found.p == pytest.approx(other.pvalue, abs=0.02)


def test_drawn_and_enumerated_patterns_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    values, scene = differences(14, 0.4)
    exact = told(sign_flip(values, scene)).p
    monkeypatch.setattr("lookaway.stats.paired.MOST_PATTERNS", 1)
    drawn = told(sign_flip(values, scene))
    assert "drawn" in drawn.method
    assert drawn.p == pytest.approx(exact, abs=5 * (exact / 9999) ** 0.5)  # five standard errors


@pytest.mark.parametrize("scenes", [8, 20])
def test_a_null_gives_uniform_p_values(scenes: int) -> None:
    """Over 2,000 nulls the share below 0.05 (12 of 256 patterns for 8 scenes) is within four standard errors, 0.02."""
    p = np.array([told(sign_flip(*differences(scenes, 0.0, seed, rows=2))).p for seed in range(2000)])
    assert np.mean(p <= 0.05) == pytest.approx(0.0469 if scenes == 8 else 0.05, abs=0.02)
    assert np.mean(p <= 0.5) == pytest.approx(0.5, abs=0.045)


def test_a_planted_effect_stands_out() -> None:
    assert told(sign_flip(*differences(8, 2.5))).p <= 2 / 256
    assert told(sign_flip(*differences(30, 1.5))).p == 1e-4


# ---------------------------------------------------------------- McNemar


def arms(both: int, only_first: int, only_second: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    first = np.repeat([True, True, False, False], [both, only_first, only_second, neither])
    return first, np.repeat([True, False, True, False], [both, only_first, only_second, neither])


@pytest.mark.parametrize(("only_first", "only_second"), [(1, 5), (9, 2), (0, 6), (7, 7), (120, 90)])
def test_mcnemar_is_the_binomial_test_of_pairs_that_differ(only_first: int, only_second: int) -> None:
    found = told(mcnemar(*arms(10, only_first, only_second, 4)))
    assert found.p == pytest.approx(stats.binomtest(only_first, only_first + only_second).pvalue)
    assert (found.only_first, found.only_second, found.n) == (only_first, only_second, 14 + only_first + only_second)


def test_mcnemar_by_hand() -> None:
    # One to five: twice (1 + 6) / 2**6.
    found = told(mcnemar(*arms(3, 1, 5, 2)))
    assert found.p == pytest.approx(14 / 64)
    assert found.method == "exact McNemar, 6 of 11 pairs differ"


def test_mcnemar_without_pairs_that_differ_gives_a_reason() -> None:
    assert mcnemar(*arms(0, 0, 0, 0)) == Abstain("no pairs")
    assert mcnemar(*arms(3, 0, 0, 2)) == Abstain("both arms agree on all 5 pairs")


# ---------------------------------------------------------------- Wilcoxon


@pytest.mark.parametrize("n", [1, 4, 9, 30, 50])
def test_wilcoxon_without_ties_is_scipys_exact_test(n: int) -> None:
    for seed in range(10):
        values = np.random.default_rng([n, seed]).normal(0.3, 1, n)
        found = told(wilcoxon(values))
        assert found.p == pytest.approx(stats.wilcoxon(values, method="exact").pvalue)
        assert found.method == "Wilcoxon signed-rank, exact, 0 zeros by Pratt's rule"


@pytest.mark.parametrize("n", [6, 10])
def test_wilcoxon_with_ties_and_zeros_is_exact_too(n: int) -> None:
    """Ranks with zeros among them, zeros left out, every pattern of signs of the others."""
    for seed in range(10):
        values = np.random.default_rng([n, seed]).integers(-3, 5, n) / 10
        kept = values != 0
        ranks = stats.rankdata(np.abs(values))[kept]
        sums = [ranks[np.array(signs, bool)].sum() for signs in itertools.product((0, 1), repeat=int(kept.sum()))]
        seen = ranks[values[kept] > 0].sum()
        expected = min(1.0, 2 * min(np.mean(np.array(sums) <= seen), np.mean(np.array(sums) >= seen)))
        assert told(wilcoxon(values)).p == pytest.approx(expected)


def test_wilcoxon_of_many_pairs_is_scipys_approximation() -> None:
    for seed in range(10):
        values = np.random.default_rng(seed).integers(-5, 7, 80) / 10
        other = stats.wilcoxon(values, zero_method="pratt", correction=False, method="asymptotic").pvalue
        found = told(wilcoxon(values))
        assert found.p == pytest.approx(other)
        assert (
            found.method == f"Wilcoxon signed-rank, normal approximation, {(values == 0).sum()} zeros by Pratt's rule"
        )


def test_the_approximation_takes_over_smoothly(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 50 pairs both ways differ by less than 0.01."""
    values = np.random.default_rng(0).integers(-5, 7, 50) / 10
    exact = told(wilcoxon(values)).p
    monkeypatch.setattr("lookaway.stats.paired.MOST_EXACT", 0)
    assert told(wilcoxon(values)).p == pytest.approx(exact, abs=0.01)


def test_rounding_errors_break_no_ties() -> None:
    assert 0.9 - 0.6 != 0.5 - 0.2, "or the test could not fail"
    rounded = wilcoxon(np.array([0.9 - 0.6, -(0.5 - 0.2), 0.1, 0.4]))
    assert rounded == wilcoxon(np.array([0.3, -0.3, 0.1, 0.4]))


def test_wilcoxon_without_anything_to_rank_gives_a_reason() -> None:
    assert wilcoxon(np.zeros(0)) == Abstain("no pairs")
    assert wilcoxon(np.zeros(4)) == Abstain("both arms are equal in all 4 pairs")


# ---------------------------------------------------------------- Holm


def test_holm_by_hand() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.5, 0.6, 0.7])) == pytest.approx([1.0, 1.0, 1.0])
    assert holm(np.array([0.2])) == pytest.approx([0.2])
    assert holm(np.zeros(0)).shape == (0,)


def test_holm_keeps_the_order_and_never_lowers() -> None:
    p = np.random.default_rng(0).random(40) ** 3
    adjusted = holm(p)
    assert np.all(np.diff(adjusted[np.argsort(p)]) >= 0)
    assert np.all(adjusted >= p)
    assert adjusted.min() == pytest.approx(40 * p.min())


def test_holm_keeps_the_chance_of_any_false_alarm() -> None:
    """20 true nulls, 4,000 families: 5 % with a standard error of 0.35 %; unadjusted it is 1 - 0.95**20 = 64 %."""
    families = np.random.default_rng(0).random((4000, 20))
    assert np.mean([holm(p).min() <= 0.05 for p in families]) == pytest.approx(0.05, abs=0.015)
