"""The paper's tables with the systems of this run as further rows, for protocols whose paper we can print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
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
from lookaway.analyses.profile import (
    AVERAGE_OF_ROUNDED,
    combined_cell,
    in_condition_order,
    in_percent,
    inactive_systems,
)
from lookaway.analyses.summaries import marked, parted, rows_of, summary_cell, system_cells
from lookaway.marking import with_marks
from lookaway.outcomes import Abstain
from lookaway.published import Paper, PrintedTable, names, printed_table, read_paper
from lookaway.records import Table, TableCell, TableRow

OURS = "this run"
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
NOTE = (
    "Printed rows are marked; they are of other videos, other judges and other prompts than the rows of this run, so a "
    "difference between the two is not one between models."
)


@analysis(version=1, title="Beside the published rows")
def beside_published(findings: Findings) -> list[Table] | Abstain:
    """The systems of this run in the layout of the paper's tables, below its own rows."""
    name = findings.protocol.name.partition("_")[0]  # variants of a protocol share its paper
    if name not in names():
        return Abstain(f"no printed table of {name} is known")
    every = panels(findings)
    paper = read_paper(name)
    made = [
        _beside(
            paper, table, rows(table, panel, findings), panel_name(f"published-{table.name}", panel, every), findings
        )
        for panel in every
        for table in paper.layouts.printed
        if (rows := OWN_ROWS.get(table.name)) is not None
    ]
    return made or Abstain("no dimension of the profile was scored")


def _beside(paper: Paper, table: PrintedTable, own: Sequence[TableRow], name: str, findings: Findings) -> Table:
    printed = printed_table(paper, table)
    theirs = [
        row.model_copy(
            update={"cells": tuple(cell if cell.reason else marked(cell, "published") for cell in row.cells)}
        )
        for row in printed.rows
    ]
    made = printed.model_copy(
        update={
            "name": table_name(name, findings.protocol.name),
            "title": f"{printed.title}, and this run",
            "rows": (*theirs, *own),
            "notes": (NOTE, *printed.notes),
            "protocol": findings.protocol.name,
        }
    )
    return made if table.best == "none" else with_marks(made, table.best, sparse_compete=True)


# ---------------------------------------------------------------- rows of this run, a function for each printed table


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
