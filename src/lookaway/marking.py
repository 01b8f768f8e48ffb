"""Which cells of a table are the best and the second best of their column."""

from __future__ import annotations

from typing import Literal

from lookaway.phrasing import digits_of
from lookaway.records import Column, Mark, Table, TableCell, TableRow

Within = Literal["group", "title", "whole"]


def with_marks(table: Table, within: Within = "whole", *, sparse_compete: bool = False) -> Table:
    """The table with `best` and `second` set anew, in every column where some way is better.

    Rows of one level compete, within their group or in the whole table. Cells that read the same share a mark; those
    without a value and those of the truth stay out, and so do sparse ones unless asked for. Nobody is best who competes
    alone. Rows of one title, such as two raters by the same measure, have a best and no second.

    >>> from lookaway.records import Column, Table, TableCell, TableRow
    >>> columns = (Column(name="error", title="Error", unit="deg", better="lower"),)
    >>> rows = [TableRow(title=t, cells=(TableCell(value=v),)) for t, v in (("a", 3.0), ("b", 1.0), ("c", 2.0))]
    >>> table = Table(name="errors", title="", columns=columns, rows=tuple(rows), reading="Lower is better.")
    >>> [(row.title, *row.cells[0].marks) for row in with_marks(table).rows]
    [('a',), ('b', 'best'), ('c', 'second')]
    """
    ranks = [_ranks(table, place, within, sparse_compete) for place in range(len(table.columns))]
    rows = [_marked(row, [of_column[number] for of_column in ranks]) for number, row in enumerate(table.rows)]
    return table.model_copy(update={"rows": tuple(rows)})


def _ranks(table: Table, place: int, within: Within, sparse_compete: bool) -> list[Mark | None]:
    """What each row's cell in one column is marked with."""
    column = table.columns[place]
    badness = [_badness(row.cells[place], column, sparse_compete) for row in table.rows]
    fields = [(_field(row, within), row.level) for row in table.rows]
    rivals: dict[tuple[str, int], list[float]] = {}
    for own, field in zip(badness, fields, strict=True):
        rivals.setdefault(field, []).extend([] if own is None else [own])
    marks: tuple[Mark, ...] = ("best",) if within == "title" else ("best", "second")
    leading = {field: _leading(values, marks) for field, values in rivals.items()}
    return [None if own is None else leading[field].get(own) for own, field in zip(badness, fields, strict=True)]


def _field(row: TableRow, within: Within) -> str:
    return {"group": row.group, "title": row.title, "whole": ""}[within]


def _leading(badness: list[float], marks: tuple[Mark, ...]) -> dict[float, Mark]:
    """The least of them and their marks; none where there are no two to compare."""
    return dict(zip(sorted(set(badness)), marks, strict=False)) if len(badness) > 1 else {}


def _badness(cell: TableCell, column: Column, sparse_compete: bool) -> float | None:
    """How far a cell lies from the best value, as it reads; None for one that does not compete."""
    out = "ceiling" in cell.marks or ("sparse" in cell.marks and not sparse_compete)
    if cell.value is None or out or column.better == "none":
        return None
    places = digits_of(column.unit, column.digits)
    value = round(cell.value, places)
    if column.better == "one":
        return round(abs(value - 1), places)
    return -value if column.better == "higher" else value


def _marked(row: TableRow, ranks: list[Mark | None]) -> TableRow:
    cells = [_with_rank(cell, rank) for cell, rank in zip(row.cells, ranks, strict=True)]
    return row.model_copy(update={"cells": tuple(cells)})


def _with_rank(cell: TableCell, rank: Mark | None) -> TableCell:
    kept = tuple(mark for mark in cell.marks if mark not in ("best", "second"))
    return cell.model_copy(update={"marks": kept if rank is None else (rank, *kept)})
