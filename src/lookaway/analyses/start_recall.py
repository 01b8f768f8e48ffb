"""Does a model's memory bring back its first frame instead of the state that is due (StEvo-Bench, figure 7)?"""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.columns import table_name
from lookaway.analyses.summaries import estimate, why_nothing
from lookaway.outcomes import Abstain
from lookaway.phrasing import titled
from lookaway.records import Column, MetricRef, Table, TableCell, TableRow
from lookaway.stats.rates import wilson

RECALL = "recalls_start"
COLUMNS = (
    Column(name="nearer", title="likeness to the start, minus that to what is due", unit="likeness", better="lower"),
    Column(name="share", title="videos nearer to the start", unit="share", better="lower"),
)


@analysis(version=1, title="Memory of the first frame")
def start_recall(findings: Findings) -> list[Table] | Abstain:
    """Whether returned views look more as at the start than as they are due, per system."""
    rows = findings.once(clip_rows).filter(pl.col("metric") == RECALL)
    if rows.drop_nulls("value").is_empty():
        return Abstain(f"{RECALL}: {why_nothing(rows) if len(rows) else 'not scored'}")
    variants = rows.select("variant").unique().sort("variant").to_series()
    return [_table(variant, rows.filter(pl.col("variant") == variant), findings) for variant in variants]


def _table(variant: str, rows: pl.DataFrame, findings: Findings) -> Table:
    return Table(
        name=table_name(f"start-recall-{variant}", findings.protocol.name),
        title=f"Memory of the first frame: {titled(MetricRef(name=RECALL, variant=variant))}",
        columns=COLUMNS,
        rows=tuple(
            TableRow(title=s.label, cells=_cells(rows.filter(pl.col("system") == s.label))) for s in findings.systems
        ),
        notes=(
            "Where there is truth, the due state is the true one at that second; where there is none, the subject's "
            "first sights are set against its last ones before it was hidden.",
            "Mean with an interval over scenes, marked where it lies above 0; shares with Wilson's over clips.",
        ),
        protocol=findings.protocol.name,
        reading="Above 0: what comes back is the first frame, not what should have become of it.",
    )


def _cells(mine: pl.DataFrame) -> tuple[TableCell, ...]:
    known = mine.drop_nulls("value")
    if known.is_empty():
        none = TableCell(reason=why_nothing(mine) if len(mine) else "not scored", n=0, total=len(mine))
        return none, none
    found = estimate(known, "value")
    count = wilson(int((known["value"] > 0).sum()), known.height)
    marks = ("significant",) if found.low is not None and found.low > 0 else ()
    facts = {"n": known.height, "total": mine.height}
    return (
        TableCell(value=found.value, low=found.low, high=found.high, marks=marks, **facts),
        TableCell(value=count.value, low=count.low, high=count.high, **facts),
    )
