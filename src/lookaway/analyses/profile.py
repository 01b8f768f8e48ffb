"""The diagnostic profile: what each system does with the camera, the picture, the test, and what came back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.cells import EVERYTHING, cells
from lookaway.analyses.columns import table_name
from lookaway.analyses.dimensions import (
    AVERAGED,
    REOBSERVED,
    SUPPORT,
    Dimension,
    DimensionReading,
    Panel,
    panel_name,
    panels,
)
from lookaway.analyses.summaries import (
    SPARSE_CLIPS,
    SPARSE_SHARE,
    SystemCells,
    counts_as,
    marked,
    rows_of,
    system_cells,
    totals_by_scene,
)
from lookaway.marking import with_marks
from lookaway.outcomes import Abstain
from lookaway.phrasing import INACTIVITY, inactive_camera
from lookaway.records import Column, ConditionType, System, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.jackknife import Summary, jackknifed

CONDITION_TYPES = get_args(ConditionType)
PRINTED_DIGITS = 3  # to which the paper rounds a column before it averages


class Combined(NamedTuple):
    """A number made of several dimensions: how, from their means in this order."""

    column: Column
    dimensions: tuple[Dimension, ...]
    made: Summary
    at_worst: bool = False  # the dimensions count clips that did not pose the question as 0
    digits: int | None = None  # to which they are rounded first; the interval is that without rounding


@analysis(version=1, title="Diagnostic profile")
def profile(findings: Findings) -> list[Table] | Abstain:
    """Every system in every dimension, grouped by condition type, with the average both ways and combined scores."""
    every = panels(findings)
    if not every:
        return Abstain("the protocol has no dimension of the profile, or none was scored")
    return [table for panel in every for table in _tables(findings, panel, every)]


def _tables(findings: Findings, panel: Panel, every: Sequence[Panel]) -> list[Table]:
    name = table_name(panel_name("profile", panel, every), findings.protocol.name)
    variant = f", {panel.variant}" if len(every) > 1 else ""
    flags = inactive_systems(findings)
    known = system_cells(findings, panel)
    notes = (_RULES, *(f"{system}: {flag}" for system, flag in flags.items()))
    tables = []
    for kind, combined, title in (
        ("", _AVERAGES, "Diagnostic profile"),
        ("tested", _TESTED, "Support and correctness together"),
    ):
        shown = panel.readings if not kind else tuple(panel.of(SUPPORT, *REOBSERVED))
        if not shown:
            continue
        rows = [
            TableRow(
                title=system.label,
                group=system.card.condition_type,
                cells=tuple(
                    marked(cell, *(("inactive",) if flags.get(system.label) else ()))
                    for cell in [
                        *(in_percent(known[system.label][one], one) for one in shown),
                        *(combined_cell(one, panel, known, system.label, findings) for one in combined),
                    ]
                ),
            )
            for system in in_condition_order(findings)
        ]
        made = Table(
            name=name.replace("profile", f"profile-{kind}", 1) if kind else name,
            title=f"{title}{variant}",
            columns=(*(_column(one) for one in shown), *(one.column for one in combined)),
            rows=tuple(rows),
            notes=notes,
            protocol=findings.protocol.name,
            reading=_READINGS[kind],
        )
        tables.append(with_marks(made, "group", sparse_compete=True))
    return tables


def in_condition_order(findings: Findings) -> list[System]:
    """The systems, those of one condition type together, types as in the paper."""
    order = {kind: number for number, kind in enumerate(CONDITION_TYPES)}
    return sorted(findings.systems, key=lambda system: order.get(system.card.condition_type, len(order)))


def inactive_systems(findings: Findings) -> dict[str, str]:
    """Systems whose camera hardly moved in some clips, and in how many."""
    whole = [cell for cell in findings.once(cells) if cell.slice == EVERYTHING]
    flags = {cell.system: inactive_camera(cell) for cell in whole if (cell.metric, cell.variant) == INACTIVITY}
    return {system: flag for system, flag in flags.items() if flag}


def _column(reading: DimensionReading) -> Column:
    return reading.column(unit="%", digits=1) if reading.dimension == SUPPORT else reading.column()


def in_percent(cell: TableCell, reading: DimensionReading) -> TableCell:
    """Support is printed in percent."""
    if reading.dimension != SUPPORT or cell.value is None:
        return cell
    ends = ("value", "low", "high", "measured_low", "measured_high")
    scaled = {name: 100 * number for name in ends if (number := getattr(cell, name)) is not None}
    return cell.model_copy(update=scaled)


def combined_cell(one: Combined, panel: Panel, known: SystemCells, label: str, findings: Findings) -> TableCell:
    """A number of several dimensions with its interval over scenes, or which of them is missing."""
    readings = []
    for only in map(panel.only, one.dimensions):
        if isinstance(only, Abstain):
            return TableCell(reason=only.reason)
        readings.append(only)
    for reading in readings:
        cell = known[label][reading]
        if cell.value is None and not one.at_worst:
            return TableCell(reason=f"{reading.dimension.title}: {cell.reason}")
    mine = [rows_of(reading, findings).filter(pl.col("system") == label) for reading in readings]
    columns = ["credited" if one.at_worst else counts_as(reading) for reading in readings]
    found = jackknifed(totals_by_scene(list(zip(mine, columns, strict=True))), _of_means(one.made))
    if found is None:
        return TableCell(reason="some dimension has no clip")
    n = min(rows.drop_nulls(column).height for rows, column in zip(mine, columns, strict=True))
    value = found.value
    if one.digits is not None:
        value = one.made(np.array([round(known[label][reading].value or 0.0, one.digits) for reading in readings]))
    cell = TableCell(value=value, low=found.low, high=found.high, n=n)
    sparse = not one.at_worst and any("sparse" in known[label][reading].marks for reading in readings)
    return marked(cell, "sparse") if sparse else cell


def _of_means(made: Summary) -> Summary:
    """The number from totals: sum and count of each dimension in turn."""

    def of(totals: Floats) -> float:
        sums, counts = totals[::2], totals[1::2]
        return made(sums / counts) if (counts > 0).all() else float("nan")

    return of


def harmonic_mean(means: Floats) -> float:
    """0 where either is 0: neither a test that was failed nor one that was never posed is worth anything."""
    return float(len(means) / (1 / means).sum()) if (means > 0).all() else 0.0


def mean_of(means: Floats) -> float:
    return float(means.mean())


def _score(name: str, title: str) -> Column:
    return Column(name=name, title=title, unit="score", better="higher", digits=3, group="combined")


AVERAGE_OF_ROUNDED = Combined(
    _score("average_printed", "Avg of rounded columns"), AVERAGED, mean_of, digits=PRINTED_DIGITS
)
_AVERAGES = (
    AVERAGE_OF_ROUNDED,
    Combined(_score("average", "Avg"), AVERAGED, mean_of),
)
_TESTED = tuple(
    one
    for of in REOBSERVED
    for one in (
        Combined(_score(f"credited_{of.key}", f"Support × {of.title.lower()}"), (of,), mean_of, at_worst=True),
        Combined(_score(f"m_score_{of.key}", f"M-Score, {of.title.lower()}"), (SUPPORT, of), harmonic_mean),
    )
)
_RULES = (
    f"Sparse: fewer than {SPARSE_CLIPS} re-observed clips, or support below {SPARSE_SHARE:.0%}. Best and second are "
    "within a condition type; sparse values compete, ties share. Support counts every output, a clip that did not pose "
    "the question as 0; re-observed values count only clips that did. Avg leaves out support and precision."
)
_READINGS = {
    "": "Read support first: a re-observed value speaks only of the clips in which the test took place.",
    "tested": "Support × correctness is the mean over all outputs, 0 where nothing was tested; M-Score is the harmonic "
    "mean of support and correctness.",
}
