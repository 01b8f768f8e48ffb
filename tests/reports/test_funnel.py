"""A funnel's bars are as wide as what is left, and a column in another unit is no stage."""

from __future__ import annotations

import re

import pytest

from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.reports.drawing.funnel import WIDTH, funnel
from lookaway.reports.drawing.html import html_table

STAGES = tuple(Column(name=name, title=name, unit="share") for name in ("all", "controlled", "evolved"))
BESIDE = Column(name="rate", title="beside it", unit="rate")


def table(*values: float | None, title: str = "m") -> Table:
    cells = [TableCell(reason="nobody knows") if v is None else TableCell(value=v, n=40) for v in values]
    row = TableRow(title=title, cells=(*cells, TableCell(value=0.9, n=40)))
    return Table(name="t", title="T", shape="funnel", columns=(*STAGES, BESIDE), rows=(row,), reading="Look.")


def widths(page: str) -> list[float]:
    return [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', page)]


def test_bars_are_as_wide_as_what_is_left_and_stand_in_the_middle() -> None:
    page = funnel(table(1.0, 0.5, 0.25))
    assert widths(page) == pytest.approx([WIDTH, WIDTH / 2, WIDTH / 4])
    starts = [float(x) for x in re.findall(r'<rect x="([\d.]+)"', page)]
    assert starts == pytest.approx([0, WIDTH / 4, WIDTH * 3 / 8])
    assert "20 of 40" in page
    assert "beside it" not in page


def test_what_nobody_knows_has_no_bar_and_says_why() -> None:
    page = funnel(table(1.0, None, None))
    assert widths(page) == [WIDTH, 0.0, 0.0]
    assert page.count("nobody knows") == 4  # beside the bar and on it, in two stages


def test_the_picture_stands_above_its_table_and_not_where_there_is_nothing_to_draw() -> None:
    assert html_table(table(1.0, 0.5, 0.25)).count("<svg") == 1
    assert "<svg" not in html_table(table(None, None, None))
    assert "<svg" not in html_table(table(1.0, 0.5, 0.25).model_copy(update={"shape": "table"}))


def test_foreign_titles_are_text() -> None:
    assert "<b>" not in funnel(table(1.0, 0.5, 0.2, title="<b>bold</b>"))
