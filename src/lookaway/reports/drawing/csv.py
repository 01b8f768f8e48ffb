"""A table as CSV, for whoever computes on: one line per cell, with every field of it."""

from __future__ import annotations

import csv
import io

from lookaway.records import Column, Table, TableCell, TableRow

TABLE = ("name", "title", "shape", "protocol")
ROW = ("title", "group", "level")
COLUMN = tuple(Column.model_fields)
CELL = tuple(TableCell.model_fields)
HEADS = (
    *(f"table_{name}" for name in TABLE),
    *(f"row_{name}" for name in ROW),
    *(f"column_{name}" for name in COLUMN),
    *CELL,
)


def csv_table(table: Table) -> str:
    """A line for every cell, row by row; numbers with all their digits, marks with spaces between them.

    Lines end as RFC 4180 has it, so that a line break within a text is never taken for one.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(HEADS)
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            writer.writerow(_line(table, row, column, cell))
    return text.getvalue()


def _line(table: Table, row: TableRow, column: Column, cell: TableCell) -> list[object]:
    told = [(table, TABLE), (row, ROW), (column, COLUMN), (cell, CELL)]
    found = [getattr(record, name) for record, names in told for name in names]
    return [" ".join(map(str, field)) if isinstance(field, tuple) else field for field in found]
