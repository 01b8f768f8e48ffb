"""Which dimensions go together over systems: does better camera control come with better memory?"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT
from lookaway.analyses.dimensions import (
    CAMERA_ALIGNMENT,
    CAMERA_PRECISION,
    INTEGRITY,
    JUDGED,
    SUPPORT,
    DimensionReading,
    Panel,
    panel_name,
    panels,
)
from lookaway.analyses.summaries import SystemCells, marked, system_cells
from lookaway.outcomes import Abstain
from lookaway.records import Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.correlations import pearson
from lookaway.stats.paired import holm

ORDER = (CAMERA_PRECISION, CAMERA_ALIGNMENT, INTEGRITY, *JUDGED, SUPPORT)  # as in the paper's figure


@analysis(version=1, title="Correlations of the dimensions over systems")
def metric_correlations(findings: Findings) -> list[Table] | Abstain:
    """Pearson's r of every two dimensions over systems that have both; with and without sparse values."""
    every = panels(findings)
    made = []
    for panel in every:
        known = system_cells(findings, panel)
        main = _table("metric-correlations", panel, every, known, findings, sparse=True)
        made += [main] if main else []
        if main and any("sparse" in cell.marks for cells in known.values() for cell in cells.values()):
            dense = _table("metric-correlations-dense", panel, every, known, findings, sparse=False)
            made += [dense] if dense else []
    return made or Abstain("fewer than four systems have two dimensions in common")


def _table(
    name: str, panel: Panel, every: Sequence[Panel], known: SystemCells, findings: Findings, *, sparse: bool
) -> Table | None:
    shown = panel.of(*ORDER)
    values = {one: _values(one, known, sparse) for one in shown}
    cells = {(one, one): TableCell(text="1") for one in shown}
    p_values: dict[tuple[DimensionReading, DimensionReading], float] = {}
    for one, other in itertools.combinations(shown, 2):
        cell, p = _correlation(values[one], values[other])
        cells[one, other] = cells[other, one] = cell
        p_values |= {(one, other): p} if p is not None else {}
    if not p_values:
        return None
    for pair, p in zip(p_values, holm(np.array(list(p_values.values()))), strict=True):
        if p < SIGNIFICANT:
            cells[pair] = cells[pair[::-1]] = marked(cells[pair], "significant")
    return Table(
        name=table_name(panel_name(name, panel, every), findings.protocol.name),
        title="Correlations of the dimensions over systems" + ("" if sparse else ", sparse values left out"),
        shape="heat_map",
        columns=tuple(one.column(unit="r", better="none", digits=2, scale=(-1.0, 1.0)) for one in shown),
        rows=tuple(TableRow(title=one.title, cells=tuple(cells[one, other] for other in shown)) for one in shown),
        notes=(
            "Pearson over systems with both numbers (n), intervals by Fisher's z. Holm corrects the "
            f"{len(p_values)} pairs; marked is a corrected p below {SIGNIFICANT}. Systems of one maker are taken for "
            "independent, which they are not quite.",
        ),
        protocol=findings.protocol.name,
        reading="Near 1 the two rise together, near 0 knowing one tells nothing of the other, below 0 one costs the "
        "other.",
    )


def _values(reading: DimensionReading, known: SystemCells, sparse: bool) -> Floats:
    """One number per system; not a number where it has none, or a sparse one that is not wanted."""
    cells = [cells[reading] for cells in known.values()]
    return np.array(
        [np.nan if c.value is None or ("sparse" in c.marks and not sparse) else c.value for c in cells], np.float64
    )


def _correlation(x: Floats, y: Floats) -> tuple[TableCell, float | None]:
    both = ~np.isnan(x) & ~np.isnan(y)
    found = pearson(x[both], y[both])
    counts = {"n": int(both.sum()), "total": len(x)}
    if isinstance(found, Abstain):
        return TableCell(reason=found.reason, **counts), None
    from scipy.stats import pearsonr  # takes half a second to import

    p = float(pearsonr(x[both], y[both]).pvalue)
    return TableCell(value=found.value, low=found.low, high=found.high, **counts), p
