"""Systems of a run stand below MemoBench's printed rows, multiplied as these are, each variant in a row of its own."""

from __future__ import annotations

import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.beside_published import beside_published
from lookaway.analyses.own_rows import OURS
from lookaway.outcomes import Abstain
from lookaway.published import read_paper
from lookaway.records import MetricRef, Protocol, Table, TableRow
from tests.analyses.simulated_memory import SYSTEMS, simulated
from tests.analyses.simulated_scores import cell_at

WHAT = simulated(3)
PAPER = f"{OURS}, paper"


def tables(what: Findings = WHAT) -> dict[str, Table]:
    made = beside_published(what)
    assert not isinstance(made, Abstain)
    return {table.name.removeprefix("published-").removesuffix("-memobench"): table for table in made}


def own(table: Table) -> list[TableRow]:
    return [row for row in table.rows if row.group.startswith(OURS)]


def with_scores(scores: pl.DataFrame, **changes: object) -> Findings:
    protocol = Protocol.model_validate(dict(WHAT.protocol) | changes)
    return Findings(scores, WHAT.tasks, WHAT.systems, protocol, WHAT.scales)


def test_tables_of_means_have_rows_of_this_run() -> None:
    assert {"table2", "table3", "table-s5", "table-s6", "table-s8"} == {*tables()}
    assert all([row.title for row in own(table)] == [*SYSTEMS] for table in tables().values())


def test_printed_rows_keep_their_numbers_and_marks() -> None:
    table = tables()["table2"]
    for row, printed in zip(table.rows, read_paper("memobench").rows["table2"], strict=False):
        for cell, column in zip(row.cells, table.columns, strict=True):
            assert cell.value == printed.number(column.name)
            assert "published" in cell.marks
            assert ("second" in cell.marks) == (column.name in printed.second)
    assert not any({"best", "second", "published"} & {*cell.marks} for row in own(table) for cell in row.cells)


@pytest.mark.parametrize(
    ("column", "metric", "times"), [("VisQual", "visual_quality", 100), ("ORS", "object_reappearance", 1)]
)
def test_a_number_is_the_mean_of_the_clips_as_the_column_is_printed(column: str, metric: str, times: int) -> None:
    cell = cell_at(tables()["table2"], "m2", column, PAPER)
    mine = WHAT.scores.filter((pl.col("system") == "m2") & (pl.col("metric") == metric))["value"]
    assert cell.value == pytest.approx(times * mine.mean())
    assert cell.low < cell.value < cell.high
    assert (cell.n, cell.total) == (24, 24)


def test_a_metric_that_is_not_there_is_an_empty_column() -> None:
    table = tables(simulated(3, metrics=("visual_quality",)))["table2"]
    reasons = [cell.reason for cell in own(table)[0].cells]
    assert reasons == ["", *["not in this run"] * 9]


def test_large_turns_and_synthetic_clips_are_counted_apart() -> None:
    made = tables()
    assert {cell_at(made["table-s5"], name, "n", PAPER).value for name in SYSTEMS} == {12}
    far = pl.col("task").str.ends_with("far") & (pl.col("system") == "m1") & (pl.col("metric") == "psnr_all")
    mean = WHAT.scores.filter(far)["value"].mean()
    assert cell_at(made["table-s5"], "m1", "PSNR", PAPER).value == pytest.approx(mean)
    assert cell_at(made["table-s8"], "m1", "CamCtrl", PAPER).n == 12


def test_variants_stand_in_rows_of_their_own() -> None:
    sound = WHAT.scores.filter(pl.col("metric") == "visual_quality").with_columns(
        variant=pl.lit("sound"), value=pl.col("value") / 2
    )
    metrics = (*WHAT.protocol.metrics, MetricRef(name="visual_quality", variant="sound"))
    table = tables(with_scores(pl.concat([WHAT.scores, sound]), metrics=metrics))["table2"]
    paper, other = (cell_at(table, "m4", "VisQual", f"{OURS}, {variant}") for variant in ("paper", "sound"))
    assert other.value == pytest.approx(paper.value / 2)
    assert cell_at(table, "m4", "ORS", f"{OURS}, sound").reason == "not in this run"


def test_two_instruments_never_share_a_cell() -> None:
    second = pl.when(pl.col("task").str.ends_with("far")).then(pl.lit("k2")).otherwise("instrument_key")
    table = tables(with_scores(WHAT.scores.with_columns(second.alias("instrument_key"))))["table2"]
    assert {cell.reason for cell in own(table)[0].cells} == {"read by more than one instrument or ask"}


def test_failures_of_the_run_are_counted_by_split() -> None:
    gone = WHAT.scores.filter(pl.col("metric") == "ssim_all").with_columns(
        metric=pl.lit("object_present"),
        variant=pl.lit("sound"),
        value=pl.when(pl.col("task").is_in(["s01-far", "s01-near", "s03-far"])).then(0.0).otherwise(1.0),
    )
    metrics = (*WHAT.protocol.metrics, MetricRef(name="object_present", variant="sound"))
    table = tables(with_scores(pl.concat([WHAT.scores, gone]), metrics=metrics))["table-s10"]
    counts = {title: cell_at(table, title, "object_vanish", OURS) for title in ("m0, synthetic", "m0, real")}
    assert [(cell.value, cell.n) for cell in counts.values()] == [(3, 12), (0, 12)]
    assert counts["m0, synthetic"].low < 3 < counts["m0, synthetic"].high
    assert cell_at(table, "m0, real", "state_reset", OURS).reason == "not in this run"
    assert cell_at(table, "m0, real", "camera_drift", OURS).reason == "not in this run"


def test_variants_of_the_protocol_share_its_paper() -> None:
    made = beside_published(simulated(0, protocol="memobench_paper"))
    assert not isinstance(made, Abstain)
    assert made[0].name == "published-table2-memobench-paper"


def test_a_run_without_any_of_its_metrics_has_nothing_beside_it() -> None:
    assert isinstance(beside_published(simulated(0, metrics=())), Abstain)
