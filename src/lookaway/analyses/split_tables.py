"""The headline by split and by trajectory, each system by itself; what is pooled stands beside its parts."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT, is_significant, with_holm
from lookaway.analyses.dimensions import DimensionReading
from lookaway.analyses.headline import headline_readings, reading_column
from lookaway.analyses.slices import against_others
from lookaway.analyses.summaries import marked, rows_of, summary_cell
from lookaway.outcomes import Abstain
from lookaway.records import Table, TableRow

FIELDS = ("split", "trajectory")
EVERY = "all systems"


@analysis(version=1, title="The headline by split and trajectory")
def split_tables(findings: Findings) -> list[Table] | Abstain:
    """A table for splits and one for trajectories: pooled, and every part under it."""
    readings = headline_readings(findings)
    if not readings:
        return Abstain("nothing of the headline was scored")
    parting = {field: values for field in FIELDS if len(values := _values(field, findings)) > 1}
    if not parting:
        return Abstain(f"all tasks are of one split and trajectory: {_of_one_kind(findings)}")
    return [_table(field, values, readings, findings) for field, values in parting.items()]


def _values(field: str, findings: Findings) -> list[str]:
    return sorted(value for value in findings.once(clip_rows)[field].unique() if value)


def _of_one_kind(findings: Findings) -> str:
    return ", ".join(f"{field} {' '.join(_values(field, findings)) or 'not told'}" for field in FIELDS)


def composition(field: str, findings: Findings) -> str:
    """What a pooled number is made of: `164 real, 196 synthetic`, in tasks; those that name none are told as such."""
    tasks = findings.once(clip_rows).select("task", field).unique()
    counted = tasks.group_by(field).len().sort(field)
    return ", ".join(f"{n} {value or f'without a {field}'}" for value, n in counted.iter_rows())


def _table(field: str, values: Sequence[str], readings: Sequence[DimensionReading], findings: Findings) -> Table:
    places = [(value, reading) for value in values for reading in readings]
    tested = with_holm([against_others(reading, field, value, findings) for value, reading in places], "cells")
    differs = {place for place, one in zip(places, tested, strict=True) if is_significant(one)}
    rows = []
    for system in (EVERY, *(system.label for system in findings.systems)):
        rows.append(_row(system, system, field, "", readings, findings))
        for value in values:
            row = _row(value, system, field, value, readings, findings)
            stars = [system == EVERY and (value, reading) in differs for reading in readings]
            cells = [marked(c, "significant") if star else c for c, star in zip(row.cells, stars, strict=True)]
            rows.append(row.model_copy(update={"cells": tuple(cells), "level": 1}))
    return Table(
        name=table_name(f"by-{field}", findings.protocol.name),
        title=f"The headline by {field}",
        columns=tuple(map(reading_column, readings)),
        rows=tuple(rows),
        notes=(
            f"A system's own row pools its clips, each counted once: {composition(field, findings)} tasks. Another mix "
            "gives another pooled number.",
            "Intervals are over scenes. Marked: differs from the clips of all other rows by Wilcoxon over systems, "
            f"Holm over the table, a corrected p below {SIGNIFICANT}.",
        ),
        protocol=findings.protocol.name,
        reading=f"Compare systems within one {field}; a pooled number may hide that they change places.",
    )


def _row(
    title: str, system: str, field: str, value: str, readings: Sequence[DimensionReading], findings: Findings
) -> TableRow:
    mine = pl.lit(True) if system == EVERY else pl.col("system") == system
    part = mine & (pl.col(field) == value) if value else mine
    cells = [summary_cell(rows_of(one, findings).filter(part), one, findings.scales) for one in readings]
    return TableRow(title=title, cells=tuple(cells))
