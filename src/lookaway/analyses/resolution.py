"""What the run can tell apart: where its numbers vary, and the smallest difference its scenes would find."""

from __future__ import annotations

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.dimensions import DimensionReading
from lookaway.analyses.headline import headline_readings
from lookaway.analyses.narrowed import headline_findings
from lookaway.analyses.system_matrix import system_matrix
from lookaway.outcomes import Abstain
from lookaway.phrasing import titled, with_reader
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.power import POWER, resolution
from lookaway.stats.variance import VarianceParts


@analysis(name="resolution", version=1, title="What can be told apart")
def resolution_table(findings: Findings) -> list[Table] | Abstain:
    """For each metric of the headline: scenes, correlation within them, parts of the variance, and the floor."""
    findings = findings.once(headline_findings)
    rows = [row for reading in headline_readings(findings) if (row := _row(reading, findings)) is not None]
    if not rows:
        return Abstain("no system that competes has a number in the headline")
    return [
        Table(
            name=table_name("resolution", findings.protocol.name),
            title="What can be told apart",
            columns=(
                Column(name="floor", title="smallest difference found", better="lower", digits=3),
                Column(name="scenes", title="scenes", digits=0),
                Column(name="tasks", title="tasks", digits=0),
                Column(name="correlation", title="correlation within scenes", digits=2),
                Column(name="scene", title="between scenes", unit="%", group="variance of a difference"),
                Column(name="task", title="between tasks", unit="%", group="variance of a difference"),
                Column(name="seed", title="between seeds", unit="%", group="variance of a difference"),
            ),
            rows=tuple(rows),
            notes=(
                f"The difference of two systems that t over scenes finds with {POWER:.0%} chance at 5 %, on the same "
                "tasks, from how the differences of neighbours in the order vary; of a single system, from its own "
                "variance, as if another varied alike and independently. A metric that is best at 1 counts its "
                "distance from 1. See docs/power.md.",
            ),
            protocol=findings.protocol.name,
            reading="Differences below the floor are beyond this run; scenes lower it, seeds only their part.",
        )
    ]


def _row(reading: DimensionReading, findings: Findings) -> TableRow | None:
    matrix = system_matrix(reading, findings)
    parts = matrix.pair_parts() if matrix is not None else None
    if parts is None:
        return None
    title = with_reader(titled(reading.ref), reading.by.label)
    return TableRow(title=title, cells=_cells(parts))


def _cells(parts: VarianceParts) -> tuple[TableCell, ...]:
    seeds, tasks = parts.n / parts.tasks, parts.tasks / parts.scenes
    floor = resolution(parts.of_mean(parts.scenes, tasks, seeds), parts.scenes)
    found = TableCell(reason="one scene tells nothing") if floor is None else TableCell(value=floor, n=parts.n)
    shares = [
        TableCell(value=100 * part / parts.total) if parts.total else TableCell(reason="no spread")
        for part in (parts.scene, parts.task, parts.seed)
    ]
    if not parts.tells_seeds:
        shares[2] = TableCell(reason="one seed a task: counted as tasks'")
    return (
        found,
        TableCell(value=parts.scenes),
        TableCell(value=parts.tasks),
        TableCell(value=parts.correlation),
        *shares,
    )
