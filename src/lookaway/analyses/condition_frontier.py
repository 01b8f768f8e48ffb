"""What richer input buys: the best of each condition type, the ladder of access, and state against support."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT
from lookaway.analyses.dimensions import (
    CAMERA_ALIGNMENT,
    JUDGED,
    SUPPORT,
    VISIBLE,
    DimensionReading,
    Panel,
    panel_name,
    panels,
)
from lookaway.analyses.profile import Combined, combined_cell, in_condition_order, inactive_systems, mean_of
from lookaway.analyses.summaries import SystemCells, marked, system_cells
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats, t_quantile
from lookaway.stats.paired import holm

VISIBLE_MEAN = Combined(
    Column(name="visible", title="Mean of the two visible", unit="score", better="higher", digits=3), VISIBLE, mean_of
)
FEWEST = 4  # systems on a line, and of condition types that are compared


@analysis(version=1, title="Condition types")
def condition_frontier(findings: Findings) -> list[Table] | Abstain:
    """The best system of each condition type per dimension, systems by support, and whether support buys the rest."""
    every = panels(findings)
    if not every:
        return Abstain("the protocol has no dimension of the profile, or none was scored")
    made = []
    for panel in every:
        known = system_cells(findings, panel)
        made += [_frontier(panel, every, known, findings), *_types(panel, every, known, findings)]
        support = panel.only(SUPPORT)
        if isinstance(support, DimensionReading):
            made += [_ladder(support, panel, every, known, findings), *_slopes(support, panel, every, known, findings)]
    return made


def _by_type(findings: Findings) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for system in in_condition_order(findings):
        found.setdefault(system.card.condition_type, []).append(system.label)
    return found


def _frontier(panel: Panel, every: Sequence[Panel], known: SystemCells, findings: Findings) -> Table:
    inactive, notes, rows = inactive_systems(findings), [], []
    for group, sparse in (("all values", True), ("sparse values left out", False)):
        for kind, labels in _by_type(findings).items():
            best = [_best(one, labels, known, sparse) for one in panel.readings]
            cells = [
                marked(cell, *(("inactive",) if label in inactive else ())) if cell else TableCell(reason="no number")
                for label, cell in best
            ]
            rows.append(TableRow(title=kind, group=group, cells=tuple(cells)))
            who = [f"{r.dimension.title} {label}" for r, (label, _) in zip(panel.readings, best, strict=True) if label]
            notes.append(f"{group}, {kind}: {', '.join(who)}" if who else f"{group}, {kind}: nobody")
    return Table(
        name=table_name(panel_name("condition-frontier", panel, every), findings.protocol.name),
        title="The best value of each condition type",
        shape="radar",
        columns=tuple(one.column() for one in panel.readings),
        rows=tuple(rows),
        notes=tuple(notes),
        protocol=findings.protocol.name,
        reading="The best of several is flattered by chance, the more the larger the group: read the intervals.",
    )


def _best(
    reading: DimensionReading, labels: Sequence[str], known: SystemCells, sparse: bool
) -> tuple[str, TableCell | None]:
    cells = {label: known[label][reading] for label in labels}
    rivals = {k: c for k, c in cells.items() if c.value is not None and (sparse or "sparse" not in c.marks)}
    if not rivals:
        return "", None
    label = max(rivals, key=lambda name: rivals[name].value or 0.0)
    return label, rivals[label]


def _ladder(
    support: DimensionReading, panel: Panel, every: Sequence[Panel], known: SystemCells, findings: Findings
) -> Table:
    """Systems from most to least access."""
    shown = [*panel.of(CAMERA_ALIGNMENT), support]
    order = sorted(in_condition_order(findings), key=lambda one: -(known[one.label][support].value or 0.0))
    rows = [
        TableRow(
            title=one.label,
            cells=(
                TableCell(text=one.card.condition_type),
                *(known[one.label][reading] for reading in shown),
                combined_cell(VISIBLE_MEAN, panel, known, one.label, findings),
            ),
        )
        for one in order
    ]
    return Table(
        name=table_name(panel_name("access-ladder", panel, every), findings.protocol.name),
        title="Systems by access",
        columns=(
            Column(name="condition_type", title="condition type"),
            *(one.column() for one in shown),
            VISIBLE_MEAN.column,
        ),
        rows=tuple(rows),
        protocol=findings.protocol.name,
        reading="From the system that tests its memory most often to the one that does so least.",
    )


def _pairs_of(x: DimensionReading, y: DimensionReading, known: SystemCells) -> tuple[Floats, Floats]:
    cells = [(of[x].value, of[y].value) for of in known.values()]
    whole = np.array([(a, b) for a, b in cells if a is not None and b is not None], np.float64).reshape(-1, 2)
    return whole[:, 0], whole[:, 1]


def _slopes(
    support: DimensionReading, panel: Panel, every: Sequence[Panel], known: SystemCells, findings: Findings
) -> list[Table]:
    """How much a dimension rises from no support to full, over systems."""
    from scipy.stats import linregress  # takes half a second to import

    lines: dict[DimensionReading, TableCell] = {}
    p_values: dict[DimensionReading, float] = {}
    for one in panel.of(*JUDGED):
        x, y = _pairs_of(support, one, known)
        if len(x) < FEWEST or np.ptp(x) == 0:
            lines[one] = TableCell(reason="too few systems, or all have the same support", n=len(x), total=len(known))
            continue
        line = linregress(x, y)
        half = t_quantile(len(x) - 2) * float(line.stderr)
        slope = float(line.slope)
        lines[one] = TableCell(value=slope, low=slope - half, high=slope + half, n=len(x), total=len(known))
        p_values[one] = float(line.pvalue)
    if not p_values:
        return []
    return [_tested("access-slope", "What support buys", "slope", lines, p_values, _SLOPES, panel, every, findings)]


def _types(panel: Panel, every: Sequence[Panel], known: SystemCells, findings: Findings) -> list[Table]:
    """Whether condition types differ at all, by ranks."""
    from scipy.stats import kruskal  # takes half a second to import

    spreads: dict[DimensionReading, TableCell] = {}
    p_values: dict[DimensionReading, float] = {}
    for one in panel.readings:
        groups = [[known[k][one].value for k in labels] for labels in _by_type(findings).values()]
        whole = [np.array([v for v in group if v is not None], np.float64) for group in groups]
        whole = [group for group in whole if len(group) > 1]
        values = np.concatenate(whole) if whole else np.zeros(0)
        if len(whole) < 2 or len(values) < FEWEST or np.ptp(values) == 0:
            spreads[one] = TableCell(reason="fewer than two condition types with two systems", n=len(values))
            continue
        medians = [float(np.median(group)) for group in whole]
        spreads[one] = TableCell(value=max(medians) - min(medians), n=len(values), total=len(known))
        p_values[one] = float(kruskal(*whole).pvalue)
    if not p_values:
        return []
    title = "Do condition types differ?"
    return [_tested("condition-types", title, "spread of medians", spreads, p_values, _TYPES, panel, every, findings)]


def _tested(
    name: str,
    title: str,
    what: str,
    cells: dict[DimensionReading, TableCell],
    p_values: dict[DimensionReading, float],
    words: tuple[str, str],
    panel: Panel,
    every: Sequence[Panel],
    findings: Findings,
) -> Table:
    corrected = dict(zip(p_values, holm(np.array(list(p_values.values()))).tolist(), strict=True))
    rows = []
    for one, cell in cells.items():
        found = marked(cell, *(("significant",) if corrected.get(one, 1.0) < SIGNIFICANT else ()))
        p = [TableCell(value=of[one]) if one in of else TableCell(reason="not tested") for of in (p_values, corrected)]
        rows.append(TableRow(title=one.title, cells=(found, *p)))
    return Table(
        name=table_name(panel_name(name, panel, every), findings.protocol.name),
        title=title,
        columns=(
            Column(name="estimate", title=what, unit="score", digits=3),
            Column(name="p", title="p", unit="p"),
            Column(name="p_corrected", title="Holm", unit="p"),
        ),
        rows=tuple(rows),
        notes=(f"{words[0]} Holm over the dimensions; marked is a corrected p below {SIGNIFICANT}.",),
        protocol=findings.protocol.name,
        reading=words[1],
    )


_SLOPES = (
    "A straight line over systems, sparse values included: the change from no support to full; 95 % intervals by t.",
    "Near 0, systems that test their memory more often do not answer better for it.",
)
_TYPES = (
    "Kruskal-Wallis over systems, condition types with at least two systems; the estimate is the largest median minus "
    "the smallest.",
    "Which dimensions the kind of input moves at all.",
)
