"""A table as Markdown, for a pull request or a README."""

from __future__ import annotations

import re
from itertools import groupby

from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.reports.drawing.phrases import content, details, heading, holds_words, legend, signs
from lookaway.reports.escaping import in_markdown


def markdown_table(table: Table) -> str:
    """Title, how to read it, rows, legend and notes. The best is bold, the second in italics."""
    title = re.sub(r"(?<!\\)#$", r"\\#", in_markdown(table.title))  # a last # would only close the heading
    about = in_markdown(f"{table.protocol}: {table.reading}" if table.protocol else table.reading)
    below = [legend(table, second="italics").replace("*", r"\*"), *map(in_markdown, table.notes)]
    return "\n\n".join(filter(None, [f"### {title}", about, _grid(table), *below])) + "\n"


def _grid(table: Table) -> str:
    rules = ["---" if holds_words(table, place) else "---:" for place in range(len(table.columns))]
    lines = [["", *map(_head, table.columns)], ["---", *rules]]
    for group, rows in groupby(table.rows, lambda row: row.group):
        if group:
            lines.append([f"**{in_markdown(group)}**", *[""] * len(table.columns)])
        lines += [_row(row, table.columns) for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _head(column: Column) -> str:
    named = f"{column.group}: {heading(column)}" if column.group else heading(column)
    return in_markdown(f"{named} ({column.unit})" if column.unit else named)


def _row(row: TableRow, columns: tuple[Column, ...]) -> list[str]:
    cells = (_cell(cell, column) for cell, column in zip(row.cells, columns, strict=True))
    return ["&emsp;" * row.level + in_markdown(row.title), *cells]


def _cell(cell: TableCell, column: Column) -> str:
    shown = in_markdown(cell.reason or content(cell, column))
    style = "**" if "best" in cell.marks else "*" if "second" in cell.marks else ""
    return " ".join([f"{style}{shown}{style}{in_markdown(signs(cell))}", *details(cell, column)])
