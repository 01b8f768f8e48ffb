"""A table as a piece of an HTML page. It brings class names; `table.css` gives them the colours of the page."""

from __future__ import annotations

from importlib import resources
from itertools import groupby

from markupsafe import Markup

from lookaway.records import Table
from lookaway.reports.drawing import phrases
from lookaway.reports.drawing.funnel import funnel
from lookaway.reports.drawing.radar import radar
from lookaway.reports.drawing.shading import ends_of, shade
from lookaway.reports.escaping import in_one_line
from lookaway.reports.pages import render

PICTURES = {"radar": radar, "funnel": funnel}


def html_table(table: Table) -> Markup:
    """A figure with caption, picture, table, legend and notes; everything put in is escaped."""
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
        picture=PICTURES[table.shape](table) if table.shape in PICTURES else Markup(),
        shade=lambda cell, column: shade(cell, column, ends) if table.shape == "heat_map" else "",
    )


def table_style() -> Markup:
    """The rules of every drawn table; the page says what `--soft`, `--line`, `--card` and `--blue` are."""
    return Markup((resources.files("lookaway.reports") / "drawing" / "table.css").read_text())
