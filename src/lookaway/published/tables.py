"""A printed table as our Table: the same rows, columns and daggers, and below it where every number is from."""

from __future__ import annotations

from lookaway.published.layouts import PrintedColumn, PrintedTable
from lookaway.published.paper import EMPTY, Paper, PrintedRow
from lookaway.records import Column, Table, TableCell, TableRow


def printed_table(paper: Paper, table: PrintedTable) -> Table:
    """The numbers as printed, nothing computed."""
    rows = paper.rows[table.name]
    return Table(
        name=table.name,
        title=f"{table.label}: {table.title}",
        shape=table.shape,
        columns=tuple(map(_column, table.columns)),
        rows=tuple(_row(row, table.columns) for row in rows),
        notes=(*table.notes, *_contradictions(table), _source(paper, rows)),
        protocol=paper.layouts.name,
        reading=table.reading,
    )


def _column(column: PrintedColumn) -> Column:
    return Column(
        name=column.name,
        title=column.title,
        unit=column.unit,
        better=column.better,
        group=column.group,
        digits=column.digits,
    )


def _row(row: PrintedRow, columns: tuple[PrintedColumn, ...]) -> TableRow:
    cells = tuple(_cell(row.cells[column.name], column, column.name in row.sparse) for column in columns)
    return TableRow(title=row.title, group=row.group, cells=cells)


def _cell(text: str, column: PrintedColumn, sparse: bool) -> TableCell:
    if text == EMPTY:
        return TableCell(reason=column.missing)
    if column.digits is None:
        return TableCell(text=text)
    return TableCell(value=float(text), marks=("sparse",) if sparse else ())


def _contradictions(table: PrintedTable) -> list[str]:
    wheres = [", ".join(filter(None, [c.row, c.column])) or "all of it" for c in table.contradicted]
    return [f"Contradicted: {where}: {c.says}." for where, c in zip(wheres, table.contradicted, strict=True)]


def _source(paper: Paper, rows: tuple[PrintedRow, ...]) -> str:
    sources = dict.fromkeys(part for row in rows for part in row.source.split("; "))
    return f"As printed, not measured here. {paper.layouts.paper}: {'; '.join(sources)}."
