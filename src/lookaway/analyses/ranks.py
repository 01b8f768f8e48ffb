"""The order of systems and how sure it is: rank intervals, groups of equals, and the scenes that it hangs on."""

from __future__ import annotations

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.dimensions import DimensionReading
from lookaway.analyses.headline import headline_readings
from lookaway.analyses.narrowed import headline_findings
from lookaway.analyses.system_matrix import SystemMatrix, system_matrix
from lookaway.outcomes import Abstain
from lookaway.phrasing import titled, with_reader
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.rank_intervals import fewest_scenes, rank_intervals, tie_groups

NAMED = 3  # scenes at most


@analysis(version=1, title="Ranks")
def ranks(findings: Findings) -> list[Table] | Abstain:
    """For each metric of the headline, the systems from best to worst with everything that makes the order unsure."""
    findings = findings.once(headline_findings)
    rows = [
        row
        for reading in headline_readings(findings)
        if (matrix := system_matrix(reading, findings)) is not None and len(matrix.labels) > 1
        for row in _rows(reading, matrix)
    ]
    if not rows:
        return Abstain("fewer than two systems compete")
    return [
        Table(
            name=table_name("ranks", findings.protocol.name),
            title="Ranks",
            columns=(
                Column(name="rank", title="rank", better="lower", digits=0),
                Column(name="ties", title="cannot be told apart in"),
                Column(name="hangs", title="ahead of the next only by", unit="scenes", digits=0),
                Column(name="names", title="which"),
            ),
            rows=tuple(rows),
            notes=(
                "Rank intervals: scenes drawn with replacement, for all systems alike. Systems that share a letter are "
                "not told apart by t over scenes, all pairs corrected by Holm. Without the named scenes a system is no "
                "longer ahead of the next.",
            ),
            protocol=findings.protocol.name,
            reading="An order is worth as much as its intervals: systems of one group have not been told apart.",
        )
    ]


def _rows(reading: DimensionReading, matrix: SystemMatrix) -> list[TableRow]:
    sums, counts = matrix.by_scene()
    found, order = rank_intervals(sums, counts), matrix.order()
    letters = _letters(tie_groups(sums, counts), len(order))
    rows = []
    for place, system in enumerate(order):
        behind = order[place + 1] if place + 1 < len(order) else None
        rank = TableCell(
            value=float(found.rank[system]),
            low=float(min(found.low[system], found.rank[system])),
            high=float(max(found.high[system], found.rank[system])),
            n=int((~np.isnan(matrix.values[:, system])).sum()),
        )
        cells = (rank, TableCell(text=letters[system]), *_hanging(matrix, system, behind))
        rows.append(
            TableRow(title=matrix.labels[system], group=with_reader(titled(reading.ref), reading.by.label), cells=cells)
        )
    return rows


def _letters(groups: list[tuple[int, ...]], systems: int) -> list[str]:
    """`a`, `b`, or `a b` of one that is in two groups; beyond z by number."""
    names = [chr(ord("a") + n) if n < 26 else str(n + 1) for n in range(len(groups))]
    return [" ".join(name for name, group in zip(names, groups, strict=True) if one in group) for one in range(systems)]


def _hanging(matrix: SystemMatrix, system: int, behind: int | None) -> tuple[TableCell, TableCell]:
    if behind is None:
        return TableCell(reason="the last"), TableCell(reason="the last")
    values, scenes, _ = matrix.differences(system, behind)
    gone = fewest_scenes(values, scenes) if len(values) else None
    if gone is None:
        why = "not ahead where both have a number"
        return TableCell(reason=why), TableCell(reason=why)
    more = f" and {len(gone) - NAMED} more" if len(gone) > NAMED else ""
    total = len(np.unique(scenes))
    return TableCell(value=len(gone), n=len(gone), total=total), TableCell(text=", ".join(gone[:NAMED]) + more)
