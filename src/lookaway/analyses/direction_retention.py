"""Does it matter which way the camera looks? Support to the left and to the right, beside what geometry allows."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import widest_difference, with_holm
from lookaway.analyses.dimensions import JUDGED, REOBSERVED_STATE, SUPPORT, DimensionReading, Panel, panel_name, panels
from lookaway.analyses.over_systems import ContrastLine, over_systems, questions_table
from lookaway.analyses.profile import in_condition_order
from lookaway.analyses.summaries import counts_as, rows_of, summary_cell, totals_by_scene
from lookaway.outcomes import Abstain
from lookaway.records import Column, Contrast, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.jackknife import jackknifed

WAYS = ("left", "right")  # looks left first and returns to the right; and the other way round
POOLED = "all systems"


@analysis(version=1, title="Camera direction")
def direction_retention(findings: Findings) -> list[Table] | Abstain:
    """Support by yaw direction, their ratio (retention) and the ratio that the geometry of the tasks allows."""
    every = panels(findings)
    made = [table for panel in every for table in _tables(panel, every, findings)]
    return made or Abstain("no support was measured in both yaw directions")


def _tables(panel: Panel, every: Sequence[Panel], findings: Findings) -> list[Table]:
    support, state = panel.only(SUPPORT), panel.of(REOBSERVED_STATE)
    if isinstance(support, Abstain):
        return []
    rows = rows_of(support, findings)
    if not set(WAYS) <= set(rows["direction"].unique()):
        return []
    systems = [(s.label, s.card.condition_type, pl.col("system") == s.label) for s in in_condition_order(findings)]
    lines = [(POOLED, "pooled", pl.lit(True)), *systems]
    return [
        Table(
            name=table_name(panel_name("direction-retention", panel, every), findings.protocol.name),
            title="Support by camera direction",
            columns=_columns(support, state),
            rows=tuple(
                TableRow(title=title, group=group, cells=_cells(support, state, mine, findings))
                for title, group, mine in lines
            ),
            notes=(
                "Left looks left first and returns. Retention is support to the left over support to the right; "
                "allowed is the same ratio of the tasks that can hide their subject and bring it back, by its box, the "
                "field of view and the path asked for. Intervals are over scenes.",
            ),
            protocol=findings.protocol.name,
            reading="Read retention against what geometry allows, not against 1: a subject on one side leaves view "
            "sooner one way.",
        ),
        _tests(panel, every, findings),
    ]


def _columns(support: DimensionReading, state: Sequence[DimensionReading]) -> tuple[Column, ...]:
    return (
        *(support.column(name=f"support_{way}", title=f"{support.title}, {way}") for way in WAYS),
        Column(name="retention", title="retention", unit="ratio"),
        *(Column(name=f"opportunity_{way}", title=f"opportunity, {way}", unit="rate") for way in WAYS),
        Column(name="allowed", title="allowed", unit="ratio"),
        *(one.column(name=f"{one.column().name}:{w}", title=f"{one.title}, {w}") for one in state for w in WAYS),
    )


def _cells(
    support: DimensionReading, state: Sequence[DimensionReading], mine: pl.Expr, findings: Findings
) -> tuple[TableCell, ...]:
    rows = rows_of(support, findings).filter(mine).with_columns(allowed=pl.col("opportunity").cast(pl.Float64))
    left, right = (rows.filter(pl.col("direction") == way) for way in WAYS)
    return (
        *(summary_cell(arm, support, findings.scales) for arm in (left, right)),
        _ratio(left, right, "credited", "support to the right is 0"),
        *(_share(arm) for arm in (left, right)),
        _ratio(left, right, "allowed", "no task to the right has opportunity"),
        *(
            summary_cell(rows_of(one, findings).filter(mine & (pl.col("direction") == way)), one, findings.scales)
            for one in state
            for way in WAYS
        ),
    )


def _share(arm: pl.DataFrame) -> TableCell:
    """Of the clips' tasks, those that could pose the test; known of the tasks, so without an interval."""
    known = arm.drop_nulls("allowed")
    if known.is_empty():
        return TableCell(reason="the geometry of the tasks is not known", n=0, total=arm.height)
    return TableCell(value=float(known["allowed"].sum()) / known.height, n=known.height, total=arm.height)


def _ratio(left: pl.DataFrame, right: pl.DataFrame, column: str, why_not: str) -> TableCell:
    n = left.drop_nulls(column).height + right.drop_nulls(column).height
    if not n:
        return TableCell(reason="not scored" if column == "credited" else "the geometry of the tasks is not known")
    found = jackknifed(totals_by_scene([(left, column), (right, column)]), _of_totals)
    if found is None:
        return TableCell(reason=why_not, n=0, total=n)
    low = found.low if found.low is None else max(found.low, 0.0)
    return TableCell(value=found.value, low=low, high=found.high, n=n)


def _of_totals(totals: Floats) -> float:
    """The ratio of the two means."""
    if not (totals[1] and totals[3] and totals[2] > 0):
        return float("nan")
    return float(totals[0] / totals[1] / (totals[2] / totals[3]))


def _tests(panel: Panel, every: Sequence[Panel], findings: Findings) -> Table:
    asked = panel.of(SUPPORT, *JUDGED)
    made = with_holm([_contrast(one, findings) for one in asked], "dimensions")
    return questions_table(
        panel_name("direction-tests", panel, every),
        "Left minus right, over systems",
        [ContrastLine("", one.title, of) for one, of in zip(asked, made, strict=True)],
        findings,
        "Whether direction moves access, correctness, or both.",
    )


def _contrast(reading: DimensionReading, findings: Findings) -> Contrast:
    column = counts_as(reading)
    known = rows_of(reading, findings).drop_nulls(column)
    means = known.group_by("system", "direction").agg(pl.col(column).sort().mean()).rows()
    left, right = ({system: value for system, way, value in means if way == wanted} for wanted in WAYS)
    name = f"left against right in {reading.dimension.key}"
    most = widest_difference(reading.ref, findings.scales)
    return over_systems(name, WAYS, left, right, len(findings.systems), most)
