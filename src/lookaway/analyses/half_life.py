"""Memory half-life: after how many hidden seconds half of the subjects no longer come back as the same thing."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.dimensions import DimensionReading
from lookaway.analyses.dose import hidden_s
from lookaway.analyses.headline import readings_of
from lookaway.analyses.narrowed import headline_findings
from lookaway.analyses.summaries import estimate, parted, rows_of
from lookaway.outcomes import Abstain
from lookaway.phrasing import with_reader
from lookaway.records import Column, Step, System, Table, TableCell, TableRow, Task
from lookaway.stats.half_life import HalfLife, half_life

KEPT = "return_identity"
GB = 1e9


def kept_step(findings: Findings) -> Step | None:
    """The ledger's step that asks whether the same thing came back."""
    return next((step for step in findings.protocol.ledger if step.metric.name == KEPT), None)


def kept_rows(reading: DimensionReading, step: Step, findings: Findings) -> pl.DataFrame:
    """Rows about tasks that hide their subject once, with `hidden_s` and whether it was `kept`: 1, 0 or null."""
    once = {task.id: hidden_s(task) for task in findings.tasks.values() if _hides_once(task)}
    rows = rows_of(reading, findings).filter(pl.col("task").is_in(list(once)))
    kept = (pl.col("value") >= (step.at_least or 0.0)).cast(pl.Float64)
    return rows.with_columns(hidden_s=pl.col("task").replace_strict(once, return_dtype=pl.Float64), kept=kept)


def _hides_once(task: Task) -> bool:
    return [interval.phase for interval in task.phases].count("hidden") == 1


@analysis(name="half_life", version=1, title="Memory half-life")
def half_life_table(findings: Findings) -> list[Table] | Abstain:
    """When half of the subjects no longer come back as the same thing, and how many come back per GB of memory."""
    step = kept_step(findings)
    if step is None:
        return Abstain(f"the ledger has no step for {KEPT}")
    findings = findings.once(headline_findings)
    rows = []
    for reading in readings_of([step.metric], findings):
        by_system = parted(kept_rows(reading, step, findings).drop_nulls("kept"), "system")
        for system in findings.systems:
            mine = by_system.get((system.label,))
            if mine is not None and mine.height:
                title = with_reader(system.label, reading.by.label)
                rows.append(TableRow(title=title, cells=_cells(mine, system, findings)))
    if not rows:
        return Abstain("no clip of a task that hides its subject once was measured")
    return [
        Table(
            name=table_name("half-life", findings.protocol.name),
            title="Memory half-life",
            columns=(
                Column(name="half_life", title="half-life", unit="s", better="higher", digits=2),
                Column(name="interval", title="95 % interval"),
                Column(name="context", title="in context windows", digits=2),
                Column(name="kept", title="came back the same", unit="rate", better="higher"),
                Column(name="memory", title="memory", unit="GB", digits=2),
                Column(name="kept_per_gb", title="came back per GB", better="higher", digits=3),
            ),
            rows=tuple(rows),
            notes=(
                f"The same: {KEPT} of at least {step.at_least:g}, as in the ledger. Clips that never posed the "
                "question or could not be measured are left out. The interval is over scenes and holds the bracket of "
                "neighbouring doses; where an end lies beyond the doses asked, it is not a number.",
            ),
            protocol=findings.protocol.name,
            reading="Hidden seconds after which half of the subjects are no longer the same; how long tasks hide them "
            "limits what can be told.",
        )
    ]


def _cells(rows: pl.DataFrame, system: System, findings: Findings) -> tuple[TableCell, ...]:
    doses, scenes = rows["hidden_s"].to_numpy(), rows["scene"].to_numpy()
    found = half_life(doses, rows["kept"].to_numpy() == 1, scenes)
    share = estimate(rows, "kept")
    retained = TableCell(value=share.value, low=share.low, high=share.high, n=rows.height)
    context, memory = system.card.context_s, findings.memory_bytes.get(system.label, system.card.memory_bytes)
    asked = float(doses.min()), float(doses.max())
    in_windows = TableCell(reason="the model card tells no context window")
    if context is not None:
        in_windows = half_life_cell(found, asked, context)
    gb = TableCell(reason="neither card nor session tells it")
    per_gb = gb
    if memory:
        gb, per_gb = TableCell(value=memory / GB), TableCell(value=share.value / (memory / GB), n=rows.height)
    return half_life_cell(found, asked), TableCell(text=interval_text(found, asked)), in_windows, retained, gb, per_gb


def half_life_cell(found: HalfLife, asked: tuple[float, float], unit_s: float = 1.0) -> TableCell:
    """The half-life in units of so many seconds; censored where it lies beyond what was asked."""
    if found.value is None:
        end = asked[0] if found.beyond == "below" else asked[1]
        return TableCell(
            reason=f"{found.beyond} {end / unit_s:.3g}, the {_END[found.beyond]} asked", n=0, total=found.n
        )
    if found.low is None or found.high is None:
        return TableCell(value=found.value / unit_s, n=found.n)
    return TableCell(value=found.value / unit_s, low=found.low / unit_s, high=found.high / unit_s, n=found.n)


_END = {"below": "shortest", "above": "longest", "either side of": "longest"}


def interval_text(found: HalfLife, asked: tuple[float, float]) -> str:
    """`1.3 to above 8`: an end beyond the doses is said in words."""
    low = f"below {asked[0]:.3g}" if found.low is None else f"{found.low:.3g}"
    high = f"above {asked[1]:.3g}" if found.high is None else f"{found.high:.3g}"
    return f"{low} to {high}"
