"""The analyses of a protocol are run for the board; one that abstains, fails or is gone stops no other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lookaway.analyses import ANALYSES, Analysis, Findings, analysis
from lookaway.outcomes import Abstain
from lookaway.pipeline.analyse import analysed
from lookaway.records import Column, Protocol, Table, TableCell, TableRow
from tests.analyses.score_tables import findings, table

COUNT = Table(
    name="count",
    title="Count",
    columns=(Column(name="n", title="n"),),
    rows=(TableRow(title="a", cells=(TableCell(value=1.0),)),),
    reading="Count them.",
)


@pytest.fixture
def odd_ones() -> Iterator[None]:
    before: dict[str, Analysis] = ANALYSES.all()

    @analysis(version=1, title="Counts", name="counts")
    def counted(what: Findings) -> list[Table] | Abstain:
        """One table."""
        return [COUNT]

    @analysis(version=1, title="Silent")
    def silent(what: Findings) -> list[Table] | Abstain:
        """Never has anything to say."""
        return Abstain("too few clips")

    @analysis(version=1, title="Broken")
    def broken(what: Findings) -> list[Table] | Abstain:
        """Divides by nothing."""
        return [COUNT] if 1 / 0 else []

    @analysis(version=1, title="Wrong")
    def wrong(what: Findings) -> list[Table] | Abstain:
        """Returns what is no table."""
        return ["a table"]  # type: ignore[list-item]

    yield
    for name in set(ANALYSES.all()) - set(before):
        del ANALYSES._plugins[name]


def under(name: str, *analyses: str) -> Findings:
    protocol = Protocol(name=name, summary="", metrics=(), headline=(), analyses=analyses)
    return findings(table([]), [], (), protocol)


def test_tables_come_in_the_order_of_protocols_and_their_analyses(odd_ones: None) -> None:
    found = analysed([under("p", "silent", "counts"), under("q", "counts")])
    assert [one.name for one in found.tables] == ["count", "count-2"], "two of one name are told apart"
    assert found.missing == {"p: silent": "too few clips"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken", "ZeroDivisionError: division by zero"),
        ("wrong", "Input should be a valid dictionary or instance of Table"),
        ("countz", "no analysis named 'countz'"),
    ],
)
def test_what_cannot_be_analysed_is_told_and_the_rest_goes_on(odd_ones: None, name: str, reason: str) -> None:
    found = analysed([under("p", name, "counts")])
    assert [one.name for one in found.tables] == ["count"]
    assert reason in found.missing[f"p: {name}"]
