"""A table in CSV is the table."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.reports.drawing.csv import csv_table
from tests.reports.drawing_examples import FOREIGN, numbers, profile, written_by


def read(text: str) -> Table:
    """The table again, without what CSV leaves out: notes and reading."""
    lines = [*csv.DictReader(io.StringIO(text, newline=""))]
    names = [*dict.fromkeys(line["column_name"] for line in lines)]
    columns = [_part(line, "column_") for line in lines[: len(names)]]
    rows = []
    for start in range(0, len(lines), len(names)):
        here = lines[start : start + len(names)]
        cells = [_part(line, "", TableCell.model_fields) | {"marks": tuple(line["marks"].split())} for line in here]
        rows.append(_part(here[0], "row_") | {"cells": cells})
    return Table.model_validate(_part(lines[0], "table_") | {"columns": columns, "rows": rows, "reading": "-"})


def _part(line: dict[str, str], prefix: str, names: object = None) -> dict[str, object]:
    wanted = [*names] if isinstance(names, dict) else [n.removeprefix(prefix) for n in line if n.startswith(prefix)]
    return {name: line[prefix + name] for name in wanted if line[prefix + name] != ""}


def without_notes(table: Table) -> Table:
    return table.model_copy(update={"notes": (), "reading": "-"})


@pytest.mark.parametrize("table", [profile(), *map(written_by, FOREIGN)], ids=lambda table: table.title[:20])
def test_it_reads_back_as_the_same_table(table: Table) -> None:
    assert read(csv_table(table)) == without_notes(table)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_numbers_keep_all_their_digits(values: list[float]) -> None:
    assert [row.cells[0].value for row in read(csv_table(numbers(*values))).rows] == values


@given(st.text().filter(lambda text: text.strip() and "\0" not in text))
def test_any_text_reads_back_as_itself(text: str) -> None:
    assert read(csv_table(written_by(text))) == without_notes(written_by(text))


def test_every_field_has_its_column_and_every_cell_its_line_in_order() -> None:
    found = pl.read_csv(io.StringIO(csv_table(profile())))
    fields = {*TableCell.model_fields, *(f"column_{n}" for n in Column.model_fields)}
    fields |= {f"row_{n}" for n in TableRow.model_fields if n != "cells"}
    assert fields <= set(found.columns)
    expected = [(row.title, column.name) for row in profile().rows for column in profile().columns]
    assert found.select("row_title", "column_name").rows() == expected
    assert found["value"].dtype == pl.Float64
