"""Control, evolution and task success by category, by what hides, by level and by trigger: where do systems fail?"""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.task_kinds import KINDS
from lookaway.analyses.verified_clips import TASK, VerifiedClips, share, verified_clips
from lookaway.analyses.verifier_rates import CONTROLLED, rate_cell, rate_difference
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow

COLUMNS = (
    Column(name="control_success", title="Control", unit="rate", better="higher"),
    Column(name="evolved_of_all", title="of all", unit="rate", better="higher", group="evolution success"),
    Column(
        name="evolved_of_controlled", title="of controlled", unit="rate", better="higher", group="evolution success"
    ),
    Column(name="state_progress", title="Progress", unit="rate", better="higher"),
    Column(name=TASK, title="Task success", unit="rate", better="higher"),
    Column(name="difference", title="Progress, against the other tasks", unit="rate"),
)


@analysis(version=1, title="Control and evolution by kind of task")
def verifier_slices(findings: Findings) -> list[Table] | Abstain:
    """A table for each way to part the tasks: every system's rates in each part, progress against the rest marked."""
    every = [clips for clips in verified_clips(findings) if len(clips.rows)]
    if not every:
        return Abstain("no verdicts")
    made = []
    for number, clips in enumerate(every):
        for field in KINDS:
            parts = _parted(clips.rows, field, findings)
            if len(_values(parts)) > 1:
                made.append(_table(clips, parts, field, number, findings))
    return made or Abstain("all tasks are of one category, mechanism, level and trigger")


def _parted(rows: pl.DataFrame, field: str, findings: Findings) -> pl.DataFrame:
    kind = {name: KINDS[field](task) for name, task in findings.tasks.items()}
    return rows.with_columns(pl.col("task").replace_strict(kind, return_dtype=pl.String).alias("kind"))


def _values(parts: pl.DataFrame) -> list[str]:
    return sorted(value for value in parts["kind"].unique() if value)


def _table(clips: VerifiedClips, parts: pl.DataFrame, field: str, number: int, findings: Findings) -> Table:
    values = _values(parts)
    rows = [
        TableRow(title=value, group=system.label, cells=_cells(parts.filter(pl.col("system") == system.label), value))
        for system in findings.systems
        for value in values
    ]
    return Table(
        name=table_name(f"verifier-slices-{field}{number + 1 if number else ''}", findings.protocol.name),
        title=f"Control and evolution by {field} ({clips.title})",
        columns=COLUMNS,
        rows=tuple(rows),
        notes=(
            "Wilson's intervals over clips, and Newcombe's of the difference; marked where that excludes 0, each part "
            "by itself: of twenty parts without any difference one is marked.",
        ),
        protocol=findings.protocol.name,
        reading="Compare parts within one system, and read n first: some parts have few videos.",
    )


def _cells(mine: pl.DataFrame, value: str) -> tuple[TableCell, ...]:
    here, others = mine.filter(pl.col("kind") == value), mine.filter(pl.col("kind") != value)
    return (
        rate_cell(here, "control_success"),
        rate_cell(here, "evolution_success"),
        rate_cell(here.filter(CONTROLLED), "evolution_success"),
        rate_cell(here, "state_progress"),
        rate_cell(here, TASK),
        rate_difference(share(here, "state_progress"), share(others, "state_progress")),
    )
