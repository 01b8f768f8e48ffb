from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from scipy import stats

from lookaway import aggregate
from lookaway.records import (
    Cell,
    GateKind,
    LedgerStep,
    ModelCard,
    Population,
    Protocol,
    Score,
    Step,
    System,
    Task,
)
from lookaway.stats.intervals import Estimate, scene_mean, scene_rate
from lookaway.store import tables
from tests.builders import task
from tests.store.store_records import a_score


def table(scores: Iterable[Score]) -> pl.DataFrame:
    rows = [{"key": str(n), "inputs": "", "attempt": 0, **score.model_dump()} for n, score in enumerate(scores)]
    return pl.DataFrame(rows, schema=tables.schema(Score))


def in_scenes(*scenes: str, **changes: Any) -> list[Task]:
    """Tasks t0, t1, … in the scenes given."""
    return [task(id=f"t{number}", scene=scene, **changes) for number, scene in enumerate(scenes)]


def systems(*names: str) -> list[System]:
    return [System(name=n, card=ModelCard(name=n, summary="", control="none", generator="x")) for n in names]


def asked(tasks: Iterable[Task], *names: str) -> aggregate.TableScope:
    return aggregate.TableScope({one.id: one for one in tasks}, systems(*names))


def cells_of(scores: pl.DataFrame, tasks: list[Task], scales: aggregate.Scales, **changes: Any) -> list[Cell]:
    """The cells of every protocol that the scores name."""
    about = asked(tasks, *scores["system"].unique().sort())
    made = [Protocol(name=name, summary="", metrics=(), headline=(), **changes) for name in scores["protocol"].unique()]
    return [cell for protocol in made for cell in aggregate.cells(scores, protocol, about, scales)]


def only(cells: list[Cell], slice: str = "all") -> Cell:
    (cell,) = [c for c in cells if c.slice == slice]
    return cell


def without_number(status: str) -> dict[str, Any]:
    gate = {"gate": status, "status": "gated"} if status in get_args(GateKind) else {"status": status}
    return {"value": None, "reason": "why", **gate}


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
    for number, status in enumerate(aggregate.STATUSES[1:]):
        scores += [a_score(task=f"t{seed % 7}", seed=seed, **without_number(status)) for seed in range(number + 2)]
    cell = only(cells_of(table(scores), in_scenes(*"abcdefg"), {}))
    assert [getattr(cell, status) for status in aggregate.STATUSES] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert cell.n == 36
    assert (cell.value, cell.low, cell.scenes) == (0.8, None, 1)


def test_nothing_measured_is_no_number() -> None:
    cell = only(cells_of(table([a_score(task="t0", **without_number("failed"))]), in_scenes("a"), {}))
    assert (cell.value, cell.low, cell.high, cell.floor, cell.scenes, cell.n) == (None, None, None, None, 0, 1)
    assert cell.method == "nothing measured"


def test_an_interval_ends_where_the_metric_does() -> None:
    scores = table([a_score(task="t0", value=0.1), a_score(task="t1", value=0.9)])
    scales = {("object_return", "sound"): aggregate.Scale(0.0, 1.0, 0.0)}
    wide, clipped = (only(cells_of(scores, in_scenes("a", "b"), s)) for s in ({}, scales))
    assert wide.low < 0 < 1 < wide.high
    assert (clipped.low, clipped.value, clipped.high) == (0.0, wide.value, 1.0)


@pytest.mark.parametrize(("worst", "floor"), [(0.0, 1.2 / 4), (1.0, 3.2 / 4), (None, None)])
def test_floor_counts_avoided_and_missing_outputs_as_worst(worst: float | None, floor: float | None) -> None:
    others = ("avoided", "no_output", "no_opportunity", "abstained", "failed", "not_applicable")
    scores = [a_score(task="t0", value=0.8), a_score(task="t1", value=0.4)]
    scores += [a_score(task="t2", seed=n, **without_number(status)) for n, status in enumerate(others)]
    scales = {} if worst is None else {("object_return", "sound"): aggregate.Scale(0.0, 1.0, worst)}
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
    assert sum(values) != sum(sorted(values)), "or the test could not fail"
    tasks = in_scenes(*"aabbcc")
    first = cells_of(scores, tasks, {})
    for seed in range(5):
        assert cells_of(scores.sample(fraction=1, shuffle=True, seed=seed), tasks, {}) == first


