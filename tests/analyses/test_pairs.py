"""Pairs are alike in everything but their arm; a side without a number is told and never filled in."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from lookaway.analyses.contrasts import contrast, with_holm
from lookaway.analyses.pairs import (
    HIDDEN,
    OBSERVED,
    ContrastArm,
    metric_readings,
    paired,
    stand_ins,
    step_readings,
)
from lookaway.records import Contrast, Interval, Protocol, Score, Step, Task
from tests.analyses.score_tables import of, row, table
from tests.builders import task

PROTOCOL = Protocol(
    name="diorama",
    summary="",
    metrics=("turned_away:sound", "object_return:sound"),
    headline=("object_return:sound",),
    ledger=(
        Step(name="delivered", metric="turned_away:sound", at_least=1.0),
        Step(name="right", metric="object_return:sound", at_least=0.75),
    ),
)
TASKS = {
    one.id: one
    for one in (
        task(id="a", scene="x"),
        task(id="a_observed", scene="x", twin="observed", twin_of="a"),
        task(id="a_opposite", scene="x", twin="opposite", twin_of="a"),
        task(id="b", scene="y"),
        task(id="b_observed", scene="y", twin="observed", twin_of="b"),
        task(id="alone", scene="z"),
        task(id="orphan_observed", scene="z", twin="observed", twin_of="orphan"),
    )
}


def pairs_of(
    scores: list[Score], first: ContrastArm = HIDDEN, second: ContrastArm = OBSERVED, tasks: dict[str, Task] = TASKS
) -> pl.DataFrame:
    return paired(metric_readings(table(scores), PROTOCOL), tasks, first, second)


def values(pairs: pl.DataFrame) -> list[tuple[Any, ...]]:
    return pairs.select("pair", "first", "second").rows()


def read(name: str, value: float | None, reason: str = "", **changes: Any) -> Score:
    return row(name, "object_return", value, reason, **changes)


def test_a_task_is_paired_with_its_observed_twin_and_with_no_other() -> None:
    scores = [read(name, number / 10) for number, name in enumerate(TASKS)]
    assert values(pairs_of(scores)) == [("a", 0.0, 0.1), ("b", 0.3, 0.4)]
    assert pairs_of(scores)["scene"].to_list() == ["x", "y"]


COVERS = {cover: f"hold@1s, {cover}@0.5s, hold@1s" for cover in ("cardboard:lower", "curtain:close", "lights:off")}
GONE = (Interval(phase="hidden", start_s=1.5, end_s=2.5),)


def covered(name: str, cover: str, **changes: Any) -> Task:
    return task(id=name, scene="x", camera="hold@3s", cover=COVERS[cover], phases=GONE).model_copy(update=changes)


def test_one_observed_clip_serves_every_cover_of_the_same_seconds_and_nothing_else() -> None:
    own = covered("cardboard", "cardboard:lower")
    tasks = {
        one.id: one
        for one in (
            own,
            own.model_copy(update={"id": "seen", "twin": "observed", "twin_of": "cardboard", "cover": ""}),
            covered("curtain", "curtain:close"),
            covered("dark", "lights:off"),
            covered("other prompt", "curtain:close", prompt="Another."),
            covered("other scene", "curtain:close", scene="y"),
            covered("other picture", "curtain:close", first_frame="f" * 64),
            covered("later", "curtain:close", phases=(Interval(phase="hidden", start_s=1.5, end_s=2.75),)),
            covered("slower", "curtain:close").model_copy(update={"cover": "hold@1s, curtain:close@1s, hold@0.5s"}),
            covered("turns", "curtain:close", camera="yaw:left:60@3s"),
            covered("by camera", "curtain:close").model_copy(update={"cover": ""}),
            covered("opposite", "curtain:close", twin="opposite", twin_of="curtain"),
        )
    }
    assert stand_ins(tasks) == {"curtain": "seen", "dark": "seen"}
    scores = [read(name, number / 20) for number, name in enumerate(tasks)]
    found = values(pairs_of(scores, tasks=tasks))
    assert found == [("cardboard", 0.0, 0.05), ("curtain", 0.1, 0.05), ("dark", 0.15, 0.05)]
    twin = tasks["seen"].model_copy(update={"id": "own", "twin_of": "dark"})
    assert stand_ins(tasks | {"own": twin}) == {"curtain": "seen"}, "who has a twin needs no other"


def test_opposite_twins_and_branches_are_arms_too() -> None:
    scores = [read("a", 0.9), read("a_opposite", 0.2), read("a", 0.4, branch="watching"), read("b", 0.7)]
    assert values(pairs_of(scores, HIDDEN, ContrastArm("opposite", twin="opposite"))) == [("a", 0.9, 0.2)]
    watching = values(pairs_of(scores, HIDDEN, ContrastArm("watching", branch="watching")))
    assert watching == [("a", 0.9, 0.4), ("b", 0.7, None)]


@pytest.mark.parametrize(
    "other",
    [
        {"system": "frozen"},
        {"seed": 1},
        {"round": 2},
        {"variant": "paper"},
        {"instrument_key": "another"},
        {"ask_key": "another"},
        {"branch": "watching"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_readings_that_differ_in_anything_else_are_no_pair(other: dict[str, Any]) -> None:
    found = pairs_of([read("a", 0.9), read("a_observed", 0.4, **other)])
    assert found.drop_nulls(["first", "second"]).is_empty()
    assert ("a", 0.9, None) in values(found)


def test_a_side_without_a_number_says_why_and_is_not_filled_in() -> None:
    found = pairs_of([of("a", "avoided", "object_return"), read("a_observed", 0.9), read("b", 0.8)])
    assert found.select("pair", "first", "first_reason", "second", "second_reason").rows() == [
        ("a", None, "why", 0.9, None),
        ("b", 0.8, None, None, "not scored"),
    ]


def test_the_newest_version_of_a_metric_is_paired() -> None:
    scores = [read(name, value, version=v) for name in ("a", "a_observed") for v, value in ((1, 0.1), (2, 0.9))]
    assert values(pairs_of(scores)) == [("a", 0.9, 0.9)]


def clip(name: str, turned: float | None, right: float | None) -> list[Score]:
    return [row(name, "turned_away", turned, "blurred"), read(name, right, "gone")]


def steps_of(*clips: list[Score]) -> dict[tuple[str, str], tuple[float | None, str]]:
    found = step_readings(table(itertools.chain(*clips)), PROTOCOL, TASKS, HIDDEN, OBSERVED)
    return {(r["task"], r["metric"]): (r["value"], r["reason"]) for r in found.iter_rows(named=True)}


def test_a_step_is_reached_lost_or_without_a_number() -> None:
    found = steps_of(
        clip("a", 1.0, 0.9), clip("b", 1.0, 0.1), clip("a_observed", 0.0, 0.9), clip("b_observed", 1.0, None)
    )
    assert {place: value for place, (value, _) in found.items()} == {
        ("a", "delivered"): 1,
        ("a", "right"): 1,
        ("b", "delivered"): 1,
        ("b", "right"): 0,
        ("a_observed", "delivered"): 0,
        ("a_observed", "right"): 0,
        ("b_observed", "delivered"): 1,
        ("b_observed", "right"): None,
    }


def test_an_unknown_clip_is_never_counted_as_reached() -> None:
    found = steps_of(clip("a", None, 1.0), clip("a_observed", 1.0, 1.0))
    assert found["a", "delivered"] == found["a", "right"] == (None, "blurred")


def test_a_step_that_does_not_concern_a_clip_has_no_number_though_the_clip_was_lost_before() -> None:
    lost = [row("a_observed", "turned_away", 0.0), of("a_observed", "no_opportunity", "object_return")]
    passed = [row("b_observed", "turned_away", 1.0), of("b_observed", "no_opportunity", "object_return")]
    found = steps_of(lost, passed)
    assert found["a_observed", "delivered"] == (0, "")
    assert found["a_observed", "right"] == found["b_observed", "right"] == (None, "right does not concern it")


# ---------------------------------------------------------------- contrasts


Side = Sequence[float | None]


def contrast_of(first: Side, second: Side, binary: bool = False, scenes: int = 99) -> Contrast:
    tasks: dict[str, Task] = {}
    scores = []
    for n, (one, other) in enumerate(zip(first, second, strict=True)):
        tasks[f"t{n}"] = task(id=f"t{n}", scene=f"s{n % scenes}")
        tasks[f"o{n}"] = task(id=f"o{n}", scene=f"s{n % scenes}", twin="observed", twin_of=f"t{n}")
        scores += [read(f"t{n}", one, "gone"), read(f"o{n}", other, "dark")]
    return contrast("test", pairs_of(scores, tasks=tasks), HIDDEN, OBSERVED, binary=binary)


def test_the_estimate_is_the_mean_of_first_minus_second() -> None:
    found = contrast_of([0.2, 0.4, 0.6], [0.5, 0.5, 0.8])
    assert found.estimate == pytest.approx(-0.2)
    assert (found.n_pairs, found.n_scenes, found.arms) == (3, 3, ("hidden", "observed"))
    assert found.low < found.estimate < found.high < 0.1
    assert found.p == 0.25  # of the eight patterns of signs, all minus and all plus


def test_a_pair_with_a_missing_side_is_counted_and_changes_nothing_else() -> None:
    whole = contrast_of([0.2, 0.4], [0.5, 0.5])
    some = contrast_of([0.2, 0.4, None, 0.9, None], [0.5, 0.5, 0.9, None, None])
    assert (some.n_pairs, some.estimate, some.p) == (whole.n_pairs, whole.estimate, whole.p)
    assert some.missing == {"hidden: gone": 1, "hidden: gone and observed: dark": 1, "observed: dark": 1}
    assert whole.missing == {}


def test_without_pairs_there_is_a_reason() -> None:
    found = contrast_of([None, 0.5], [0.5, None])
    assert (found.estimate, found.p) == (None, None)
    assert found.reason == "no pair with two numbers: 1× hidden: gone; 1× observed: dark"
    assert contrast_of([], []).reason == "no pairs"


def test_equal_arms_and_a_single_scene_have_an_estimate_and_no_interval() -> None:
    equal = contrast_of([0.5, 0.7], [0.5, 0.7])
    assert (equal.estimate, equal.low, equal.p) == (0.0, None, None)
    assert equal.method == "no interval: both arms are equal in all 2 pairs"
    single = contrast_of([0.5, 0.7], [0.4, 0.4], scenes=1)
    assert single.estimate == pytest.approx(0.2)
    assert (single.low, single.p, single.n_scenes) == (None, None, 1)


def test_mcnemar_stands_beside_the_test_of_binary_pairs() -> None:
    """Six pairs differ, all one way: twice one half to the sixth."""
    found = contrast_of([0.0] * 6 + [1.0] * 4, [1.0] * 10, binary=True)
    assert found.p_beside == {"exact McNemar": pytest.approx(2 / 2**6)}
    assert found.estimate == pytest.approx(-0.6)
    assert contrast_of([0.0] * 6, [1.0] * 6).p_beside == {}


def test_the_order_of_scores_does_not_matter() -> None:
    rng = random.Random(0)
    first, second = ([rng.choice([None, rng.random()]) for _ in range(40)] for _ in range(2))
    names = list(range(40))
    told = contrast_of(first, second, scenes=40)
    for seed in range(3):
        random.Random(seed).shuffle(names)
        again = contrast_of([first[n] for n in names], [second[n] for n in names], scenes=40)
        assert again == told


def test_holm_raises_every_p_and_leaves_the_untested_alone() -> None:
    few, equal = contrast_of([0.2, 0.4, 0.6], [0.5, 0.5, 0.8]), contrast_of([0.5], [0.5])
    many = contrast_of([0.1] * 8, [0.5 + n / 100 for n in range(8)])
    assert many.p == 2 / 2**8
    corrected = with_holm([few, equal, many], "tests")
    assert [one.p_corrected for one in corrected] == [pytest.approx(0.25), None, pytest.approx(4 / 2**8)]
    assert [one.correction for one in corrected] == ["Holm over 2 tests", "", "Holm over 2 tests"]
