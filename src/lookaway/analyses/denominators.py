"""Whose rank hangs on the denominator: all rows, yaw rows, rows with opportunity, and avoidance as failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.dimensions import REOBSERVED, SUPPORT, DimensionReading, Panel, panel_name, panels
from lookaway.analyses.profile import in_condition_order
from lookaway.analyses.summaries import estimate, rows_of, why_nothing
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.correlations import kendall
from lookaway.stats.ranks import midranks

YAW = pl.col("direction").is_in(["left", "right"])
OPPORTUNITY = pl.col("opportunity").fill_null(False)
FAILED = pl.when(pl.col("fate") == "no_output").then(0.0).otherwise(pl.col("credited"))


@dataclass(frozen=True, eq=False)
class Denominator:
    """Which rows count, and as what."""

    name: str
    title: str
    rows: pl.Expr
    counted: pl.Expr


ALL = pl.lit(True)
OF_SUPPORT = (
    Denominator("all", "all rows", ALL, pl.col("credited")),
    Denominator("yaw", "yaw rows", YAW, pl.col("credited")),
    Denominator("opportunity", "rows with opportunity", OPPORTUNITY, pl.col("credited")),
)
OF_CORRECTNESS = (
    Denominator("conditional", "re-observed rows", ALL, pl.col("value")),
    Denominator("all", "all rows, untested as 0", ALL, FAILED),
    Denominator("yaw", "yaw rows, untested as 0", YAW, FAILED),
    Denominator("opportunity", "rows with opportunity, avoidance as failure", OPPORTUNITY, FAILED),
)


@analysis(version=1, title="Ranks under other denominators")
def denominators(findings: Findings) -> list[Table] | Abstain:
    """Support and re-observed dimensions over several denominators: values, ranks, and how far ranks move."""
    every = panels(findings)
    made = [table for panel in every for table in _tables(panel, every, findings)]
    return made or Abstain("neither support nor a re-observed dimension was scored")


def _tables(panel: Panel, every: Sequence[Panel], findings: Findings) -> list[Table]:
    places = [(reading, one) for reading in panel.of(SUPPORT, *REOBSERVED) for one in _of(reading)]
    if not places:
        return []
    cells = {place: _cells(*place, findings) for place in places}
    ranks = {place: _ranks(of) for place, of in cells.items()}
    title = "Support and correctness over several denominators"
    labels = [(system.label, system.card.condition_type) for system in in_condition_order(findings)]
    values = Table(
        name=table_name(panel_name("denominators", panel, every), findings.protocol.name),
        title=title,
        columns=tuple(_column(*place) for place in places),
        rows=tuple(TableRow(title=k, group=kind, cells=tuple(cells[p][k] for p in places)) for k, kind in labels),
        notes=("Untested as 0: clips that avoided the test, or never came, count as failures.",),
        protocol=findings.protocol.name,
        reading="A conditional value beside what is left of it when clips that skipped the test count.",
    )
    ranked = Table(
        name=table_name(panel_name("denominator-ranks", panel, every), findings.protocol.name),
        title="Ranks over several denominators",
        columns=tuple(_column(*place, unit="rank", better="lower", digits=1) for place in places),
        rows=tuple(TableRow(title=k, group=kind, cells=tuple(ranks[p][k] for p in places)) for k, kind in labels),
        notes=("1 is the best; equal values share the mean of their ranks.",),
        protocol=findings.protocol.name,
        reading="A system that falls from left to right is strong only where it chose to be tested.",
    )
    return [values, ranked, _moves(places, ranks, panel, every, findings)]


def _of(reading: DimensionReading) -> tuple[Denominator, ...]:
    return OF_SUPPORT if reading.dimension == SUPPORT else OF_CORRECTNESS


def _column(reading: DimensionReading, one: Denominator, **changes: object) -> Column:
    name = f"{reading.column().name}:{one.name}"
    return reading.column(name=name, title=one.title, group=reading.title, **changes)


def _cells(reading: DimensionReading, one: Denominator, findings: Findings) -> dict[str, TableCell]:
    rows = rows_of(reading, findings).filter(one.rows).with_columns(counted=one.counted)
    return {s.label: _cell(rows.filter(pl.col("system") == s.label)) for s in findings.systems}


def _cell(mine: pl.DataFrame) -> TableCell:
    known = mine.drop_nulls("counted")
    if known.is_empty():
        return TableCell(reason=why_nothing(mine) if mine.height else "no such rows", n=0, total=mine.height)
    found = estimate(known, "counted")
    return TableCell(value=found.value, low=found.low, high=found.high, n=known.height, total=mine.height)


def _ranks(cells: Mapping[str, TableCell]) -> dict[str, TableCell]:
    whole = {label: cell.value for label, cell in cells.items() if cell.value is not None}
    ranks = dict(zip(whole, midranks(-np.array(list(whole.values()), np.float64)).tolist(), strict=True))
    return {
        label: TableCell(value=ranks[label], n=len(whole)) if label in ranks else TableCell(reason="no number")
        for label in cells
    }


Place = tuple[DimensionReading, Denominator]


def _moves(
    places: Sequence[Place],
    ranks: Mapping[Place, Mapping[str, TableCell]],
    panel: Panel,
    every: Sequence[Panel],
    findings: Findings,
) -> Table:
    """How much of the order is left, against the first denominator of each dimension."""
    rows = []
    for place in places:
        first = (place[0], _of(place[0])[0])
        if place == first:
            continue
        mine, other = ranks[first], ranks[place]
        both = [k for k in mine if mine[k].value is not None and other[k].value is not None]
        x, y = (np.array([of[k].value for k in both], np.float64) for of in (mine, other))
        tau = kendall(x, y)
        agreement = (
            TableCell(reason=tau.reason, n=len(both))
            if isinstance(tau, Abstain)
            else TableCell(value=tau.value, low=tau.low, high=tau.high, n=len(both))
        )
        rows.append(
            TableRow(
                title=place[1].title,
                group=place[0].title,
                cells=(agreement, *_largest(dict(zip(both, y - x, strict=True)))),
            )
        )
    return Table(
        name=table_name(panel_name("denominator-moves", panel, every), findings.protocol.name),
        title="How ranks move with the denominator",
        columns=(
            Column(name="tau", title="Kendall's tau with the first", unit="tau"),
            Column(name="fall", title="largest fall", unit="ranks", digits=1),
            Column(name="who_falls", title="of"),
        ),
        rows=tuple(rows),
        notes=(
            "The first is all rows for support, and re-observed rows alone for correctness. tau-b, Fieller's interval.",
        ),
        protocol=findings.protocol.name,
        reading="At 1 the denominator does not matter; the lower, the more a ranking is a choice of rows.",
    )


def _largest(moves: Mapping[str, float]) -> tuple[TableCell, TableCell]:
    if not moves or max(moves.values()) <= 0:
        return TableCell(value=0.0, n=len(moves)), TableCell(text="nobody")
    who = max(moves, key=lambda label: moves[label])
    return TableCell(value=moves[who], n=len(moves)), TableCell(text=who)
