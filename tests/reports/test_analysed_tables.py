"""Tables of analyses are in every report, as the drawing functions draw them."""

from __future__ import annotations

import csv
import io

import pytest
from rich.console import Console

from lookaway.records import Board, Table, TableRow
from lookaway.reports.drawing.csv import HEADS
from lookaway.reports.drawing.html import html_table
from lookaway.reports.drawing.latex import latex_table
from lookaway.reports.drawing.markdown import markdown_table
from lookaway.reports.evidence import PageEvidence
from lookaway.reports.exhibits import Exhibits
from lookaway.reports.html import html
from lookaway.reports.markdown import markdown
from lookaway.reports.tables_csv import tables_csv
from lookaway.reports.tables_tex import tables_tex
from lookaway.reports.terminal import show
from lookaway.reports.words import LONG
from tests.reports.drawing_examples import FOREIGN, profile, written_by

EFFECT = profile().model_copy(update={"name": "observation-effect-diorama", "title": "The observation effect"})
FURTHER = profile().model_copy(update={"name": "further-effect-diorama", "title": "The headline"})
CELLS = profile().model_copy(update={"name": "cells-diorama", "title": "The headline"})


def a_board(*tables: Table, **not_analysed: str) -> Board:
    empty = {"systems": (), "protocols": (), "cells": (), "ledger": ()}
    return Board(suite="s", suite_version="1", **empty, tables=tables, not_analysed=not_analysed)


def printed(board: Board) -> str:
    text = io.StringIO()
    show(board, Console(file=text, width=100))
    return text.getvalue()


def test_every_report_draws_the_table_of_an_analysis() -> None:
    board = a_board(EFFECT)
    assert markdown_table(EFFECT).strip() in markdown(board, Exhibits()).decode()
    drawn = html_table(EFFECT, PageEvidence(board, Exhibits()).of_table_cell)
    assert str(drawn).strip() in html(board, Exhibits()).decode()
    assert "The observation effect" in printed(board)


@pytest.mark.parametrize("table", [CELLS, FURTHER], ids=lambda table: table.name)
def test_what_is_shown_in_another_way_or_left_to_files_is_not_drawn(table: Table) -> None:
    board = a_board(table)
    for text in (markdown(board, Exhibits()).decode(), html(board, Exhibits()).decode(), printed(board)):
        assert "The headline" not in text
    for made in (tables_csv, tables_tex):
        assert "The headline" in made(board, Exhibits()).decode()


def test_a_table_longer_than_a_screen_is_folded_and_left_out_of_the_terminal() -> None:
    rows = tuple(TableRow(title=f"row {n}", cells=EFFECT.rows[0].cells) for n in range(LONG + 1))
    board = a_board(EFFECT.model_copy(update={"rows": rows}))
    assert "<details><summary>The observation effect</summary>" in html(board, Exhibits()).decode()
    assert f"row {LONG}" in markdown(board, Exhibits()).decode()
    assert f"row {LONG}" not in printed(board)
    assert "in the reports, too large for here: The observation effect" in printed(board)


def test_a_terminal_shows_as_many_tables_as_fit_a_screen_together() -> None:
    rows = tuple(TableRow(title=f"row {n}", cells=EFFECT.rows[0].cells) for n in range(LONG // 2 + 1))
    first, second = (EFFECT.model_copy(update={"name": n, "title": n, "rows": rows}) for n in ("first", "second"))
    text = printed(a_board(first, second))
    assert text.count(f"row {LONG // 2}") == 1
    assert "in the reports, too large for here: second" in text


def test_a_table_wider_than_a_screen_is_left_out_of_the_terminal() -> None:
    cells = EFFECT.rows[0].cells
    wide = EFFECT.model_copy(
        update={
            "columns": tuple(c.model_copy(update={"name": f"{c.name}{n}"}) for n in range(12) for c in EFFECT.columns),
            "rows": (TableRow(title="one row", cells=cells * 12),),
        }
    )
    text = printed(a_board(wide))
    assert "one row" not in text
    assert "in the reports, too large for here: The observation effect" in text


def test_why_there_is_no_table_is_told() -> None:
    board = a_board(effects="no task has an observed twin")
    for text in (markdown(board, Exhibits()).decode(), html(board, Exhibits()).decode(), printed(board)):
        assert "effects: no task has an observed twin" in text


def test_tables_csv_has_one_heading_and_a_line_for_every_cell() -> None:
    lines = [*csv.reader(io.StringIO(tables_csv(a_board(EFFECT, CELLS), Exhibits()).decode(), newline=""))]
    assert lines[0] == list(HEADS)
    assert len(lines) - 1 == 2 * len(EFFECT.rows) * len(EFFECT.columns)
    assert [line[0] for line in lines[1:]] == sorted((line[0] for line in lines[1:]), reverse=True)
    assert tables_csv(a_board(), Exhibits()).decode().split("\r\n") == [",".join(HEADS), ""]


def test_tables_tex_is_every_table() -> None:
    text = tables_tex(a_board(EFFECT, CELLS), Exhibits()).decode()
    assert text == latex_table(EFFECT) + "\n" + latex_table(CELLS)
    assert tables_tex(a_board(), Exhibits()) == b""


@pytest.mark.parametrize("text", FOREIGN)
def test_foreign_text_in_tables_and_reasons_stays_text(text: str) -> None:
    board = a_board(written_by(text), x=text)
    page = html(board, Exhibits()).decode()
    assert page.count("<script") == 2  # our own: data and program
    assert "<img" not in page
    assert "<img" not in markdown(board, Exhibits()).decode().replace(r"\<img", "")
