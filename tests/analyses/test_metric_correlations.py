"""Correlations over systems find dimensions that go together, and no others."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from scipy.stats import pearsonr

from lookaway.analyses.metric_correlations import metric_correlations
from lookaway.analyses.summaries import SPARSE_CLIPS
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import KINDS, Planted, cell_at, changed, simulated

SUPPORT, ALIGNED, STATE = "Support (sound)", "prompt_camera_alignment", "reobserved_state"


def table(planted: Planted, seed: int = 0) -> Table:
    made = metric_correlations(simulated(seed, planted, families=6))
    assert not isinstance(made, Abstain)
    return made[0]


def test_a_planted_link_is_found_and_only_that_one() -> None:
    found = table(Planted(camera_by_support=0.6))
    linked = cell_at(found, SUPPORT, ALIGNED)
    assert linked.low > 0.5
    assert (linked.n, linked.marks) == (23, ("significant",))
    marked = [(row.title, n) for row in found.rows for n, cell in enumerate(row.cells) if "significant" in cell.marks]
    assert len(marked) == 2, "the pair, once from either side"
    assert cell_at(found, SUPPORT, STATE).marks == ()


def test_a_null_has_no_link_in_nine_of_ten_tables() -> None:
    tables = [table(Planted(), seed) for seed in range(10)]
    alarms = Counter(any("significant" in c.marks for row in one.rows for c in row.cells) for one in tables)
    assert alarms[True] <= 1


def test_it_is_pearson_over_the_systems_that_have_both() -> None:
    what = simulated(3, families=6)
    gone = pl.col("system").is_in(["m00", "m01", "m02"]) & (pl.col("metric") == "requested_camera_precision")
    what = changed(what)
    object.__setattr__(what, "scores", what.scores.filter(~gone))
    made = metric_correlations(what)
    assert not isinstance(made, Abstain)
    cell = cell_at(made[0], "Integrity (paper)", "requested_camera_precision")
    means = what.scores.group_by("system", "metric").agg(pl.col("value").mean()).pivot("metric", values="value")
    both = means.drop_nulls(["visual_integrity", "requested_camera_precision"])
    known = pearsonr(both["visual_integrity"].to_numpy(), both["requested_camera_precision"].to_numpy()).statistic
    assert cell.value == pytest.approx(known)
    assert (cell.n, cell.total) == (20, 23)


def test_sparse_values_are_left_out_of_a_second_table() -> None:
    rates = np.full(len(KINDS), 0.7)
    rates[:4] = 0.08
    made = metric_correlations(simulated(4, support=rates, families=6))
    assert not isinstance(made, Abstain)
    with_sparse, dense = made
    before, after = (cell_at(one, SUPPORT, STATE) for one in (with_sparse, dense))
    assert SPARSE_CLIPS > 0
    assert after.n < before.n
    assert cell_at(dense, SUPPORT, ALIGNED).n == 23, "the others have no sparse values"


def test_three_systems_are_too_few() -> None:
    what = simulated(0, families=3)
    few = changed(what, systems=what.systems[:3])
    object.__setattr__(few, "scores", what.scores.filter(pl.col("system").is_in(["m00", "m01", "m02"])))
    assert isinstance(metric_correlations(few), Abstain)