# ---------------------------------------------------------------- ledger

LEDGER = Protocol(
    name="diorama",
    summary="",
    metrics=("turned_away:sound", "object_return:sound"),
    headline=(),
    ledger=(
        Step(name="delivered", metric="turned_away:sound", at_least=1.0),
        Step(name="right", metric="object_return:sound", at_least=0.75),
    ),
)


def row(name: str, metric: str, value: float | None, reason: str = "", **changes: Any) -> Score:
    status = "ok" if value is not None else "failed"
    return a_score(task=name, metric=metric, value=value, status=status, reason=reason, **changes)


TEN = in_scenes(*"abcdefghij")


def ledger_of(scores: list[Score], protocol: Protocol = LEDGER, tasks: Iterable[Task] = TEN) -> list[LedgerStep]:
    return aggregate.ledger(table(scores), protocol, asked(tasks, "truth", "frozen", "silent"))


def of(name: str, status: str, metric: str = "turned_away", **changes: Any) -> Score:
    return a_score(task=name, metric=metric, **without_number(status), **changes)


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
    steps = ledger_of(scores)
    assert [(s.system, s.step, s.reached, s.total, s.lost, s.unknown) for s in steps] == [
        ("truth", "delivered", 4, 7, {"turned_away below 1": 2}, {"unreadable": 1}),
        ("truth", "right", 1, 7, {"object_return below 0.75": 1}, {"no mask": 1, "not scored": 1}),
        ("frozen", "delivered", 1, 1, {}, {}),
        ("frozen", "right", 1, 1, {}, {}),
        ("silent", "delivered", 0, 0, {}, {}),
        ("silent", "right", 0, 0, {}, {}),
    ]
    assert [s.unknown_before for s in steps[:2]] == [0, 1]
    assert steps[1].bounds == (1 / 7, 4 / 7), "one got there; of three more nobody knows"
    assert steps[4].bounds is None


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("avoided", "lost"),
        ("no_output", "lost"),
        ("not_applicable", "unknown"),
        ("not_judgeable", "unknown"),
        ("abstained", "unknown"),
        ("failed", "unknown"),
    ],
)
def test_what_was_not_measured_is_never_passed(status: str, outcome: str) -> None:
    scores = [of("t0", status), row("t0", "object_return", 1.0)]
    (fate,) = aggregate.fates(table(scores), LEDGER, {"t0": TEN[0]}).rows(named=True)
    assert (fate["outcome"], fate["ended"], fate["value"], fate["reason"]) == (outcome, 0, None, "why")


def test_only_what_is_declared_not_to_concern_a_task_is_skipped() -> None:
    still = task(id="t1", scene="b", moves=False, changes_in_place=False)
    about = LEDGER.ledger[0].model_copy(update={"concerns": {"event": ("!none",)}})
    protocol = LEDGER.model_copy(update={"ledger": (about, LEDGER.ledger[1])})
    scores = [
        *[of("t0", "not_applicable"), row("t0", "object_return", 1.0)],
        *[of("t1", "not_applicable"), row("t1", "object_return", 1.0)],
    ]
    first, second = ledger_of(scores, protocol, [TEN[0], still])[:2]
    assert (first.reached, first.skipped, first.unknown) == (1, 1, {"why": 1})
    assert (second.reached, second.skipped, second.total) == (1, 0, 2)


def test_a_task_without_opportunity_skips_the_step_and_counts_only_where_some_step_concerns_it() -> None:
    scores = [
        *[of("t0", "no_opportunity"), row("t0", "object_return", 1.0)],
        *[of("t1", "no_opportunity"), of("t1", "no_opportunity", "object_return")],
    ]
    steps = ledger_of(scores)[:2]
    assert [(s.reached, s.total, s.skipped) for s in steps] == [(1, 1, 1), (1, 1, 0)]


def test_a_ledger_reads_the_newest_version_of_a_metric() -> None:
    scores = [row("t0", "turned_away", 1.0)]
    scores += [row("t0", "object_return", value, version=version) for version, value in [(1, 0.1), (2, 0.9)]]
    assert [s.reached for s in ledger_of(scores)[:2]] == [1, 1]


