"""StEvo-Bench's Tables 2 and 5, with both denominators that its evolution rates can have."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.verified_clips import CONTROLS, EVOLUTION, TASK, VerifiedClips, share, verified_clips
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.rates import RateInterval, newcombe

TITLES = {
    "observation_control": "Observ.",
    "action_control": "Action",
    "control_success": "both",
    "state_progress": "Progress",
    "physical_plausibility": "Physics",
    "coherence": "Coherence",
    "evolution_success": "Success",
}
GROUPS = {"control": CONTROLS, "of all videos": EVOLUTION, "of controlled videos": EVOLUTION}
CONTROLLED = pl.col("control_success") == 1.0


@analysis(version=1, title="Control and evolution, by both denominators")
def verifier_rates(findings: Findings) -> list[Table] | Abstain:
    """Control and evolution rates of every system; evolution over all videos and over those that were controlled."""
    tables = [
        _table(clips, number, findings) for number, clips in enumerate(verified_clips(findings)) if len(clips.rows)
    ]
    return tables or Abstain("no verifier was asked")


def _table(clips: VerifiedClips, number: int, findings: Findings) -> Table:
    rows = [TableRow(title=s.label, cells=_cells(clips.rows, s.label)) for s in findings.systems]
    return Table(
        name=table_name(f"verifier-rates{number + 1 if number else ''}", findings.protocol.name),
        title=f"Control and evolution ({clips.title})",
        columns=(*_columns(), Column(name=TASK, title="Task success", unit="rate", better="higher")),
        rows=tuple(rows),
        notes=(
            "Success: progress, physics and coherence together; task success: the controls as well, over all videos.",
            "The paper counts evolution over controlled videos; some of its rows are possible over all videos only.",
            "Wilson's intervals over clips; those of the cells are over scenes, and wider where scenes repeat.",
        ),
        protocol=findings.protocol.name,
        reading="Read n first: a system that is seldom controlled may look best over the few videos in which it was.",
    )


def _columns() -> list[Column]:
    return [
        Column(
            name=f"{group}:{metric}".replace(" ", "-"), title=TITLES[metric], unit="rate", better="higher", group=group
        )
        for group, metrics in GROUPS.items()
        for metric in metrics
    ]


def _cells(rows: pl.DataFrame, system: str) -> tuple[TableCell, ...]:
    mine = rows.filter(pl.col("system") == system)
    controlled = mine.filter(CONTROLLED)
    cells = [rate_cell(mine, metric) for metric in (*CONTROLS, *EVOLUTION)]
    return (*cells, *(rate_cell(controlled, metric) for metric in EVOLUTION), rate_cell(mine, TASK))


def rate_cell(rows: pl.DataFrame, metric: str) -> TableCell:
    """The share of videos with a verdict that it is for, or why there is none."""
    found = share(rows, metric)
    if found is None:
        return TableCell(reason="no verdict" if len(rows) else "no such video", n=0, total=len(rows))
    return TableCell(value=found.value, low=found.low, high=found.high, n=found.n, total=len(rows))


def rate_difference(first: RateInterval | None, second: RateInterval | None) -> TableCell:
    """First minus second with Newcombe's interval, marked where that excludes 0."""
    if first is None or second is None:
        return TableCell(reason="one side is empty")
    value, low, high = newcombe(first, second)
    marks = () if low <= 0 <= high else ("significant",)
    return TableCell(value=value, low=low, high=high, n=first.n + second.n, marks=marks)
