"""Where videos that do not evolve fail: standing still, breaking apart, or doing what cannot be (StEvo-Bench)."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.clip_rows import clip_rows
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
UNDONE = Column(name="undone", title="was undone, of those that did not progress", unit="share")
CLIP = ["system", "task", "seed"]
# By metric: from when on a process that did not progress went back. The first one that has a number tells.
WENT_BACK = {"world_clock": pl.col("value") <= -0.25, "recalls_start": pl.col("value") > 0.1}


@analysis(version=2, title="How evolution fails")
def evolution_failures(findings: Findings) -> list[Table] | Abstain:
    """Of the videos without evolution success: how many merely stood still, how many broke, how many cannot be."""
    every = [clips for clips in verified_clips(findings) if len(clips.rows.filter(FAILED))]
    seen: dict[tuple[str, str], VerifiedClips] = {(clips.judge, clips.evolution): clips for clips in every}
    back = _went_back(findings)
    tables = [_table(clips, back, number, findings) for number, clips in enumerate(seen.values())]
    return tables or Abstain("no video failed to evolve")


def _went_back(findings: Findings) -> pl.DataFrame:
    """One row per clip of which something tells whether its process went back."""
    rows = findings.once(clip_rows).drop_nulls("value").filter(pl.col("round") == 1)
    told = [
        rows.filter(pl.col("metric") == name)
        .sort("variant")
        .unique(CLIP, keep="first", maintain_order=True)
        .select(*CLIP, holds.alias("went_back"))
        for name, holds in WENT_BACK.items()
    ]
    return pl.concat(told).unique(CLIP, keep="first", maintain_order=True)


def _table(clips: VerifiedClips, back: pl.DataFrame, number: int, findings: Findings) -> Table:
    failed = clips.rows.filter(FAILED).join(back, on=CLIP, how="left")
    rows = [_row(system.label, failed.filter(pl.col("system") == system.label)) for system in findings.systems]
    return Table(
        name=table_name(f"evolution-failures{number + 1 if number else ''}", findings.protocol.name),
        title=f"How evolution fails ({clips.evolution} by {clips.judge})",
        columns=(*(Column(name=name, title=title, unit="share") for name, (title, _) in KINDS.items()), UNDONE),
        rows=tuple(rows),
        notes=(
            "Shares of videos without evolution success; one may be of several kinds but for the first.",
            "Undone: earlier than before it was hidden, by the clock of the known world, or nearer to its start than "
            "to what is due; of the videos without progress of which either tells.",
        ),
        protocol=findings.protocol.name,
        reading="A system that stands still keeps its picture whole: look at the first column before coherence.",
    )


def _row(system: str, failed: pl.DataFrame) -> TableRow:
    n = len(failed)
    if not n:
        return TableRow(title=system, cells=(TableCell(reason="none failed", n=0),) * (len(KINDS) + 1))
    counts = [int(failed.select(holds.fill_null(False)).to_series().sum()) for _, holds in KINDS.values()]
    return TableRow(title=system, cells=(*(_share(count, n) for count in counts), _undone(failed.filter(STALLED))))


def _undone(stalled: pl.DataFrame) -> TableCell:
    known = stalled["went_back"].drop_nulls()
    if known.is_empty():
        return TableCell(reason="nothing tells which way it went" if len(stalled) else "all progressed", n=0)
    return _share(int(known.sum()), len(known)).model_copy(update={"total": len(stalled)})


def _share(count: int, n: int) -> TableCell:
    rate = wilson(count, n)
    return TableCell(value=rate.value, low=rate.low, high=rate.high, n=n)