def test_a_step_reads_its_own_variant() -> None:
    scores = [row("t0", "turned_away", 1.0), row("t0", "object_return", 0.9)]
    scores += [row("t0", "object_return", 0.1, variant="paper")]
    assert [s.reached for s in ledger_of(scores)[:2]] == [1, 1]


def test_two_instruments_make_two_ledgers() -> None:
    scores = [row("t0", "turned_away", 1.0)]
    scores += [row("t0", "object_return", 0.9, instrument="A", instrument_key="a")]
    scores += [row("t0", "object_return", 0.1, instrument="B", instrument_key="b")]
    steps = [s for s in ledger_of(scores) if (s.system, s.step) == ("truth", "right")]
    assert [(s.instruments, s.reached) for s in steps] == [("A", 1), ("B", 0)]


def test_twins_and_branches_are_no_rows_of_the_ledger_and_have_cells_of_their_own() -> None:
    twin = task(id="t1", scene="a", twin="observed", twin_of="t0")
    scores = []
    for name, branch in (("t0", ""), ("t1", ""), ("t0", "watching")):
        scores += [row(name, "turned_away", 1.0, branch=branch), row(name, "object_return", 0.9, branch=branch)]
    assert [s.total for s in ledger_of(scores, tasks=[TEN[0], twin])[:2]] == [1, 1]
    found = cells_of(table(scores), [TEN[0], twin], {}, slices=())
    mine = [(cell.slice, cell.n) for cell in found if cell.metric == "object_return"]
    assert mine == [("all", 1), ("branch=watching", 1), ("twin=observed", 1)]


PLACE = LEDGER.model_copy(
    update={"ledger": (Step(name="right place", metric="return_place:sound", at_most=0.08),), "metrics": ()}
)


def test_a_step_may_ask_for_a_small_number() -> None:
    scores = [row("t0", "return_place", 0.08), row("t1", "return_place", 0.23), row("t2", "return_place", None, "gone")]
    step = ledger_of(scores, PLACE)[0]
    assert (step.reached, step.total) == (1, 3)
    assert (step.lost, step.unknown) == ({"return_place above 0.08": 1}, {"gone": 1})


@pytest.mark.parametrize(("protocol", "metric", "good"), [(LEDGER, "turned_away", 1.0), (PLACE, "return_place", 0.0)])
@pytest.mark.parametrize(("other", "outcome"), [(0.5, "lost"), (None, "unknown")])
def test_of_two_look_aways_the_worse_counts(
    protocol: Protocol, metric: str, good: float, other: float | None, outcome: str
) -> None:
    scores = [row("t0", metric, good), row("t0", metric, other, "" if other else "why", round=2)]
    for rows in (scores, scores[::-1]):
        (fate,) = aggregate.fates(table(rows), protocol, {"t0": TEN[0]}).rows(named=True)
        assert (fate["outcome"], fate["ended"], fate["value"]) == (outcome, 0, other)


def test_a_clip_tells_the_step_where_it_stopped_and_why() -> None:
    avoided = {"status": "gated", "gate": "avoided"}
    scores = [
        *[row("t0", "turned_away", 1.0), row("t0", "object_return", 0.75)],
        *[row("t1", "turned_away", 1.0), row("t1", "object_return", 0.7)],
        *[row("t2", "turned_away", 0.0), a_score(task="t2", value=None, reason="never turned", **avoided)],
        row("t3", "turned_away", 1.0),
    ]
    known = {one.id: one for one in TEN}
    told = aggregate.fates(table(scores), LEDGER, known).select("task", "outcome", "ended", "value", "reason", "gated")
    assert told.rows() == [
        ("t0", "reached", None, None, "", False),
        ("t1", "lost", 1, 0.7, "", False),
        ("t2", "lost", 0, 0.0, "", True),
        ("t3", "unknown", 1, None, "not scored", False),
    ]


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
    protocol = LEDGER.model_copy(update={"populations": {"turned_away:sound": Population(tasks={"family": ("x",)})}})
    found = aggregate.cells(scores, protocol, asked(tasks, "truth"), {})
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
    cell = only(cells_of(scores, TEN, {}))
    assert (cell.measured_low, cell.measured_high) == (pytest.approx(0.5), pytest.approx(0.65))
    plain = only(cells_of(table([a_score(task="t0", value=0.5), a_score(task="t1", value=0.6)]), TEN, {}))
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
