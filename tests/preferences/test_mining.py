"""Who is preferred is better on the axis, posed the test and moved; every pair that is no preference is counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.preferences import mining
from lookaway.preferences.axes import AXES, AXIS_NAMES, DEFAULT_RULES, PairRules
from lookaway.preferences.mining import MinedPairs, mined
from lookaway.preferences.standing import Assets
from tests.analyses.simulated_scores import METRICS, Planted, changed, simulated

TASK = "f00-spatial-left"
AXIS = {
    "requested_camera_precision": "camera_precision",
    "prompt_camera_alignment": "camera_alignment",
    "visual_integrity": "integrity",
    "judged_support": "support",
}


GOOD = dict.fromkeys(METRICS, 0.5) | {"judged_support": 1.0}


def of_two(
    first: dict[str, float | None], second: dict[str, float | None], task: str = TASK, **columns: Any
) -> Findings:
    """Findings of two clips; a metric left out has the number of GOOD, None abstained."""
    what = simulated(0, families=1)
    numbers = [
        {"system": label, "metric": metric, "number": (GOOD | given)[metric]}
        for label, given in (("m00", first), ("m01", second))
        for metric in METRICS
    ]
    table = pl.DataFrame(numbers, schema={"system": pl.String, "metric": pl.String, "number": pl.Float64})
    rows = what.scores.filter((pl.col("task") == task) & pl.col("system").is_in(["m00", "m01"]))
    rows = rows.join(table, on=["system", "metric"]).with_columns(
        value=pl.col("number"),
        status=pl.when(pl.col("number").is_null()).then(pl.lit("abstained")).otherwise(pl.lit("ok")),
        gate=pl.lit(None, pl.String),
        **columns,
    )
    found = changed(what, systems=what.systems[:2])
    object.__setattr__(found, "scores", rows.drop("number"))
    return found


def assets(findings: Findings, lost: tuple[str, ...] = (), frame: str | None = "blobs/frame.png") -> Assets:
    clips = findings.scores.select("task", "system", "seed").unique(maintain_order=True)
    path = pl.format("blobs/{}-{}.mp4", "task", "system")
    video = pl.when(pl.col("system").is_in(lost)).then(None).otherwise(path)
    tasks = [(one.id, one.prompt, frame) for one in findings.tasks.values()]
    schema = dict.fromkeys(("task", "prompt", "first_frame"), pl.String)
    return Assets(clips.with_columns(video=video), pl.DataFrame(tasks, schema=schema, orient="row"))


def pairs_of(findings: Findings, rules: PairRules = DEFAULT_RULES, **more: Any) -> MinedPairs:
    return mined(findings, assets(findings, **more), rules)


def why(found: MinedPairs, axis: str) -> dict[str, int]:
    return dict(found.removed.filter(pl.col("axis") == axis).select("why", "n").iter_rows())


def kept(found: MinedPairs, axis: str) -> list[dict[str, Any]]:
    return found.pairs.filter(pl.col("axis") == axis).to_dicts()


@pytest.mark.parametrize("metric", METRICS)
def test_the_better_clip_is_chosen_on_its_axis_alone(metric: str) -> None:
    worse = {metric: 0.0 if metric == "judged_support" else 0.2}
    found, turned = (pairs_of(of_two(*both), PairRules(with_static=True)) for both in (({}, worse), (worse, {})))
    axis = AXIS.get(metric, metric)
    (pair,) = kept(found, axis)
    assert (pair["chosen"], pair["rejected"]) == (f"blobs/{TASK}-m00.mp4", f"blobs/{TASK}-m01.mp4")
    assert pair["margin"] == pytest.approx(GOOD[metric] - (worse[metric] or 0.0))
    assert found.pairs.height == 1
    assert turned.pairs["chosen"].to_list() == [f"blobs/{TASK}-m01.mp4"]


def test_equal_clips_are_no_preference() -> None:
    found = pairs_of(of_two({}, {}))
    assert found.pairs.is_empty()
    assert {axis: why(found, axis) for axis in AXIS_NAMES} == {axis: {mining.TOO_CLOSE: 1} for axis in AXIS_NAMES}


def test_a_lead_of_exactly_the_margin_counts_and_less_does_not() -> None:
    found = pairs_of(of_two({}, {"visible_state": 0.4, "visible_spatial": 0.41}))
    assert found.pairs["axis"].to_list() == ["visible_state"]
    wider = pairs_of(of_two({}, {"visible_state": 0.4}), PairRules(margins={"visible_state": 0.2}))
    assert wider.pairs.is_empty()


def test_overlapping_bounds_of_the_measurement_are_no_preference() -> None:
    for width, n in ((0.05, 1), (0.2, 0)):
        around = {"low": pl.col("number") - width, "high": pl.col("number") + width}
        found = pairs_of(of_two({}, {"visible_state": 0.2}, **around))
        assert len(kept(found, "visible_state")) == n
    assert why(found, "visible_state") == {mining.UNSURE: 1}


@pytest.mark.parametrize("axis", ["visible_state", "integrity", "camera_alignment"])
def test_a_clip_that_skipped_the_test_is_never_preferred(axis: str) -> None:
    metric = {v: k for k, v in AXIS.items()}.get(axis, axis)
    found = pairs_of(of_two({metric: 1.0, "judged_support": 0.0}, {}))
    assert kept(found, axis) == []
    assert why(found, axis) == {mining.SKIPPED: 1}


def test_what_nobody_knows_is_never_taken_to_hold() -> None:
    untested = pairs_of(of_two({"visible_state": 1.0, "judged_support": None}, {}))
    assert why(untested, "visible_state") == {mining.UNTOLD_TEST: 1}
    camera = {"prompt_camera_alignment": None}
    assert why(pairs_of(of_two({"visible_state": 1.0} | camera, {})), "visible_state") == {mining.UNTOLD_MOVE: 1}
    blind = pairs_of(of_two({"prompt_camera_alignment": 1.0, "visual_integrity": None}, {}))
    assert why(blind, "camera_alignment") == {mining.UNTOLD_INTEGRITY: 1}


def test_a_camera_that_is_asked_to_rest_poses_no_test() -> None:
    found = pairs_of(of_two({"visible_state": 1.0}, {}, task="f00-spatial-static"), PairRules(with_static=True))
    assert found.pairs.is_empty()
    assert why(found, "visible_state") == {mining.AT_REST: 1}


def test_a_turn_that_costs_integrity_is_not_preferred_and_one_that_does_not_is() -> None:
    further = {"prompt_camera_alignment": 1.0}
    assert why(pairs_of(of_two(further | {"visual_integrity": 0.4}, {})), "camera_alignment") == {mining.PAID: 1}
    assert len(kept(pairs_of(of_two(further | {"visual_integrity": 0.41}, {})), "camera_alignment")) == 1


def test_integrity_guards_displacement_and_nothing_else() -> None:
    assert [axis.name for axis in AXES if axis.keeps_integrity] == ["camera_precision", "camera_alignment", "support"]
    found = pairs_of(of_two({"visible_state": 1.0, "visual_integrity": 0.1}, {}))
    assert len(kept(found, "visible_state")) == 1


def test_pairs_are_of_two_cameras_that_moved_unless_static_ones_are_asked_for() -> None:
    still = {"prompt_camera_alignment": 0.0, "visible_state": 0.1}
    assert why(pairs_of(of_two({}, still)), "visible_state") == {mining.NOT_DYNAMIC: 1}
    (pair,) = kept(pairs_of(of_two({}, still), PairRules(with_static=True)), "visible_state")
    assert not pair["dynamic"]
    (moving,) = kept(pairs_of(of_two({}, {"visible_state": 0.1})), "visible_state")
    assert moving["dynamic"]


def test_a_camera_that_is_called_inactive_did_not_move_whatever_its_alignment() -> None:
    what = of_two({"visible_state": 1.0}, {})
    aligned = what.scores.filter(pl.col("metric") == "prompt_camera_alignment")
    inactive = aligned.with_columns(
        metric=pl.lit("camera_inactivity"), value=(pl.col("system") == "m00").cast(pl.Float64)
    )
    object.__setattr__(what, "scores", pl.concat([what.scores, inactive]))
    assert why(pairs_of(what, PairRules(with_static=True)), "visible_state") == {mining.STILL: 1}


def test_pairs_with_a_missing_video_or_first_frame_are_removed_and_counted() -> None:
    what = of_two({"visible_state": 1.0}, {})
    for more, reason in (
        ({"lost": ("m00",)}, mining.NO_VIDEO),
        ({"lost": ("m01",)}, mining.NO_VIDEO),
        ({"frame": None}, mining.NO_FIRST_FRAME),
    ):
        assert why(pairs_of(what, **more), "visible_state") == {reason: 1}


def test_two_instruments_never_meet_in_a_pair() -> None:
    apart = pl.when(pl.col("metric") == "visible_state").then("system").otherwise(pl.lit("")).alias("instrument_key")
    what = of_two({"visible_state": 1.0}, {})
    assert len(kept(pairs_of(what), "visible_state")) == 1
    found = pairs_of(changed(what, apart))
    assert kept(found, "visible_state") == []
    assert why(found, "visible_state") == {}


def test_every_reading_of_support_has_to_hold() -> None:
    what = of_two({"visible_state": 1.0}, {})
    support = what.scores.filter(pl.col("metric") == "judged_support")
    stricter = support.with_columns(instrument_key=pl.lit("other"), value=pl.lit(0.0))
    object.__setattr__(what, "scores", pl.concat([what.scores, stricter]))
    assert why(pairs_of(what), "visible_state") == {mining.SKIPPED: 1}


def test_what_is_behind_the_gate_of_its_own_axis_needs_no_other_support() -> None:
    found = pairs_of(of_two({"reobserved_spatial": 1.0, "judged_support": 0.0}, {"judged_support": 0.0}))
    (pair,) = kept(found, "reobserved_spatial")
    assert pair["judgeable"]


def test_a_pair_tells_its_evidence() -> None:
    (pair,) = kept(pairs_of(of_two({"visible_state": 0.9}, {})), "visible_state")
    evidence = pair["evidence"]
    assert evidence["metric"] == "visible_state:paper"
    assert evidence["instrument"] == "judge"
    assert (evidence["chosen"]["case"], evidence["rejected"]["case"]) == (f"{TASK}/m00/0", f"{TASK}/m01/0")
    assert (evidence["chosen"]["value"], evidence["rejected"]["value"]) == (0.9, 0.5)
    assert {one["metric"]: one["chosen"] for one in evidence["guards"]} == {
        "judged_support:sound": 1.0,
        "visual_integrity:paper": 0.5,
    }


class TestManySystems:
    """The simulated table of 23 systems, in which every pair has to be somewhere."""

    def test_every_two_clips_with_a_number_are_kept_or_counted_once(self) -> None:
        what = simulated(3, families=2)
        found = pairs_of(what)
        numbers = what.scores.drop_nulls("value").group_by("metric", "task").len()
        for metric in METRICS:
            n = numbers.filter(pl.col("metric") == metric)["len"].to_numpy().astype(np.int64)
            axis = AXIS.get(metric, metric)
            assert len(kept(found, axis)) + sum(why(found, axis).values()) == int((n * (n - 1) // 2).sum())

    def test_nobody_who_skipped_the_test_is_ever_chosen(self) -> None:
        what = simulated(4, families=2)
        tested = what.scores.filter((pl.col("metric") == "judged_support") & (pl.col("value") == 1))
        cases = set(tested.select(pl.format("{}/{}/{}", "task", "system", "seed")).to_series())
        found = pairs_of(what, PairRules(with_static=True)).pairs
        chosen = found["evidence"].struct.field("chosen").struct.field("case")
        assert found.height > 1000
        assert set(chosen) <= cases

    def test_a_better_system_is_preferred_and_of_equal_ones_none(self) -> None:
        same = Planted(spread=0.0, noise=0.15)
        null = simulated(5, same, families=3, support=np.full(23, 0.9))
        better = pl.when((pl.col("system") == "m03") & (pl.col("metric") == "visible_state"))
        planted = changed(
            null, better.then(pl.min_horizontal(pl.col("value") + 0.3, 1.0)).otherwise("value").alias("value")
        )
        assert share_won(planted, "m03") > 0.9
        assert 0.3 < share_won(null, "m03") < 0.7

    def test_the_most_of_a_task_are_those_of_the_widest_margins(self) -> None:
        what = simulated(6, families=1)
        rules = PairRules(axes=("integrity",), most=3)
        few, all_of_them = pairs_of(what, rules).pairs, pairs_of(what, replace(rules, most=None)).pairs
        for (task,), mine in few.partition_by("task", as_dict=True).items():
            widest = all_of_them.filter(pl.col("task") == task)["margin"].top_k(3)
            assert mine["margin"].sort().to_list() == widest.sort().to_list()

    def test_the_order_of_rows_does_not_matter(self) -> None:
        what = simulated(7, families=1)
        mixed = changed(what)
        object.__setattr__(mixed, "scores", what.scores.sample(fraction=1.0, shuffle=True, seed=2))
        assert pairs_of(mixed).pairs.equals(pairs_of(what).pairs)


def share_won(findings: Findings, system: str) -> float:
    pairs = pairs_of(findings, PairRules(axes=("visible_state",))).pairs["evidence"]
    won, lost = (pairs.struct.field(side).struct.field("system") == system for side in ("chosen", "rejected"))
    return float(won.sum() / (won.sum() + lost.sum()))
