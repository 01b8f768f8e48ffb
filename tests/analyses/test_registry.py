"""An analysis is a function under its own name, from findings to tables or a reason."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest

from lookaway.analyses import ANALYSES, Findings, analysis
from lookaway.errors import LookawayError, UnknownName
from lookaway.outcomes import Abstain
from lookaway.plugins import registries
from lookaway.records import Column, Protocol, Table, TableCell, TableRow


@pytest.fixture
def counted() -> Iterator[None]:
    """An analysis for the length of a test."""

    @analysis(version=3, title="How many scores")
    def how_many(findings: Findings) -> list[Table] | Abstain:
        """Scores of each system."""
        if findings.scores.is_empty():
            return Abstain("nothing was scored")
        column = Column(name="scores", title="Scores", unit="clips")
        counts = findings.scores.group_by("system").len().sort("system").rows()
        rows = tuple(TableRow(title=name, cells=(TableCell(value=count),)) for name, count in counts)
        return [Table(name="how-many", title="How many", columns=(column,), rows=rows, reading="More is more.")]

    yield
    del ANALYSES._plugins["how_many"]


def findings(*systems: str) -> Findings:
    protocol = Protocol(name="p", summary="", metrics=(), headline=())
    return Findings(pl.DataFrame({"system": systems}, {"system": pl.String}), {}, (), protocol, {})


def test_it_is_found_by_name_with_version_title_and_words(counted: None) -> None:
    found = ANALYSES.get("how_many")
    assert (found.name, found.version, found.title) == ("how_many", 3, "How many scores")
    assert found.doc == "Scores of each system."
    with pytest.raises(UnknownName, match="no analysis named 'how_mny'; did you mean how_many"):
        ANALYSES.get("how_mny")


def test_it_returns_tables_or_a_reason(counted: None) -> None:
    run = ANALYSES.get("how_many").function
    (table,) = run(findings("a", "b", "b"))  # type: ignore[misc]
    assert [(row.title, row.cells[0].value) for row in table.rows] == [("a", 1), ("b", 2)]
    assert run(findings()) == Abstain("nothing was scored")


def test_two_of_one_name_are_refused(counted: None) -> None:
    def how_many(findings: Findings) -> list[Table] | Abstain:
        return Abstain("never")

    how_many.__module__ = "elsewhere"
    with pytest.raises(LookawayError, match="two analyses are named 'how_many'"):
        analysis(version=1, title="The same")(how_many)


def test_packages_outside_add_theirs_by_entry_point() -> None:
    assert ANALYSES in registries()
    assert ANALYSES.group == "lookaway.analyses"
