"""Tables and contrasts refuse what would mislead."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from lookaway.records import Column, Contrast, Record, Table, TableCell, TableRow
from tests import test_records

COLUMNS = ({"name": "a", "title": "A"}, {"name": "b", "title": "B"})
CONTRAST = {"name": "moved", "arms": ("moved", "still"), "pairing": "same world", "n_pairs": 8, "n_scenes": 4}


@pytest.mark.parametrize(
    ("facts", "complaint"),
    [
        ({}, "either a value, a text or a reason"),
        ({"text": " ", "reason": "\n"}, "either a value, a text or a reason"),
        ({"value": 0.0, "reason": "why"}, "either a value, a text or a reason"),
        ({"value": 0.0, "text": "none"}, "either a value, a text or a reason"),
        ({"value": float("nan")}, "finite number"),
        ({"reason": "why", "low": 0.1, "high": 0.2}, "no interval and no bounds"),
        ({"text": "word", "measured_low": 0.1, "measured_high": 0.2}, "no interval and no bounds"),
        ({"value": 0.1, "low": 0.1}, "two ends"),
        ({"value": 0.1, "low": 0.3, "high": 0.2}, "the lower one first"),
        ({"value": 0.1, "measured_high": 0.2}, "two ends"),
        ({"value": 0.1, "n": 5, "total": 4}, "never more than there were"),
        ({"value": 0.1, "total": 4}, "n of total"),
        ({"value": 0.1, "n": -1}, "greater than or equal to 0"),
        ({"value": 0.1, "marks": ("golden",)}, "Input should be 'best'"),
    ],
)
def test_a_cell_is_a_number_a_text_or_a_reason(facts: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        TableCell(**facts)


def test_zero_is_a_value() -> None:
    assert TableCell(value=0.0, low=0, high=0, n=0, total=0).value == 0


def a_table(cells: int = 2, columns: tuple[Any, ...] = COLUMNS, **facts: Any) -> Table:
    row = TableRow(title="r", cells=tuple(TableCell(value=1.0) for _ in range(cells)))
    return Table.model_validate(
        {"name": "t", "title": "T", "columns": columns, "rows": (row,), "reading": "Read it."} | facts
    )


@pytest.mark.parametrize(
    ("facts", "complaint"),
    [
        ({"cells": 1}, "row 'r' has 1 cells for 2 columns"),
        ({"cells": 3}, "row 'r' has 3 cells for 2 columns"),
        ({"columns": (COLUMNS[0], COLUMNS[0])}, "two columns are named 'a'"),
        ({"rows": ()}, "at least 1 item"),
        ({"columns": (), "cells": 0}, "at least 1 item"),
        ({"name": "Two words"}, "match pattern"),
        ({"reading": ""}, "at least 1 character"),
        ({"shape": "pie"}, "Input should be 'table'"),
    ],
)
def test_a_table_is_rectangular_and_has_a_name(facts: dict[str, Any], complaint: str) -> None:
    assert a_table().rows
    with pytest.raises(ValidationError, match=complaint):
        a_table(**facts)


def test_a_table_survives_json() -> None:
    assert Table.model_validate_json(a_table().model_dump_json()) == a_table()


def test_a_column_says_which_way_is_better() -> None:
    with pytest.raises(ValidationError, match="Input should be 'higher'"):
        Column.model_validate({"name": "a", "title": "A", "better": "up"})


@pytest.mark.parametrize(
    ("facts", "complaint"),
    [
        ({}, "either an estimate or a reason"),
        ({"estimate": 0.1, "reason": "why"}, "either an estimate or a reason"),
        ({"reason": "why", "low": 0.1, "high": 0.2}, "an interval with two ends"),
        ({"estimate": 0.1, "low": 0.2, "high": 0.1}, "the lower one first"),
        ({"estimate": 0.1, "p": 0.5}, "names its test"),
        ({"estimate": 0.1, "p_corrected": 0.5}, "a corrected one its correction"),
        ({"estimate": 0.1, "test": "exact McNemar", "p": 1.5}, "less than or equal to 1"),
        ({"estimate": 0.1, "n_scenes": 9}, "every scene has a pair"),
    ],
)
def test_a_contrast_is_an_estimate_or_a_reason(facts: dict[str, Any], complaint: str) -> None:
    assert Contrast(**CONTRAST, estimate=0.0).p is None
    assert Contrast(**CONTRAST, reason="too few scenes").estimate is None
    with pytest.raises(ValidationError, match=complaint):
        Contrast(**(CONTRAST | facts))


@pytest.mark.parametrize("record", [TableCell, Column, TableRow, Table, Contrast], ids=lambda record: record.__name__)
def test_every_field_has_a_line_of_its_own(record: type[Record]) -> None:
    test_records.test_every_field_says_what_it_is_where_it_stands(record)
