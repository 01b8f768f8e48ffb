"""StEvo-Bench's two stages as a funnel: which videos are controlled, and which of those go on, plausibly, in one piece.

An evolution rate may be counted over all videos or over those that were controlled; the funnel shows both at once.
"""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.verified_clips import EVOLUTION, VerifiedClips, verified_clips
from lookaway.analyses.verifier_rates import CONTROLLED, rate_cell
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.rates import wilson

STAGES = {
    "controlled": ("control_success", "controlled"),
    "went_on": ("state_progress", "and went on"),
    "plausible": ("physical_plausibility", "and plausible"),
    "whole": ("coherence", "and coherent: task success"),
}
ALL, OF_ALL, OF_CONTROLLED = "videos", "evolved_of_all", "evolved_of_controlled"
COLUMNS = (
    Column(name=ALL, title="all videos", unit="share", group="of all videos"),
    *(
        Column(name=name, title=title, unit="share", better="higher", group="of all videos")
        for name, (_, title) in STAGES.items()
    ),
    Column(name=OF_ALL, title="of all videos", unit="rate", better="higher", group="evolution success"),
    Column(name=OF_CONTROLLED, title="of controlled ones", unit="rate", better="higher", group="evolution success"),
)


@analysis(version=1, title="From control to task success")
def evolution_funnel(findings: Findings) -> list[Table] | Abstain:
    """Videos left after each verdict, controls first, and evolution success over all and over controlled videos."""
    every = [clips for clips in verified_clips(findings) if len(clips.rows)]
    tables = [_table(clips, number, findings) for number, clips in enumerate(every)]
    return tables or Abstain("no verdicts")


def _table(clips: VerifiedClips, number: int, findings: Findings) -> Table:
    return Table(
        name=table_name(f"evolution-funnel{number + 1 if number else ''}", findings.protocol.name),
        title=f"From control to task success ({clips.title})",
        shape="funnel",
        columns=COLUMNS,
        rows=tuple(
            TableRow(title=s.label, cells=_cells(clips.rows.filter(pl.col("system") == s.label)))
            for s in findings.systems
        ),
        notes=(
            "The funnel counts videos that have a verdict at every stage they reach; one against ends the way. Its "
            "last stage is task success. Wilson's intervals over clips.",
            "Evolution success counts every video with a verdict, whatever became of the controls, and then the "
            "controlled ones alone.",
        ),
        protocol=findings.protocol.name,
        reading="A narrow first step makes the rate over controlled videos one of few: read n before it.",
    )


def _cells(mine: pl.DataFrame) -> tuple[TableCell, ...]:
    whole = _decided(mine)
    n, left, cells = len(whole), pl.lit(True), []
    for metric, _ in STAGES.values():
        left = left & (pl.col(metric) == 1.0)
        cells.append(_counted(whole.filter(left).height, n, len(mine)))
    return (_counted(n, n, len(mine)), *cells, *_evolved(mine))


def _decided(mine: pl.DataFrame) -> pl.DataFrame:
    """Videos that have a verdict at every stage up to the one that stops them."""
    reached, decided = pl.lit(True), pl.lit(True)
    for metric, _ in STAGES.values():
        decided = decided & (~reached | pl.col(metric).is_not_null())
        reached = reached & (pl.col(metric) == 1.0).fill_null(False)
    return mine.filter(decided)


def _counted(count: int, n: int, total: int) -> TableCell:
    if not n:
        return TableCell(reason="no video has all its verdicts" if total else "no video", n=0, total=total)
    found = wilson(count, n)
    return TableCell(value=found.value, low=found.low, high=found.high, n=n, total=total)


def _evolved(mine: pl.DataFrame) -> tuple[TableCell, TableCell]:
    return rate_cell(mine, EVOLUTION[-1]), rate_cell(mine.filter(CONTROLLED), EVOLUTION[-1])
