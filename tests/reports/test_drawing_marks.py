"""Who is best, and who is second."""

from __future__ import annotations

import pytest

from lookaway.records import Table
from lookaway.reports.drawing.marks import with_marks
from tests.reports.drawing_examples import numbers, profile


def ranks(table: Table) -> dict[str, str]:
    """Row title to `best` or `second`, of the only column."""
    return {r.title: m for r in table.rows for m in r.cells[0].marks if m in ("best", "second")}


@pytest.mark.parametrize(
    ("better", "expected"),
    [
        ("higher", {"d": "best", "c": "second"}),
        ("lower", {"a": "best", "b": "second"}),
        ("one", {"c": "best", "b": "second"}),
        ("none", {}),
    ],
)
def test_best_goes_by_the_column(better: str, expected: dict[str, str]) -> None:
    assert ranks(with_marks(numbers(-3.0, 0.5, 1.25, 2.0, better=better))) == expected


def test_as_far_above_one_as_below_is_a_tie() -> None:
    assert ranks(with_marks(numbers(0.9, 1.1, 1.3, better="one"))) == {"a": "best", "b": "best", "c": "second"}


def test_cells_that_read_the_same_share_a_mark() -> None:
    table = numbers(0.7541, 0.7459, 0.7, 0.704, 0.6)
    assert ranks(with_marks(table)) == {"a": "best", "b": "best", "c": "second", "d": "second"}
    finer = table.model_copy(update={"columns": (table.columns[0].model_copy(update={"digits": 4}),)})
    assert ranks(with_marks(finer)) == {"a": "best", "b": "second"}


def test_groups_have_winners_of_their_own() -> None:
    table = numbers(3.0, 1.0, 2.0, 0.5, groups=("x", "x", "y", "y"))
    assert ranks(with_marks(table, "group")) == {"a": "best", "b": "second", "c": "best", "d": "second"}
    assert ranks(with_marks(table, "whole")) == {"a": "best", "c": "second"}


def test_sparse_and_missing_cells_do_not_compete_unless_asked() -> None:
    table = numbers(9.0, None, 2.0, 1.0, sparse="a")
    assert ranks(with_marks(table)) == {"c": "best", "d": "second"}
    assert ranks(with_marks(table, sparse_compete=True)) == {"a": "best", "c": "second"}


def test_nobody_is_best_alone() -> None:
    assert ranks(with_marks(numbers(9.0, None))) == {}
    assert ranks(with_marks(numbers(9.0, 9.0))) == {"a": "best", "b": "best"}


def test_a_part_does_not_compete_with_the_whole() -> None:
    table = numbers(1.0, 2.0, 9.0, 8.0)
    parts = tuple(row.model_copy(update={"level": int(row.title in "cd")}) for row in table.rows)
    found = ranks(with_marks(table.model_copy(update={"rows": parts})))
    assert found == {"b": "best", "a": "second", "c": "best", "d": "second"}


def test_marking_twice_is_marking_once_and_other_marks_stay() -> None:
    marked = with_marks(numbers(9.0, 2.0, 1.0, sparse="a"), sparse_compete=True)
    assert set(marked.rows[0].cells[0].marks) == {"best", "sparse"}
    assert with_marks(marked, sparse_compete=True) == marked
    assert ranks(with_marks(marked)) == {"b": "best", "c": "second"}


def test_nothing_but_marks_changes() -> None:
    def bare(table: Table) -> list[dict[str, object]]:
        return [cell.model_dump(exclude={"marks"}) for row in table.rows for cell in row.cells]

    assert bare(with_marks(profile(), "group")) == bare(profile())
