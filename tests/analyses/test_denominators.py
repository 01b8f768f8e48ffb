"""Ranks that hang on the denominator are told; where nothing is skipped, nothing moves."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.denominators import denominators
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import KINDS, Planted, cell_at, changed, simulated

STATE = "Re-observed state (paper)"
AVOIDED = "rows with opportunity, avoidance as failure"


def tables(what: Findings) -> tuple[Table, Table, Table]:
    made = denominators(what)
    assert not isinstance(made, Abstain)
    values, ranks, moves = made
    return values, ranks, moves


def hero() -> Findings:
    """m00 seldom tests its memory and is right whenever it does."""
    rates = np.where(np.arange(len(KINDS)) == 0, 0.12, 0.8)
    best = (pl.col("system") == "m00") & (pl.col("metric") == "reobserved_state") & pl.col("value").is_not_null()
    return changed(simulated(0, support=rates, families=8), pl.when(best).then(0.99).otherwise("value").alias("value"))


def test_one_who_skips_the_test_falls_from_first_to_last() -> None:
    _, ranks, moves = tables(hero())
    assert cell_at(ranks, "m00", "reobserved_state:paper:conditional").value == 1
    assert cell_at(ranks, "m00", "reobserved_state:paper:opportunity").value == 23
    assert cell_at(moves, AVOIDED, "fall", STATE).value == 22
    assert cell_at(moves, AVOIDED, "who_falls", STATE).text == "m00"


def test_where_every_clip_is_tested_no_rank_moves() -> None:
    what = simulated(1, Planted(), np.ones(len(KINDS)), families=6)
    what = changed(what, tasks={name: task for name, task in what.tasks.items() if not name.endswith("static")})
    _, _, moves = tables(what)
    falls = [row.cells[1].value for row in moves.rows if row.group.startswith("Re-observed")]
    assert falls == [0.0] * 6


def test_support_is_counted_over_all_yaw_and_opportunity_rows() -> None:
    values, _, _ = tables(simulated(2, support=np.full(len(KINDS), 0.5), families=6))
    whole, yaw, able = (
        cell_at(values, "m00", f"judged_support:sound:{name}") for name in ("all", "yaw", "opportunity")
    )
    assert (whole.n, yaw.n, able.n) == (72, 48, 48)
    assert yaw.value == able.value == pytest.approx(1.5 * whole.value)


def test_a_video_that_never_came_counts_as_failure() -> None:
    what = simulated(2, support=np.full(len(KINDS), 0.9), families=6)
    mine = (
        (pl.col("system") == "m00") & pl.col("task").str.starts_with("f00") & (pl.col("metric") == "reobserved_state")
    )
    columns = [
        pl.when(mine).then(None).otherwise("value").alias("value"),
        pl.when(mine).then(None).otherwise("gate").alias("gate"),
        pl.when(mine).then(pl.lit("no_output")).otherwise("status").alias("status"),
        pl.when(mine).then(pl.lit("no video")).otherwise("reason").alias("reason"),
    ]
    before, after = (
        cell_at(tables(one)[0], "m00", "reobserved_state:paper:yaw") for one in (what, changed(what, *columns))
    )
    assert after.n == before.n == 48
    assert after.value < before.value


def test_without_support_and_return_there_is_a_reason() -> None:
    what = simulated(0, families=2)
    none = changed(what)
    object.__setattr__(none, "scores", what.scores.filter(pl.col("metric") == "visual_integrity"))
    assert isinstance(denominators(none), Abstain)
