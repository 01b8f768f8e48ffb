"""What looking away costs by category, way of hiding and trigger: progress of tasks against their observed twins."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import PAIRING, TEST, contrast, difference_cell, with_holm
from lookaway.analyses.pairs import HIDDEN, OBSERVED, QUESTION, metric_readings, paired
from lookaway.analyses.populations import counted_rows
from lookaway.analyses.task_kinds import KINDS
from lookaway.outcomes import Abstain
from lookaway.phrasing import titled
from lookaway.records import Column, Contrast, MetricRef, Table, TableCell, TableRow

PROGRESS = "state_progress"
FIELDS = ("category", "mechanism", "trigger")
EVERY = "all"


@analysis(version=1, title="The observation effect by kind of task")
def observation_effect_slices(findings: Findings) -> list[Table] | Abstain:
    """Hidden minus observed in progress, for each category and way of hiding; Holm over a system's parts."""
    if not OBSERVED.pairs(findings.tasks):
        return Abstain("no task has an observed twin")
    pairs = _pairs(findings)
    readings = pairs.drop_nulls(["first", "second"]).select(QUESTION).unique(maintain_order=True).rows()
    if not readings:
        return Abstain("no task and its observed twin both have a verdict on progress")
    return [
        _table(field, reading, number, pairs, findings) for number, reading in enumerate(readings) for field in FIELDS
    ]


def _pairs(findings: Findings) -> pl.DataFrame:
    """Pairs in every reading of progress that the headline names, with the kinds of their tasks."""
    named = [ref.variant for ref in findings.protocol.headline if ref.name == PROGRESS]
    mine = (pl.col("metric") == PROGRESS) & pl.col("variant").is_in(named)
    readings = metric_readings(findings.scores, findings.protocol).filter(mine)
    found = paired(readings, findings.tasks, HIDDEN, OBSERVED)
    counted = counted_rows(found.rename({"pair": "task"}), findings)
    kinds = {field: {name: KINDS[field](task) for name, task in findings.tasks.items()} for field in FIELDS}
    return counted.with_columns(
        pl.col("task").replace_strict(kinds[field], return_dtype=pl.String).alias(field) for field in FIELDS
    ).sort(QUESTION)


def _table(field: str, reading: tuple[str, ...], number: int, pairs: pl.DataFrame, findings: Findings) -> Table:
    mine = pairs.filter(pl.all_horizontal(pl.col(name) == each for name, each in zip(QUESTION, reading, strict=True)))
    values = sorted(value for value in mine[field].unique() if value)
    ref = MetricRef(name=reading[0], variant=reading[1])
    rows = [row for system in findings.systems for row in _rows(system.label, field, values, mine)]
    return Table(
        name=table_name(f"observation-effect-{field}{number + 1 if number else ''}", findings.protocol.name),
        title=f"The observation effect by {field}: {titled(ref)}",
        columns=(
            Column(name="hidden", title="hidden", unit="rate", better="higher"),
            Column(name="observed", title="observed", unit="rate", better="higher"),
            Column(name="difference", title="hidden minus observed", unit="rate"),
            Column(name="p", title="sign-flip, Holm", unit="p"),
        ),
        rows=tuple(rows),
        notes=(
            f"A pair is a task and its observed twin: {PAIRING}. Intervals are 95 % over scenes.",
            f"The test is a {TEST}; Holm corrects it over the parts of a system.",
        ),
        protocol=findings.protocol.name,
        reading="Below 0: what is out of sight goes on less than what is watched. Compare the rows of one system.",
    )


def _rows(system: str, field: str, values: Sequence[str], pairs: pl.DataFrame) -> list[TableRow]:
    mine = pairs.filter(pl.col("system") == system)
    parts = {EVERY: mine, **{value: mine.filter(pl.col(field) == value) for value in values}}
    made = {name: contrast(f"{field}={name}", part, HIDDEN, OBSERVED, most=1.0) for name, part in parts.items()}
    tested = with_holm([made[value] for value in values], f"parts by {field}")
    shown = {EVERY: made[EVERY], **dict(zip(values, tested, strict=True))}
    return [
        TableRow(title=name, group=system, cells=_cells(parts[name], one), level=int(name != EVERY))
        for name, one in shown.items()
    ]


def _cells(part: pl.DataFrame, one: Contrast) -> tuple[TableCell, ...]:
    whole = part.drop_nulls(["first", "second"])
    p = one.p if one.p_corrected is None else one.p_corrected
    return (
        *(_mean(whole, side) for side in ("first", "second")),
        difference_cell(one),
        TableCell(reason="not tested") if p is None else TableCell(value=p),
    )


def _mean(whole: pl.DataFrame, side: str) -> TableCell:
    if whole.is_empty():
        return TableCell(reason="no pair", n=0)
    return TableCell(value=float(whole[side].sort().mean()), n=whole.height)  # type: ignore[arg-type]
