from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from lookaway import aggregate, tables
from lookaway.records import Cell, Protocol, Score, Step, Task
from lookaway.stats.intervals import Estimate, scene_mean, scene_rate
from tests.builders import task
from tests.store.store_records import a_score


def table(scores: Iterable[Score]) -> pl.DataFrame:
    rows = [{"key": str(n), "inputs": "", "attempt": 0, **score.model_dump()} for n, score in enumerate(scores)]
    return pl.DataFrame(rows, schema=tables.schema(Score))


def in_scenes(*scenes: str, **changes: Any) -> list[Task]:
    """Tasks t0, t1, … in the scenes given."""
    return [task(id=f"t{number}", scene=scene, **changes) for number, scene in enumerate(scenes)]


def only(cells: list[Cell], slice: str = "all") -> Cell:
    (cell,) = [c for c in cells if c.slice == slice]
    return cell


def without_number(status: str) -> dict[str, Any]:
    gate = {"gate": status, "status": "gated"} if status in ("avoided", "no_opportunity") else {"status": status}
    return {"value": None, "reason": "why", **gate}


def test_a_mean_over_scenes_by_hand() -> None:
    # Mean 1.5 / 3; scene residuals 0.6 - 2 * 0.5 = -0.4 and 0.9 - 0.5 = 0.4; variance 2 / 1 * 0.32 / 9; t(1) = 12.706.
    scores = table(a_score(task=f"t{n}", value=value) for n, value in enumerate([0.2, 0.4, 0.9]))
    cell = only(aggregate.cells(scores, in_scenes("a", "a", "b"), {}))
    assert (cell.n, cell.ok, cell.scenes) == (3, 3, 2)
    assert cell.value == pytest.approx(0.5)
    half = 12.7062 * (2 * 0.32 / 9) ** 0.5
    assert (cell.low, cell.high) == pytest.approx((0.5 - half, 0.5 + half), rel=1e-4)
    assert cell.method == "t over 2 scenes"


def test_a_rate_that_is_always_one_counts_scenes() -> None:
    scores = table(a_score(task=f"t{n}", value=1.0) for n in range(8))
    cell = only(aggregate.cells(scores, in_scenes(*"aabbccdd"), {}))
    assert (cell.value, cell.high, cell.scenes) == (1.0, 1.0, 4)
    assert cell.low == pytest.approx(0.025 ** (1 / 4))  # Clopper-Pearson with 4 of 4: the low end solves p**4 = 0.025


def test_one_number_between_makes_it_a_mean() -> None:
    scores = table(a_score(task=f"t{n}", value=value) for n, value in enumerate([0.0, 1.0, 0.5, 1.0]))
    assert only(aggregate.cells(scores, in_scenes(*"aabb"), {})).method.startswith("t over")
    scores = table(a_score(task=f"t{n}", value=value) for n, value in enumerate([0.0, 1.0, 1.0, 1.0]))
    assert only(aggregate.cells(scores, in_scenes(*"aabb"), {})).method.startswith("Clopper-Pearson")


def test_every_status_is_counted_and_they_add_up() -> None:
    scores = [a_score(task="t0", value=0.8)]
    for number, status in enumerate(aggregate.STATUSES[1:]):
        scores += [a_score(task=f"t{seed % 7}", seed=seed, **without_number(status)) for seed in range(number + 2)]
    cell = only(aggregate.cells(table(scores), in_scenes(*"abcdefg"), {}))
    assert [getattr(cell, status) for status in aggregate.STATUSES] == [1, 2, 3, 4, 5, 6, 7]
    assert cell.n == 28
    assert (cell.value, cell.low, cell.scenes) == (0.8, None, 1)


def test_nothing_measured_is_no_number() -> None:
    cell = only(aggregate.cells(table([a_score(task="t0", **without_number("failed"))]), in_scenes("a"), {}))
    assert (cell.value, cell.low, cell.high, cell.floor, cell.scenes, cell.n) == (None, None, None, None, 0, 1)
    assert cell.method == "nothing measured"


