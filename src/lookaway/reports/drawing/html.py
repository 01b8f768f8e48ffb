"""A table as a piece of an HTML page. It brings class names; `table.css` gives them the colours of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import resources
from itertools import groupby
from urllib.parse import quote

from markupsafe import Markup

from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.reports.colours import marker
from lookaway.reports.drawing import phrases
from lookaway.reports.drawing.funnel import funnel
from lookaway.reports.drawing.radar import radar
from lookaway.reports.drawing.shading import ends_of, shade
from lookaway.reports.escaping import in_one_line
from lookaway.reports.pages import render

Address = Callable[[Table, TableRow, Column, TableCell], str]


def linked_case(table: Table, row: TableRow, column: Column, cell: TableCell) -> str:
    """The clip that a cell names, on the same page; nothing where it names none."""
    return f"#{quote(cell.link)}" if cell.link else ""


def html_table(table: Table, address: Address = linked_case, systems: Sequence[str] = ()) -> Markup:
    """A figure with caption, picture, table, legend and notes; everything put in is escaped.

    `address` says where the content of a cell leads. Rows of `systems` have the colours that these have everywhere.
    """
    heads = [(group, len([*columns])) for group, columns in groupby(table.columns, lambda column: column.group)]
    bodies = [(group, [*rows]) for group, rows in groupby(table.rows, lambda row: row.group)]
    ends = ends_of(table)
    return render(
        "drawing/table.jinja",
        table=table,
        heads=heads,
        bodies=bodies,
        phrases=phrases,
        in_one_line=in_one_line,
        address=lambda row, column, cell: address(table, row, column, cell),
        places={system: place for place, system in enumerate(systems)},
        marker=marker,
        picture=_picture(table, systems),
        shade=lambda cell, column: shade(cell, column, ends) if table.shape == "heat_map" else "",
    )


def _picture(table: Table, systems: Sequence[str]) -> Markup:
    if table.shape == "radar":
        return radar(table, systems)
    return funnel(table) if table.shape == "funnel" else Markup()


def table_style() -> Markup:
    """The rules of every drawn table; the page says what `--soft`, `--line`, `--card` and `--blue` are."""
    return Markup((resources.files("lookaway.reports") / "drawing" / "table.css").read_text())
