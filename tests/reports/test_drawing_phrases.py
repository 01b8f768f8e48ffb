"""A number reads the same in every format."""

from __future__ import annotations

from typing import get_args

import pytest

from lookaway.records import Column, Mark, TableCell
from lookaway.reports import markdown, terminal, words
from lookaway.reports.drawing import phrases
from tests.reports.drawing_examples import numbers, profile


@pytest.mark.parametrize(
    ("value", "unit", "digits", "reads"),
    [
        (0.725, "score", 3, "0.725"),
        (0.7, "rate", None, "0.70"),
        (31.26, "dB", None, "31.3"),
        (58.46, "%", None, "58.5"),
        (12.0, "clips", None, "12"),
        (-0.004, "score", None, "0.00"),
        (-0.006, "score", None, "-0.01"),
        (0.00099, "p", None, "<0.001"),
        (0.001, "p", None, "0.001"),
        (0.0, "score", None, "0.00"),
        (123456.0, "deg", None, "123456.00"),
        (1.5e300, "deg", None, "1.5e+300"),
        (None, "dB", None, "–"),
    ],
)
def test_how_a_number_reads(value: float | None, unit: str, digits: int | None, reads: str) -> None:
    assert phrases.number(value, unit, digits) == reads


def test_reports_of_a_board_and_tables_share_the_rule() -> None:
    for module in (markdown, terminal):
        assert module.number is phrases.number
        assert module.arrow is phrases.arrow
    assert words.number is phrases.number


def test_beside_a_number_stand_interval_bounds_and_n_and_nothing_that_is_not_known() -> None:
    column = Column(name="x", title="X", unit="dB")
    whole = TableCell(value=30, low=29, high=31, measured_low=29.96, measured_high=30.04, n=3, total=8)
    assert phrases.details(whole, column) == ["[29.0, 31.0]", "measured 30.0 to 30.0", "n=3 of 8"]
    assert phrases.details(TableCell(value=30, n=0), column) == ["n=0"]
    assert phrases.details(TableCell(value=30), column) == []


def test_every_mark_can_be_told_from_every_other_and_is_explained() -> None:
    assert set(phrases.SIGNS) == set(phrases.MEANINGS) == set(get_args(Mark))
    shown = [sign for sign in phrases.SIGNS.values() if sign]
    assert len(shown) == len(set(shown)) == len(get_args(Mark)) - 2


def test_the_legend_explains_what_is_used_and_no_more() -> None:
    explained = dict(part.split(": ") for part in phrases.legend(profile()).split(" · "))
    used = {"bold": "best", "underlined": "second", "†": "sparse", "‡": "inactive", "*": "significant"}
    assert explained == {sign: phrases.MEANINGS[mark] for sign, mark in used.items()}
    assert phrases.legend(numbers(1.0)) == ""