def test_an_interval_ends_where_the_metric_does() -> None:
    scores = table([a_score(task="t0", value=0.1), a_score(task="t1", value=0.9)])
    scales = {("object_return", "sound"): aggregate.Scale(0.0, 1.0, 0.0)}
    wide, clipped = (only(aggregate.cells(scores, in_scenes("a", "b"), s)) for s in ({}, scales))
    assert wide.low < 0 < 1 < wide.high
    assert (clipped.low, clipped.value, clipped.high) == (0.0, wide.value, 1.0)


@pytest.mark.parametrize(("worst", "floor"), [(0.0, 1.2 / 4), (1.0, 3.2 / 4), (None, None)])
def test_floor_counts_avoided_and_missing_outputs_as_worst(worst: float | None, floor: float | None) -> None:
    others = ("avoided", "no_output", "no_opportunity", "abstained", "failed", "not_applicable")
    scores = [a_score(task="t0", value=0.8), a_score(task="t1", value=0.4)]
    scores += [a_score(task="t2", seed=n, **without_number(status)) for n, status in enumerate(others)]
    scales = {} if worst is None else {("object_return", "sound"): aggregate.Scale(0.0, 1.0, worst)}
    cell = only(aggregate.cells(table(scores), in_scenes(*"abc"), scales))
    assert cell.floor == (None if floor is None else pytest.approx(floor))
    assert cell.value == pytest.approx(0.6)


