"""Ranks with intervals, groups that cannot be told apart, and the scenes that an order hangs on."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.stats import rankdata, ttest_rel

from lookaway.stats.rank_intervals import fewest_scenes, rank_intervals, tie_groups
from lookaway.stats.scene_draws import scene_weights


def test_ranks_are_those_of_scipy_ties_included() -> None:
    sums = np.random.default_rng(0).integers(0, 4, (6, 9)).astype(float)
    found = rank_intervals(sums, np.ones_like(sums))
    assert found.rank.tolist() == rankdata(-sums.sum(axis=0), method="min").tolist()
    assert ((found.low <= found.rank) & (found.rank <= found.high)).all()


def test_drawn_ranks_are_those_of_a_plain_loop() -> None:
    rng = np.random.default_rng(1)
    sums, counts = rng.normal(size=(5, 4, 2)), rng.integers(1, 4, (5, 4, 2)).astype(float)
    found = rank_intervals(sums, counts, draws=200)
    for metric in range(2):
        drawn = [
            rankdata(-(w @ sums[..., metric]) / (w @ counts[..., metric]), method="min") for w in scene_weights(5, 200)
        ]
        ordered = np.sort(drawn, axis=0)
        assert found.low[:, metric].tolist() == ordered[5].tolist()
        assert found.high[:, metric].tolist() == ordered[-6].tolist()


def test_a_draw_has_as_many_scenes_as_there_are() -> None:
    weights = scene_weights(7)
    assert (weights.sum(axis=1) == 7).all()
    assert abs(weights.mean(axis=0) - 1).max() < 0.15


def test_the_interval_of_a_rank_holds_the_true_rank() -> None:
    rng, hits, runs = np.random.default_rng(2), 0, 300
    skill = np.linspace(0, 0.5, 6)
    for _ in range(runs):
        scores = skill + 0.2 * rng.standard_normal((25, 1)) + 0.4 * rng.standard_normal((25, 6))
        found = rank_intervals(scores, np.ones_like(scores), draws=400)
        hits += int(((found.low <= 6 - np.arange(6)) & (6 - np.arange(6) <= found.high)).sum())
    assert hits / (6 * runs) > 0.93


def test_equals_stand_in_one_group_and_who_differs_in_another() -> None:
    rng = np.random.default_rng(3)
    scores = np.array([0.9, 0.9, 0.2, 0.2]) + 0.05 * rng.standard_normal((20, 4))
    assert {frozenset(group) for group in tie_groups(scores, np.ones_like(scores))} == {
        frozenset({0, 1}),
        frozenset({2, 3}),
    }


def test_two_systems_differ_where_a_paired_t_test_says_so() -> None:
    rng = np.random.default_rng(4)
    for effect in np.linspace(0, 0.6, 40):
        scores = 0.3 * rng.standard_normal((12, 1)) + np.array([effect, 0.0]) + 0.4 * rng.standard_normal((12, 2))
        told_apart = len(tie_groups(scores, np.ones_like(scores))) == 2
        assert told_apart == (ttest_rel(scores[:, 0], scores[:, 1]).pvalue < 0.05)


def test_equal_systems_are_told_apart_in_few_runs() -> None:
    rng = np.random.default_rng(5)
    parted = sum(
        len(tie_groups(scores, np.ones_like(scores))) > 1
        for scores in (rng.standard_normal((15, 6)) + rng.standard_normal((15, 1)) for _ in range(400))
    )
    assert parted / 400 < 0.07


def test_the_fewest_scenes_are_those_of_brute_force() -> None:
    rng = np.random.default_rng(6)
    for _ in range(60):
        scenes, values = rng.integers(0, 6, 15), rng.normal(0.2, 1.0, 15)
        found = fewest_scenes(values, scenes)
        names = np.unique(scenes)
        if found is None:
            assert values.sum() <= 0
            continue
        sizes = [
            size
            for size in range(len(names) + 1)
            for gone in itertools.combinations(names, size)
            if values[~np.isin(scenes, gone)].sum() <= 1e-12
        ]
        assert len(found) == min(sizes)
