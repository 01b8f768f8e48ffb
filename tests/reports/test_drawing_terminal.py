"""A table in a terminal stays within 100 columns and keeps its numbers whole."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from lookaway.records import Table
from lookaway.reports.drawing.terminal import terminal_table
from tests.reports.drawing_examples import FOREIGN, profile, written_by
from tests.reports.test_foreign_text import shown


def printed(table: Table, width: int = 100, **settings: bool) -> str:
    console = Console(width=200, file=io.StringIO(), legacy_windows=False, **settings)  # wider than allowed, to see it
    console.print(terminal_table(table, width))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def wide(columns: int) -> Table:
    """The profile with its columns again and again."""
    table = profile()
    places = [number % 4 for number in range(columns)]
    heads = [table.columns[place].model_copy(update={"name": str(number)}) for number, place in enumerate(places)]
    rows = [row.model_copy(update={"cells": tuple(row.cells[place] for place in places)}) for row in table.rows]
    return table.model_copy(update={"columns": tuple(heads), "rows": tuple(rows)})


@pytest.mark.parametrize("table", [*map(written_by, FOREIGN), wide(60)], ids=lambda table: table.title[:20])
@pytest.mark.parametrize("width", [100, 60])
def test_no_line_is_wider_than_allowed(table: Table, width: int) -> None:
    assert max(map(cell_len, printed(table, width).splitlines())) <= width


@given(st.text(min_size=1).filter(lambda text: text.strip()))
def test_no_text_makes_a_line_wider(text: str) -> None:
    assert max(map(cell_len, printed(written_by(text)).split("\n"))) <= 100


@pytest.mark.parametrize("columns", [4, 9, 60])
def test_no_number_is_broken(columns: int) -> None:
    said = printed(wide(columns))
    times = columns // 4
    for whole in ("[-0.25, 0.75]", "n=12 of 50", "measured -0.125 to 0.250", "7.2†", "0.000‡"):
        assert said.count(whole) >= times


def test_rows_are_named_beside_every_part_of_a_wide_table() -> None:
    said = printed(wide(60))
    assert said.count("First") == said.count("prompt-only") == said.count("┏")
    assert said.count("┏") > 1


def test_best_is_bold_and_second_underlined() -> None:
    said = printed(profile(), force_terminal=True)
    assert "\x1b[1m0.50\x1b[0m" in said
    assert "\x1b[4m0.25\x1b[0m" in said


@pytest.mark.parametrize("text", [text for text in FOREIGN if len(text) < 20])
def test_foreign_text_is_printed_as_text(text: str) -> None:
    said = printed(written_by(text))
    assert "\x1b" not in said
    assert said.count(shown(text)) >= 4  # title, reading, notes and where it is not wrapped


def test_a_reason_reads_in_its_cell() -> None:
    assert "no path was" in printed(profile())
    assert "n=0 of 50" in printed(profile())
