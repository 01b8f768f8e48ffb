"""Cells worked by hand, their populations and slices, and the intervals in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from lookaway.analyses import Scale, Scales
from lookaway.analyses.cells import STATUSES, cells
from lookaway.records import Cell, Population, Protocol, Task
from lookaway.stats.intervals import Estimate, scene_mean, scene_rate
from tests.analyses.score_tables import findings, in_scenes, table, without_number
from tests.builders import task
from tests.store.store_records import a_score


def cells_of(scores: pl.DataFrame, tasks: list[Task], scales: Scales, **changes: Any) -> list[Cell]:
    """The cells of every protocol that the scores name."""
    names = scores["system"].unique().sort().to_list()
    made = [Protocol(name=name, summary="", metrics=(), headline=(), **changes) for name in scores["protocol"].unique()]
    return [cell for protocol in made for cell in cells(findings(scores, tasks, names, protocol, scales))]


def only(cells: list[Cell], slice: str = "all") -> Cell:
    (cell,) = [c for c in cells if c.slice == slice]
    return cell


def test_a_mean_over_scenes_by_hand() -> None:
    # Mean 1.5 / 3; scene residuals 0.6 - 2 * 0.5 = -0.4 and 0.9 - 0.5 = 0.4; variance 2 / 1 * 0.32 / 9; t(1) = 12.706.
    scores = table(a_score(task=f"t{n}", value=value) for n, value in enumerate([0.2, 0.4, 0.9]))
    cell = only(cells_of(scores, in_scenes("a", "a", "b"), {}))
    assert (cell.n, cell.ok, cell.scenes) == (3, 3, 2)
    assert cell.value == pytest.approx(0.5)
    half = 12.7062 * (2 * 0.32 / 9) ** 0.5
    assert (cell.low, cell.high) == pytest.approx((0.5 - half, 0.5 + half), rel=1e-4)
    assert cell.method == "t over 2 scenes"


def test_a_rate_that_is_always_one_counts_scenes() -> None:
    scores = table(a_score(task=f"t{n}", value=1.0) for n in range(8))
    cell = only(cells_of(scores, in_scenes(*"aabbccdd"), {}))
    assert (cell.value, cell.high, cell.scenes) == (1.0, 1.0, 4)
    assert cell.low == pytest.approx(0.025 ** (1 / 4))  # Clopper-Pearson with 4 of 4: the low end solves p**4 = 0.025


def test_one_number_between_makes_it_a_mean() -> None:
    scores = table(a_score(task=f"t{n}", value=value) for n, value in enumerate([0.0, 1.0, 0.5, 1.0]))
    assert only(cells_of(scores, in_scenes(*"aabb"), {})).method.startswith("t over")
    scores = table(a_score(task=f"t{n}", value=value) for n, value in enumerate([0.0, 1.0, 1.0, 1.0]))
    assert only(cells_of(scores, in_scenes(*"aabb"), {})).method.startswith("Clopper-Pearson")


def test_every_status_is_counted_and_they_add_up() -> None:
    scores = [a_score(task="t0", value=0.8)]
    for number, status in enumerate(STATUSES[1:]):
        scores += [a_score(task=f"t{seed % 7}", seed=seed, **without_number(status)) for seed in range(number + 2)]
    cell = only(cells_of(table(scores), in_scenes(*"abcdefg"), {}))
    assert [getattr(cell, status) for status in STATUSES] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert cell.n == 36
    assert (cell.value, cell.low, cell.scenes) == (0.8, None, 1)


def test_nothing_measured_is_no_number() -> None:
    cell = only(cells_of(table([a_score(task="t0", **without_number("failed"))]), in_scenes("a"), {}))
    assert (cell.value, cell.low, cell.high, cell.floor, cell.scenes, cell.n) == (None, None, None, None, 0, 1)
    assert cell.method == "nothing measured"


def test_an_interval_ends_where_the_metric_does() -> None:
    scores = table([a_score(task="t0", value=0.1), a_score(task="t1", value=0.9)])
    scales = {("object_return", "sound"): Scale(0.0, 1.0, 0.0)}
    wide, clipped = (only(cells_of(scores, in_scenes("a", "b"), s)) for s in ({}, scales))
    assert wide.low < 0 < 1 < wide.high
    assert (clipped.low, clipped.value, clipped.high) == (0.0, wide.value, 1.0)


@pytest.mark.parametrize(("worst", "floor"), [(0.0, 1.2 / 4), (1.0, 3.2 / 4), (None, None)])
def test_floor_counts_avoided_and_missing_outputs_as_worst(worst: float | None, floor: float | None) -> None:
    others = ("avoided", "no_output", "no_opportunity", "abstained", "failed", "not_applicable")
    scores = [a_score(task="t0", value=0.8), a_score(task="t1", value=0.4)]
    scores += [a_score(task="t2", seed=n, **without_number(status)) for n, status in enumerate(others)]
    scales = {} if worst is None else {("object_return", "sound"): Scale(0.0, 1.0, worst)}
    cell = only(cells_of(table(scores), in_scenes(*"abc"), scales))
    assert cell.floor == (None if floor is None else pytest.approx(floor))
    assert cell.value == pytest.approx(0.6)


@pytest.mark.parametrize(
    "other",
    [
        {"version": 2},
        {"instrument": "view@2"},
        {"instrument_key": "another"},
        {"ask": "in other words"},
        {"ask_key": "another"},
        {"variant": "paper"},
        {"phase_source": "planned"},
        {"metric": "object_present"},
        {"protocol": "integrity"},
        {"system": "frozen"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_rows_made_differently_never_share_a_cell(other: dict[str, Any]) -> None:
    scores = [a_score(task="t0", value=0.25), a_score(task="t1", value=0.25)]
    scores += [a_score(task=score.task, value=0.75, **other) for score in scores]
    found = [c for c in cells_of(table(scores), in_scenes("a", "b"), {}) if c.slice == "all"]
    assert sorted((c.n, c.value) for c in found) == [(2, 0.25), (2, 0.75)]
    assert {getattr(c, next(iter(other))) for c in found} > set(other.values())


def test_slices_divide_the_rows() -> None:
    tasks = [
        task(id="t0", scene="a", category="pour", moves=False, changes_in_place=True),
        task(id="t1", scene="a", category="roll", moves=True, changes_in_place=False),
        task(id="t2", scene="b", category="roll", moves=True, changes_in_place=True),
        task(id="t3", scene="c", category="fade", moves=False, changes_in_place=False),
    ]
    scores = table(a_score(task=f"t{n}", value=n / 10) for n in range(3))
    found = {c.slice: c for c in cells_of(scores, tasks, {})}
    assert {name: (c.n, c.scenes, c.value) for name, c in found.items()} == {
        "all": (3, 2, pytest.approx(0.1)),
        "category=pour": (1, 1, 0.0),
        "category=roll": (2, 2, pytest.approx(0.15)),
        "event=full": (1, 1, 0.2),
        "event=spatial": (1, 1, 0.1),
        "event=state_only": (1, 1, 0.0),
    }


def test_a_task_without_a_category_is_a_slice_like_any_other() -> None:
    found = cells_of(table([a_score(task="t0")]), in_scenes("a", category=""), {})
    assert [c.slice for c in found] == ["all", "category=", "event=spatial"]


def test_rows_of_unknown_tasks_do_not_count() -> None:
    scores = table([a_score(task="t0", value=0.5), a_score(task="gone", value=0.9)])
    assert only(cells_of(scores, in_scenes("a"), {})).n == 1
    assert cells_of(table([]), in_scenes("a"), {}) == []


def test_cells_do_not_depend_on_the_order_of_writing() -> None:
    values = np.random.default_rng(0).random(3000).tolist()
    scores = table(a_score(task=f"t{n % 6}", seed=n, value=value) for n, value in enumerate(values))
    plain = [np.cumsum(each)[-1] for each in (values, sorted(values))]  # `sum` corrects itself since Python 3.12
    assert plain[0] != plain[1], "or the test could not fail"
    tasks = in_scenes(*"aabbcc")
    first = cells_of(scores, tasks, {})
    for seed in range(5):
        assert cells_of(scores.sample(fraction=1, shuffle=True, seed=seed), tasks, {}) == first


# ---------------------------------------------------------------- populations and slices


def test_a_population_counts_tasks_and_systems_by_their_fields() -> None:
    tasks = [task(id="t0", scene="a", family="x"), task(id="t1", scene="b", family="y")]
    scores = table(a_score(task=t, system=s, value=0.5) for t in ("t0", "t1") for s in ("truth", "frozen"))
    population = Population(tasks={"family": ("x",)}, systems={"name": ("!frozen",)})
    found = [c for c in cells_of(scores, tasks, {}, population=population) if c.slice == "all"]
    assert [(c.system, c.n) for c in found] == [("truth", 1)]


def test_a_metric_may_have_a_population_of_its_own() -> None:
    tasks = [task(id="t0", scene="a", family="x"), task(id="t1", scene="b", family="y")]
    scores = table(a_score(task=t, metric=m) for t in ("t0", "t1") for m in ("object_return", "turned_away"))
    metrics = ("object_return:sound", "turned_away:sound")
    own = {"turned_away:sound": Population(tasks={"family": ("x",)})}
    protocol = Protocol(name="diorama", summary="", metrics=metrics, headline=(), populations=own)
    found = cells(findings(scores, tasks, ("truth",), protocol))
    assert {c.metric: c.n for c in found if c.slice == "all"} == {"object_return": 2, "turned_away": 1}


def test_any_field_or_pair_of_fields_is_a_slice() -> None:
    tasks = [task(id="t0", scene="a", venue="yard"), task(id="t1", scene="b", venue="hall")]
    scores = table(a_score(task=t, value=0.5) for t in ("t0", "t1"))
    slices = (["venue", "system.condition_type"], "system.checkpoint")
    found = {c.slice: c.n for c in cells_of(scores, tasks, {}, slices=slices)}
    assert found == {
        "all": 2,
        "venue=hall, system.condition_type=unknown": 1,
        "venue=yard, system.condition_type=unknown": 1,
        "system.checkpoint=unknown": 2,
    }


@pytest.mark.parametrize("slices", [("vnue",), (["venue", "system.wheels"],)])
def test_a_slice_of_nothing_is_refused(slices: Any) -> None:
    with pytest.raises(ValueError, match=r"vnue|system\.wheels"):
        Protocol(name="p", summary="", metrics=(), headline=(), slices=slices)


def test_measurement_bounds_stand_apart_from_the_interval() -> None:
    scores = table(
        [
            a_score(task="t0", value=0.5, low=0.4, high=0.7),
            a_score(task="t1", value=0.6),
        ]
    )
    cell = only(cells_of(scores, in_scenes("a", "b"), {}))
    assert (cell.measured_low, cell.measured_high) == (pytest.approx(0.5), pytest.approx(0.65))
    plain = only(
        cells_of(table([a_score(task="t0", value=0.5), a_score(task="t1", value=0.6)]), in_scenes("a", "b"), {})
    )
    assert (plain.measured_low, plain.measured_high) == (None, None)
    assert (plain.value, plain.low, plain.high) == (cell.value, cell.low, cell.high)


# ---------------------------------------------------------------- intervals


def covers(estimate: Estimate, truth: float) -> bool:
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


@pytest.mark.parametrize("scenes", [2, 4, 8, 16])
@pytest.mark.parametrize("alike", [0.0, 0.3, 0.7])
def test_means_are_covered_though_rows_of_a_scene_are_alike(scenes: int, alike: float) -> None:
    rng = np.random.default_rng([scenes, int(alike * 10)])
    hits = 0
    for _ in range(1000):
        counts = np.full(scenes, 6)
        places = rng.normal(0.3, np.sqrt(alike), scenes)
        sums = np.array([rng.normal(m, np.sqrt(1 - alike), n).sum() for m, n in zip(places, counts, strict=True)])
        hits += covers(scene_mean(sums, counts.astype(float)), 0.3)
    assert hits >= 930


@pytest.mark.parametrize("scenes", [2, 4, 8, 16])
@pytest.mark.parametrize("rate", [0.5, 0.8])
@pytest.mark.parametrize("alike", [0.1, 0.3])
def test_rates_are_covered_though_rows_of_a_scene_are_alike(scenes: int, rate: float, alike: float) -> None:
    rng = np.random.default_rng([scenes, int(rate * 10), int(alike * 10)])
    strength = 1 / alike - 1  # a beta-binomial's intraclass correlation is 1 / (a + b + 1)
    shares = rng.beta(rate * strength, (1 - rate) * strength, (1000, scenes))
    counts = np.full(scenes, 8)
    hits = sum(covers(scene_rate(s.astype(float), counts.astype(float)), rate) for s in rng.binomial(counts, shares))
    assert hits >= 930


@pytest.mark.parametrize(("successes", "n"), [(0, 7), (7, 7), (0, 40), (40, 40)])
def test_unanimous_rows_have_the_exact_binomial_interval(successes: int, n: int) -> None:
    exact = stats.binomtest(successes, n).proportion_ci(method="exact")
    found = scene_rate(np.full(n, successes / n), np.ones(n))
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize(("successes", "n"), [(3, 10), (12, 40), (150, 200), (1, 25)])
def test_independent_rows_come_close_to_the_exact_binomial_interval(successes: int, n: int) -> None:
    """One row per scene costs one degree of freedom, no more: the interval of n - 1 rows at the same rate."""
    exact = stats.binomtest(successes, n).proportion_ci(method="exact")
    found = scene_rate(np.repeat([1.0, 0.0], [successes, n - successes]), np.ones(n))
    assert found.low is not None
    assert found.high is not None
    assert found.low <= exact.low
    assert found.high >= exact.high
    assert found.high - found.low <= (exact.high - exact.low) * (1 + 1 / n) ** 0.5 * 1.03
