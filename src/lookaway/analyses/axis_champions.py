"""Single-axis champions: systems that lead in one dimension and trail in another."""

from __future__ import annotations

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.dimensions import DimensionReading, Panel, panel_name, panels
from lookaway.analyses.profile import in_condition_order
from lookaway.analyses.summaries import SystemCells, system_cells
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.ranks import midranks

FEWEST = 3  # systems: of two, each leads somewhere


@analysis(version=1, title="Single-axis champions")
def axis_champions(findings: Findings) -> list[Table] | Abstain:
    """Every system's best and worst dimension by rank, and the gap between them."""
    every = panels(findings)
    made = []
    for panel in every:
        rows = _rows(panel, system_cells(findings, panel), findings)
        if rows:
            name = table_name(panel_name("axis-champions", panel, every), findings.protocol.name)
            made.append(_table(name, rows, findings))
    return made or Abstain(f"fewer than {FEWEST} systems have two dimensions in common")


def standings(panel: Panel, known: SystemCells) -> dict[str, dict[DimensionReading, float]]:
    """Each system's place in each dimension, 0 the best and 1 the worst; sparse values have none."""
    found: dict[str, dict[DimensionReading, float]] = {label: {} for label in known}
    for reading in panel.readings:
        cells = {label: of[reading] for label, of in known.items()}
        whole = {k: c.value for k, c in cells.items() if c.value is not None and "sparse" not in c.marks}
        if len(whole) < FEWEST:
            continue
        ranks = midranks(-np.array(list(whole.values()), np.float64))
        for label, rank in zip(whole, ranks.tolist(), strict=True):
            found[label][reading] = (rank - 1) / (len(whole) - 1)
    return found


def _rows(panel: Panel, known: SystemCells, findings: Findings) -> list[TableRow]:
    places = standings(panel, known)
    rows = []
    for system in in_condition_order(findings):
        mine = places[system.label]
        if len(mine) < 2:
            continue
        best, worst = min(mine, key=lambda one: mine[one]), max(mine, key=lambda one: mine[one])
        gap = TableCell(value=mine[worst] - mine[best], n=len(mine))
        cells = (
            TableCell(text=best.title),
            TableCell(value=mine[best]),
            TableCell(text=worst.title),
            TableCell(value=mine[worst]),
            TableCell(text="yes" if mine[best] == 0 and mine[worst] > 0.5 else "no"),
        )
        rows.append(TableRow(title=system.label, group=system.card.condition_type, cells=(gap, *cells)))
    return rows


def _table(name: str, rows: list[TableRow], findings: Findings) -> Table:
    return Table(
        name=name,
        title="Best and worst dimension of each system",
        columns=(
            Column(name="gap", title="gap", unit="share of ranks"),
            Column(name="best", title="best dimension"),
            Column(name="best_place", title="its place", unit="share of ranks"),
            Column(name="worst", title="worst dimension"),
            Column(name="worst_place", title="its place", unit="share of ranks"),
            Column(name="champion", title="single-axis champion"),
        ),
        rows=tuple(rows),
        notes=(
            "A place is the rank among systems, 0 for the first and 1 for the last; sparse values have none. A "
            "champion is first in one dimension and in the lower half in another. Ranks of systems that hardly differ "
            "are chance.",
        ),
        protocol=findings.protocol.name,
        reading="A wide gap: the system is good at one thing and not at seeing a world through.",
    )
