"""Does a world that goes on pull the camera along? Control where the state evolved, and where it did not."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.verified_clips import VerifiedClips, share, verified_clips
from lookaway.analyses.verifier_rates import rate_difference
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.rates import RateInterval

COLUMNS = (
    Column(name="evolved", title="controlled, where it evolved", unit="rate", better="higher"),
    Column(name="stalled", title="controlled, where it did not", unit="rate", better="higher"),
    Column(name="difference", title="difference", unit="rate"),
)


@analysis(version=1, title="Control given evolution")
def control_given_evolution(findings: Findings) -> list[Table] | Abstain:
    """Observation control among videos whose state progressed against the others, per system."""
    every = [clips for clips in verified_clips(findings) if len(clips.rows)]
    tables = [_table(clips, number, findings) for number, clips in enumerate(every)]
    return tables or Abstain("no verifier was asked")


def _table(clips: VerifiedClips, number: int, findings: Findings) -> Table:
    return Table(
        name=table_name(f"control-given-evolution{number + 1 if number else ''}", findings.protocol.name),
        title=f"Control given evolution ({clips.title})",
        columns=COLUMNS,
        rows=tuple(
            TableRow(title=s.label, cells=_cells(clips.rows.filter(pl.col("system") == s.label)))
            for s in findings.systems
        ),
        notes=(
            "Wilson's intervals over clips, and Newcombe's of the difference. They say what goes together, not why.",
        ),
        protocol=findings.protocol.name,
        reading="Below 0: where the world goes on, the camera follows it and not the request.",
    )


def _cells(mine: pl.DataFrame) -> tuple[TableCell, ...]:
    evolved, stalled = (
        share(mine.filter(pl.col("state_progress") == said), "observation_control") for said in (1.0, 0.0)
    )
    return (_cell(evolved, "none evolved"), _cell(stalled, "all evolved"), rate_difference(evolved, stalled))


def _cell(found: RateInterval | None, why_not: str) -> TableCell:
    if found is None:
        return TableCell(reason=why_not, n=0)
    return TableCell(value=found.value, low=found.low, high=found.high, n=found.n)
