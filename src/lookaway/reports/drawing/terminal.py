"""A table as it prints in a terminal, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.table import Table as Grid
from rich.text import Text

from lookaway.records import Column, Table, TableCell
from lookaway.reports.drawing.phrases import content, details, heading, holds_words, legend, signs
from lookaway.reports.escaping import in_one_line

WIDTH = 100
FRAME = 3  # of one column: a line and a space at both sides
READABLE = 14  # words get as much where they need it


def terminal_table(table: Table, width: int = WIDTH) -> RenderableType:
    """Title, how to read it, rows, legend and notes. Columns that do not fit go below, beside the same titles."""
    about = f"{table.protocol}: {table.reading}" if table.protocol else table.reading
    parts: list[RenderableType] = [Text(in_one_line(table.title), "bold"), Text(in_one_line(about), "dim")]
    parts += [_grid(table, places, width) for places in _parts(table, width)]
    below = [legend(table), *table.notes]
    parts += [Text(in_one_line(line), "dim") for line in below if line]
    return Constrain(Group(*parts), width)


def fits(table: Table, width: int = WIDTH) -> bool:
    """Whether all of its columns stand side by side."""
    return len(_parts(table, width)) <= 1


def _parts(table: Table, width: int) -> list[list[int]]:
    """Which columns stand side by side: as many as fit beside the row titles."""
    room = width - 1 - _title_width(table, width) - FRAME
    parts: list[list[int]] = []
    left = 0
    for place in range(len(table.columns)):
        needed = _width(table, place, width) + FRAME
        if not parts or needed > left:
            parts.append([])
            left = room
        parts[-1].append(place)
        left -= needed
    return parts


def _title_width(table: Table, width: int) -> int:
    titles = (_title(row.title, row.level) for row in table.rows)
    return _within([*titles, *(in_one_line(row.group) for row in table.rows)], width)


def _width(table: Table, place: int, width: int) -> int:
    """A column's: its longest line of numbers or its longest word."""
    column = table.columns[place]
    cells = [row.cells[place] for row in table.rows]
    numbers = [_shown(cell, column) for cell in cells if cell.value is not None]
    words = [_shown(cell, column) for cell in cells if cell.value is None]
    whole = [*numbers, *(line for cell in cells for line in details(cell, column)), *(w[:READABLE] for w in words)]
    return _within([*whole, *(word for text in (*words, *_heads(column)) for word in text.split())], width)


def _within(lines: Iterable[str], width: int) -> int:
    return max(1, min(max(map(cell_len, lines), default=1), width // 4))


def _grid(table: Table, places: Sequence[int], width: int) -> Grid:
    tall = any(details(row.cells[place], table.columns[place]) for row in table.rows for place in places)
    grid = Grid(show_lines=tall)
    grid.add_column("", width=_title_width(table, width), overflow="fold", style="bold")
    for place in places:
        column = table.columns[place]
        head = Text("\n".join(filter(None, _heads(column))))
        grid.add_column(
            head,
            width=_width(table, place, width),
            overflow="fold",
            justify="left" if holds_words(table, place) else "right",
        )
    for group, rows in groupby(table.rows, lambda row: row.group):
        grid.add_section()
        if group:
            grid.add_row(Text(in_one_line(group), "italic"))
        for row in rows:
            cells = (_cell(row.cells[place], table.columns[place]) for place in places)
            grid.add_row(Text(_title(row.title, row.level)), *cells)
    return grid


def _title(title: str, level: int) -> str:
    return "  " * level + in_one_line(title)


def _heads(column: Column) -> list[str]:
    """The lines above a column: its group, its title, its unit."""
    return [in_one_line(line) for line in (column.group, heading(column), column.unit)]


def _shown(cell: TableCell, column: Column) -> str:
    return in_one_line(cell.reason or content(cell, column)) + signs(cell)


def _cell(cell: TableCell, column: Column) -> Text:
    style = "bold" if "best" in cell.marks else "underline" if "second" in cell.marks else ""
    text = Text().append(_shown(cell, column), "yellow" if cell.reason else style)
    return text.append("".join(f"\n{line}" for line in details(cell, column)), "dim")
