"""Sparse heroes: the best conditional scores that rest on a handful of clips."""

from __future__ import annotations

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.dimensions import REOBSERVED, SUPPORT, DimensionReading, Panel, panels
from lookaway.analyses.summaries import SystemCells, system_cells
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.ranks import midranks

TOP = 3  # ranks that a reader would quote


@analysis(version=1, title="Sparse heroes")
def sparse_heroes(findings: Findings) -> list[Table] | Abstain:
    """Systems among the first three of a re-observed dimension by a sparse value."""
    every = panels(findings)
    rows = [row for panel in every for row in _rows(panel, system_cells(findings, panel))]
    if not any(panel.of(*REOBSERVED) for panel in every):
        return Abstain("no re-observed dimension was scored")
    if not rows:
        return Abstain(f"no sparse value is among the first {TOP}")
    return [
        Table(
            name=table_name("sparse-heroes", findings.protocol.name),
            title="Sparse heroes",
            columns=(
                Column(name="value", title="conditional value", unit="score", digits=3),
                Column(name="rank", title="rank", unit="rank", digits=1),
                Column(name="dense", title="best value that is not sparse", unit="score", digits=3),
                Column(name="support", title="support", unit="rate", digits=3),
            ),
            rows=tuple(rows),
            notes=("Rank among all systems with a number; the value's n counts its clips.",),
            protocol=findings.protocol.name,
            reading="These ranks say little: look at n, and whether the interval reaches the best value that is not "
            "sparse.",
        )
    ]


def _rows(panel: Panel, known: SystemCells) -> list[TableRow]:
    support = panel.only(SUPPORT)
    found = []
    for reading in panel.of(*REOBSERVED):
        cells = {label: of[reading] for label, of in known.items() if of[reading].value is not None}
        ranks = dict(zip(cells, midranks(-np.array([c.value for c in cells.values()], np.float64)), strict=True))
        dense = [cell for cell in cells.values() if "sparse" not in cell.marks]
        best = max(dense, key=lambda cell: cell.value or 0.0) if dense else TableCell(reason="every value is sparse")
        for label in sorted(cells, key=lambda name: ranks[name]):
            if "sparse" not in cells[label].marks or ranks[label] > TOP:
                continue
            access = (
                known[label][support] if isinstance(support, DimensionReading) else TableCell(reason=support.reason)
            )
            rank = TableCell(value=float(ranks[label]), n=len(cells))
            found.append(TableRow(title=label, group=reading.title, cells=(cells[label], rank, best, access)))
    return found
