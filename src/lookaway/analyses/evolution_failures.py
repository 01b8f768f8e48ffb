"""Where videos that do not evolve fail: standing still, breaking apart, or doing what cannot be (StEvo-Bench)."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.verified_clips import VerifiedClips, verified_clips
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.rates import wilson

FAILED = pl.col("evolution_success") == 0.0
STALLED, BROKEN, IMPOSSIBLE = (pl.col(name) == 0.0 for name in ("state_progress", "coherence", "physical_plausibility"))
KINDS = {
    "stalled": ("stood still or went back", STALLED & ~BROKEN.fill_null(False) & ~IMPOSSIBLE.fill_null(False)),
    "broken": ("broke apart", BROKEN),
    "impossible": ("did what cannot be", IMPOSSIBLE),
    "stalled_and_broken": ("stood still and broke apart", STALLED & BROKEN),
}


@analysis(version=1, title="How evolution fails")
def evolution_failures(findings: Findings) -> list[Table] | Abstain:
    """Of the videos without evolution success: how many merely stood still, how many broke, how many cannot be."""
    every = [clips for clips in verified_clips(findings) if len(clips.rows.filter(FAILED))]
    seen: dict[tuple[str, str], VerifiedClips] = {(clips.judge, clips.evolution): clips for clips in every}
    tables = [_table(clips, number, findings) for number, clips in enumerate(seen.values())]
    return tables or Abstain("no video failed to evolve")


def _table(clips: VerifiedClips, number: int, findings: Findings) -> Table:
    failed = clips.rows.filter(FAILED)
    rows = [_row(system.label, failed.filter(pl.col("system") == system.label)) for system in findings.systems]
    return Table(
        name=table_name(f"evolution-failures{number + 1 if number else ''}", findings.protocol.name),
        title=f"How evolution fails ({clips.evolution} by {clips.judge})",
        columns=tuple(Column(name=name, title=title, unit="share") for name, (title, _) in KINDS.items()),
        rows=tuple(rows),
        notes=("Shares of videos without evolution success; one may be of several kinds but for the first.",),
        protocol=findings.protocol.name,
        reading="A system that stands still keeps its picture whole: look at the first column before coherence.",
    )


def _row(system: str, failed: pl.DataFrame) -> TableRow:
    n = len(failed)
    if not n:
        return TableRow(title=system, cells=(TableCell(reason="none failed", n=0),) * len(KINDS))
    counts = [int(failed.select(holds.fill_null(False)).to_series().sum()) for _, holds in KINDS.values()]
    rates = [wilson(count, n) for count in counts]
    return TableRow(title=system, cells=tuple(TableCell(value=r.value, low=r.low, high=r.high, n=n) for r in rates))