@pytest.mark.parametrize(
    "other",
    [
        {"version": 2},
        {"instrument": "view@2"},
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
    found = [c for c in aggregate.cells(table(scores), in_scenes("a", "b"), {}) if c.slice == "all"]
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
    found = {c.slice: c for c in aggregate.cells(scores, tasks, {})}
    assert {name: (c.n, c.scenes, c.value) for name, c in found.items()} == {
        "all": (3, 2, pytest.approx(0.1)),
        "category=pour": (1, 1, 0.0),
        "category=roll": (2, 2, pytest.approx(0.15)),
        "event=full": (1, 1, 0.2),
        "event=spatial": (1, 1, 0.1),
        "event=state_only": (1, 1, 0.0),
    }


def test_a_task_without_a_category_is_a_slice_like_any_other() -> None:
    found = aggregate.cells(table([a_score(task="t0")]), in_scenes("a", category=""), {})
    assert [c.slice for c in found] == ["all", "category=", "event=spatial"]


def test_rows_of_unknown_tasks_do_not_count() -> None:
    scores = table([a_score(task="t0", value=0.5), a_score(task="gone", value=0.9)])
    assert only(aggregate.cells(scores, in_scenes("a"), {})).n == 1
    assert aggregate.cells(table([]), in_scenes("a"), {}) == []


def test_cells_do_not_depend_on_the_order_of_writing() -> None:
    values = np.random.default_rng(0).random(3000).tolist()
    scores = table(a_score(task=f"t{n % 6}", seed=n, value=value) for n, value in enumerate(values))
    assert sum(values) != sum(sorted(values)), "or the test could not fail"
    tasks = in_scenes(*"aabbcc")
    first = aggregate.cells(scores, tasks, {})
    for seed in range(5):
        assert aggregate.cells(scores.sample(fraction=1, shuffle=True, seed=seed), tasks, {}) == first


# ---------------------------------------------------------------- ledger

LEDGER = Protocol(
    name="diorama",
    summary="",
    metrics=("turned_away", "object_return"),
    headline=(),
    ledger=(
        Step(name="delivered", metric="turned_away", at_least=1.0),
        Step(name="right", metric="object_return", at_least=0.75),
    ),
)


def row(name: str, metric: str, value: float | None, reason: str = "", **changes: Any) -> Score:
    status = "ok" if value is not None else "failed"
    return a_score(task=name, metric=metric, value=value, status=status, reason=reason, **changes)


def test_a_ledger_by_hand() -> None:
    scores = [
        *[row("t0", "turned_away", 1.0), row("t0", "object_return", 0.75)],
        *[row("t1", "turned_away", 1.0), row("t1", "object_return", 0.7)],
        *[row("t2", "turned_away", 1.0), row("t2", "object_return", None, "no mask")],
        *[row("t3", "turned_away", 0.0), row("t3", "object_return", 1.0)],
        row("t4", "turned_away", 1.0),
        *[row("t5", "turned_away", None, "unreadable"), row("t5", "object_return", None, "unreadable")],
        *[row("t6", "turned_away", 0.0), row("t6", "object_return", 1.0)],
        *[row("t0", "turned_away", 1.0, system="frozen"), row("t0", "object_return", 1.0, system="frozen")],
        row("t9", "turned_away", 0.0, protocol="integrity"),
    ]
    steps = aggregate.ledger(table(scores), LEDGER, ["truth", "frozen", "silent"])
    assert [(s.system, s.step, s.reached, s.total, s.lost) for s in steps] == [
        ("truth", "delivered", 4, 7, {"turned_away below 1": 2, "unreadable": 1}),
        ("truth", "right", 1, 7, {"no mask": 1, "not scored": 1, "object_return below 0.75": 1}),
        ("frozen", "delivered", 1, 1, {}),
        ("frozen", "right", 1, 1, {}),
        ("silent", "delivered", 0, 0, {}),
        ("silent", "right", 0, 0, {}),
    ]
    assert list(steps[0].lost) == ["turned_away below 1", "unreadable"], "the commonest first"


def test_a_ledger_reads_the_newest_version_of_a_metric() -> None:
    scores = [row("t0", "turned_away", 1.0)]
    scores += [row("t0", "object_return", value, version=version) for version, value in [(1, 0.1), (2, 0.9)]]
    assert [s.reached for s in aggregate.ledger(table(scores), LEDGER, ["truth"])] == [1, 1]


PLACE = LEDGER.model_copy(update={"ledger": (Step(name="right place", metric="return_place", at_most=0.08),)})


def test_a_step_may_ask_for_a_small_number() -> None:
    scores = [row("t0", "return_place", 0.08), row("t1", "return_place", 0.23), row("t2", "return_place", None, "gone")]
    (step,) = aggregate.ledger(table(scores), PLACE, ["truth"])
    assert (step.reached, step.total) == (1, 3)
    assert step.lost == {"return_place above 0.08": 1, "gone": 1}


@pytest.mark.parametrize(("protocol", "metric", "good"), [(LEDGER, "turned_away", 1.0), (PLACE, "return_place", 0.0)])
@pytest.mark.parametrize("other", [0.5, None])
def test_of_two_numbers_for_one_step_the_worse_counts(
    protocol: Protocol, metric: str, good: float, other: float | None
) -> None:
    scores = [row("t0", metric, good), row("t0", metric, other, "" if other else "why", instrument="view@2")]
    for rows in (scores, scores[::-1]):
        (fate,) = aggregate.fates(table(rows), protocol).rows(named=True)
        assert (fate["lost"], fate["value"]) == (0, other)


def test_a_clip_tells_the_step_where_it_was_lost_and_why() -> None:
    avoided = {"status": "gated", "gate": "avoided"}
    scores = [
        *[row("t0", "turned_away", 1.0), row("t0", "object_return", 0.75)],
        *[row("t1", "turned_away", 1.0), row("t1", "object_return", 0.7)],
        *[row("t2", "turned_away", 0.0), a_score(task="t2", value=None, reason="never turned", **avoided)],
        row("t3", "turned_away", 1.0),
    ]
    told = aggregate.fates(table(scores), LEDGER).select("task", "lost", "value", "reason", "gated").rows()
    assert told == [
        ("t0", None, None, "", False),
        ("t1", 1, 0.7, "", False),
        ("t2", 0, 0.0, "", True),
        ("t3", 1, None, None, False),
    ]


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
