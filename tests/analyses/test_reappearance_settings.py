"""A setting that changes scores is found, with its size; one that does not is not. Likewise strata and orders."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from lookaway.analyses import Analyse, Findings
from lookaway.analyses.metric_settings import setting_title
from lookaway.analyses.reappearance_settings import AS_PUBLISHED, reappearance_by_coverage, reappearance_by_prompt
from lookaway.analyses.reappearance_strata import reappearance_by_size, reappearance_by_turn
from lookaway.analyses.setting_sensitivity import FORCED, setting_sensitivity
from lookaway.models import system
from lookaway.outcomes import Abstain
from lookaway.records import MetricRef, Table
from tests.analyses.simulated_reappearance import CLIPS, SYSTEMS, Planted, simulated
from tests.analyses.simulated_scores import cell_at, changed

SEEDS = range(6)


def made(analyse: Analyse, findings: Findings) -> list[Table]:
    tables = analyse(findings)
    assert not isinstance(tables, Abstain), tables.reason
    return tables


def significant(table: Table) -> int:
    return sum("significant" in cell.marks for row in table.rows for cell in row.cells)


# ---------------------------------------------------------------- sweeps, as in S3 and S4


def test_mean_and_spread_of_every_setting_and_system_are_those_of_its_clips() -> None:
    findings = simulated()
    (table,) = made(reappearance_by_coverage, findings)
    assert [row.title for row in table.rows][:2] == [AS_PUBLISHED, "0.01 to 30 % of the picture"]
    assert len(table.rows) == 1 + 8
    values = findings.scores.filter((pl.col("system") == "m3") & (pl.col("variant") == "cover_0.1_70"))[
        "value"
    ].to_numpy()
    mean, spread = (cell_at(table, "0.1 to 70 % of the picture", f"m3-{part}") for part in ("mean", "std"))
    assert (mean.value, mean.n, mean.total) == (pytest.approx(np.mean(values)), CLIPS, CLIPS)
    assert spread.value == pytest.approx(np.std(values, ddof=1))


def test_a_coverage_range_that_favours_one_system_is_found_in_that_system_alone() -> None:
    (table,) = made(reappearance_by_coverage, simulated(0, Planted(wide_cover=0.1)))
    marked = {
        (row.title, column.name)
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
        if "significant" in cell.marks
    }
    assert marked == {(f"{low} to 70 % of the picture", "m0-mean") for low in ("0.05", "0.1")}


@pytest.mark.parametrize("analyse", [reappearance_by_coverage, reappearance_by_prompt])
def test_settings_that_change_nothing_are_not_marked(analyse: Analyse) -> None:
    """Holm keeps the chance of any false mark below 5 % a table; two of six tables would be one in 30."""
    assert sum(significant(made(analyse, simulated(seed))[0]) for seed in SEEDS) <= 1


def test_other_words_are_compared_though_another_instrument_looked() -> None:
    (table,) = made(reappearance_by_prompt, simulated(1, Planted(first_word=-0.2)))
    assert [row.title for row in table.rows][1:3] == ["the …", "detect … in the scene"]
    before, after = (cell_at(table, row, "m2-mean") for row in (AS_PUBLISHED, "the first word"))
    assert before.value - after.value == pytest.approx(0.2, abs=0.05)
    assert significant(table) == len(SYSTEMS)


# ---------------------------------------------------------------- strata


@pytest.mark.parametrize(
    ("analyse", "planted", "title"),
    [
        (
            reappearance_by_size,
            Planted(large=0.15),
            "10 to 100 % of the true picture against 0 to 2 % of the true picture",
        ),
        (reappearance_by_turn, Planted(far=-0.15), "120 to 180° against 0 to 60°"),
    ],
)
def test_a_stratum_that_comes_back_otherwise_is_found(analyse: Analyse, planted: Planted, title: str) -> None:
    _, asked = made(analyse, simulated(2, planted))
    found = cell_at(asked, title, "difference")
    assert found.value == pytest.approx(planted.large + planted.far, abs=0.06)
    assert "significant" in found.marks


@pytest.mark.parametrize("analyse", [reappearance_by_size, reappearance_by_turn])
def test_strata_that_are_alike_are_not_told_apart(analyse: Analyse) -> None:
    """Holm keeps the chance of any false mark below 5 % a table; three of six tables would be one in 450."""
    assert sum(significant(made(analyse, simulated(seed))[1]) for seed in SEEDS) <= 2


def test_a_clip_counts_in_its_own_stratum_alone() -> None:
    table, _ = made(reappearance_by_size, simulated())
    for row in table.rows:
        assert sum(cell.n or 0 for cell in row.cells) == CLIPS
        assert sum(cell.total or 0 for cell in row.cells) == CLIPS


# ---------------------------------------------------------------- sensitivity, as in S7


def test_the_order_of_clips_under_another_setting_is_kendalls_tau() -> None:
    findings = simulated(3)
    (table,) = made(setting_sensitivity, findings)
    rows = findings.scores.sort("task", "system")
    values = [rows.filter(pl.col("variant") == name)["value"].to_numpy() for name in ("cover_0.2_50", "paper")]
    cell = cell_at(table, "0.2 to 50 % of the picture", "clips")
    assert cell.value == pytest.approx(kendalltau(*values).statistic)
    assert cell.n == CLIPS * len(SYSTEMS)
    assert cell_at(table, "0.2 to 50 % of the picture", "systems").n == len(SYSTEMS)


def test_a_setting_that_shuffles_the_clips_is_found_and_one_that_does_not_keeps_them() -> None:
    (table,) = made(setting_sensitivity, simulated(4, Planted(shuffled="prompt_photo")))
    shuffled, kept = (cell_at(table, row, "clips") for row in ("a photo of …", "the …"))
    assert shuffled.low < 0 < shuffled.high
    assert kept.low > 0.8


def test_a_metric_that_a_setting_only_stretches_keeps_every_order_and_the_table_says_why() -> None:
    """exp(-e / tau) under two temperatures."""
    findings = simulated(5)
    paper = pl.col("value").filter(pl.col("variant") == "paper").first().over("task", "system")
    error = -0.15 * paper.log()
    stretched = pl.when(pl.col("variant") == "cover_0.1_50").then((-error / 0.3).exp()).otherwise("value")
    renamed = pl.col("variant").replace({"cover_0.1_50": "tau_0.30"})
    metrics = (*findings.protocol.metrics, MetricRef(name="object_reappearance", variant="tau_0.30"))
    protocol = findings.protocol.model_copy(update={"metrics": metrics})
    (table,) = made(setting_sensitivity, changed(findings, stretched.alias("value"), renamed, protocol=protocol))
    assert cell_at(table, "0.30", "clips").value == pytest.approx(1.0)
    assert FORCED["tau"] in table.notes
    (without,) = made(setting_sensitivity, findings)
    assert FORCED["tau"] not in without.notes


def test_what_looked_without_weights_is_compared_with_its_own_default() -> None:
    """`tau_0.05_dis` beside `paper_dis`, though `paper` was scored by another instrument."""
    findings = simulated(7)
    instead = {"cover_0.01_30": "paper_dis", "cover_0.03_40": "tau_0.05_dis"}
    renamed = pl.col("variant").replace(instead)
    by = pl.when(pl.col("variant").is_in(list(instead))).then(pl.lit("dis")).otherwise("instrument_key")
    shuffled = pl.when(pl.col("variant") == "paper").then(pl.col("value").reverse()).otherwise("value")
    metrics = [MetricRef(name="object_reappearance", variant=name) for name in ("paper", *instead.values())]
    protocol = findings.protocol.model_copy(update={"metrics": tuple(metrics)})
    given = changed(findings, renamed, by.alias("instrument_key"), shuffled.alias("value"), protocol=protocol)
    (table,) = made(setting_sensitivity, given)
    assert [row.title for row in table.rows] == ["0.05, dis"]
    assert cell_at(table, "0.05, dis", "clips").low > 0.8


def test_the_truth_is_a_ceiling_and_no_system_among_others() -> None:
    findings = simulated(6, Planted(shuffled="prompt_photo"))
    renamed = pl.col("system").replace({"m7": "truth"})
    known = changed(findings, renamed, systems=[*findings.systems[:-1], system("truth")])
    (sweep,) = made(reappearance_by_coverage, known)
    assert cell_at(sweep, AS_PUBLISHED, "truth-mean").marks == ("ceiling",)
    assert cell_at(sweep, AS_PUBLISHED, "m0-mean").marks == ()
    (orders,) = made(setting_sensitivity, known)
    assert cell_at(orders, "the …", "clips").n == CLIPS * (len(SYSTEMS) - 1)
    _, asked = made(reappearance_by_turn, known)
    assert cell_at(asked, "120 to 180° against 0 to 60°", "systems").value == len(SYSTEMS) - 1


def test_settings_read_as_words() -> None:
    assert setting_title("tau_0.05") == "0.05"
    assert setting_title("tau_0.05_dis") == "0.05, dis"
    assert setting_title("prompt_photo") == "a photo of …"
    assert setting_title("turn_120_180") == "120 to 180°"


def test_without_scores_there_is_a_reason() -> None:
    findings = simulated()
    nothing = changed(findings, pl.lit(None, pl.Float64).alias("value"), pl.lit("abstained").alias("status"))
    for analyse in (reappearance_by_coverage, reappearance_by_prompt, reappearance_by_size, setting_sensitivity):
        assert isinstance(analyse(nothing), Abstain)
