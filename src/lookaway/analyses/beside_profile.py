"""Rows of a run in the layout of WRBench's tables: the dimensions of its profile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lookaway.analyses import Findings
from lookaway.analyses.dimensions import (
    CAMERA_ALIGNMENT,
    CAMERA_PRECISION,
    INTEGRITY,
    REOBSERVED_SPATIAL,
    REOBSERVED_STATE,
    SUPPORT,
    VISIBLE_SPATIAL,
    VISIBLE_STATE,
    Dimension,
    DimensionReading,
    Panel,
    panel_name,
    panels,
)
from lookaway.analyses.event_contrasts import gap_cells
from lookaway.analyses.own_rows import OURS, OwnRows
from lookaway.analyses.profile import (
    AVERAGE_OF_ROUNDED,
    combined_cell,
    in_condition_order,
    in_percent,
    inactive_systems,
)
from lookaway.analyses.summaries import marked, parted, rows_of, summary_cell, system_cells
from lookaway.outcomes import Abstain
from lookaway.published import Paper, PrintedTable
from lookaway.records import TableCell, TableRow

COLUMNS: dict[str, Dimension] = {  # of the printed tables
    "CamPrec": CAMERA_PRECISION,
    "CamAlign": CAMERA_ALIGNMENT,
    "Integ": INTEGRITY,
    "Support_pct": SUPPORT,
    "VisSpatial": VISIBLE_SPATIAL,
    "VisState": VISIBLE_STATE,
    "ReobsSpatial": REOBSERVED_SPATIAL,
    "ReobsState": REOBSERVED_STATE,
}


def profile_rows(paper: Paper, findings: Findings) -> list[OwnRows]:
    """A set of tables for each variant of the judged dimensions."""
    every = panels(findings)
    return [
        OwnRows(table, panel_name(f"published-{table.name}", panel, every), rows(table, panel, findings))
        for panel in every
        for table in paper.layouts.printed
        if (rows := OWN_ROWS.get(table.name)) is not None
    ]


def _systems(table: PrintedTable, panel: Panel, findings: Findings) -> list[TableRow]:
    """Table 2; its last column is the average."""
    known, flags = system_cells(findings, panel), inactive_systems(findings)
    rows = []
    for system in in_condition_order(findings):
        cells = _cells(table, panel, known[system.label].__getitem__)
        cells.append(combined_cell(AVERAGE_OF_ROUNDED, panel, known, system.label, findings))
        still = ("inactive",) if flags.get(system.label) else ()
        title = f"{system.label} ({system.card.condition_type})"
        rows.append(TableRow(title=title, group=OURS, cells=tuple(marked(cell, *still) for cell in cells)))
    return rows


def _gaps(table: PrintedTable, panel: Panel, findings: Findings) -> list[TableRow]:
    """Table 4: after relocation, after change in place, and their difference."""
    reading = panel.only(REOBSERVED_STATE)
    if isinstance(reading, Abstain):
        return []
    cells = gap_cells(reading, findings)
    return [TableRow(title=s.label, group=OURS, cells=cells[s.label]) for s in in_condition_order(findings)]


def _pooled(field: str, table: PrintedTable, panel: Panel, findings: Findings) -> list[TableRow]:
    """Tables 8 and 9: the clips of all systems together, by a field of their tasks."""
    clips = {reading: parted(rows_of(reading, findings), field) for reading in panel.readings}

    def row(kind: str) -> TableRow:
        def cell(reading: DimensionReading) -> TableCell:
            return summary_cell(clips[reading].get((kind,)), reading, findings.scales)

        return TableRow(title=kind, group=OURS, cells=tuple(_cells(table, panel, cell)))

    return [row(kind) for kind in sorted({str(kind) for parts in clips.values() for (kind,) in parts if kind})]


def _cells(table: PrintedTable, panel: Panel, cell: Callable[[DimensionReading], TableCell]) -> list[TableCell]:
    """A cell for each printed dimension; the reason where nobody or more than one read it."""
    found = [panel.only(COLUMNS[column.name]) for column in table.columns if column.name in COLUMNS]
    return [TableCell(reason=r.reason) if isinstance(r, Abstain) else in_percent(cell(r), r) for r in found]


OWN_ROWS: dict[str, Callable[[PrintedTable, Panel, Findings], list[TableRow]]] = {
    "table2": _systems,
    "table4": _gaps,
    "table8": partial(_pooled, "event"),
    "table9": partial(_pooled, "action"),
}
