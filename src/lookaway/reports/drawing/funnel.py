"""A table of shape funnel as a picture: for every row a bar per stage, as wide as what is left of the first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.reports.drawing.phrases import number
from lookaway.reports.escaping import in_one_line
from lookaway.reports.pages import render

WIDTH, BAR, GAP = 260.0, 20.0, 4.0
FEWEST_STAGES = 2


@dataclass(frozen=True)
class FunnelBar:
    """One stage of a row on paper; `width` is 0 where nothing is left or nobody knows."""

    x: float
    y: float
    width: float
    title: str
    said: str


@dataclass(frozen=True)
class FunnelPlot:
    """One row."""

    title: str
    height: float
    bars: list[FunnelBar]


def funnel(table: Table) -> Markup:
    """The picture, or nothing where no row has a number in two stages.

    Stages are the first column and those that follow it in the same unit: a column in another unit is no part of it.
    """
    stages = stages_of(table.columns)
    plots = [_plot(row, stages) for row in table.rows if _widest(row.cells[: len(stages)]) > 0]
    if len(stages) < FEWEST_STAGES or not plots:
        return Markup()
    return render("drawing/funnel.jinja", plots=plots, table=table, width=WIDTH, bar=BAR)


def stages_of(columns: Sequence[Column]) -> Sequence[Column]:
    count = next((n for n, column in enumerate(columns) if column.unit != columns[0].unit), len(columns))
    return columns[:count]


def _widest(cells: Sequence[TableCell]) -> float:
    return max((cell.value for cell in cells if cell.value is not None), default=0.0)


def _plot(row: TableRow, stages: Sequence[Column]) -> FunnelPlot:
    cells = row.cells[: len(stages)]
    most = _widest(cells)
    bars = []
    for place, (column, cell) in enumerate(zip(stages, cells, strict=True)):
        width = round(WIDTH * max(cell.value or 0.0, 0.0) / most, 1)
        bars.append(
            FunnelBar(
                round((WIDTH - width) / 2, 1),
                place * (BAR + GAP),
                width,
                in_one_line(column.title),
                _said(cell, column),
            )
        )
    return FunnelPlot(in_one_line(row.title), len(bars) * (BAR + GAP), bars)


def _said(cell: TableCell, column: Column) -> str:
    """`0.62, 25 of 40`: of shares, how many that is of how many."""
    if cell.value is None:
        return in_one_line(cell.reason)
    told = number(cell.value, column.unit, column.digits)
    if column.unit in ("share", "rate") and cell.n:
        return f"{told}, {round(cell.value * cell.n)} of {cell.n}"
    return told
