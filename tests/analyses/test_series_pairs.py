"""Sizes of one series are paired by their cards, and what size buys is found where it was planted."""

from __future__ import annotations

import pytest

from lookaway.analyses.series_pairs import series_pairs, series_pairs_of
from lookaway.models import load
from lookaway.outcomes import Abstain
from lookaway.records import System, Table
from tests.analyses.simulated_scores import Planted, changed, simulated

PAIR = "twin-1.3b → twin-14b"


def table(planted: Planted, seed: int = 0) -> Table:
    made = series_pairs(simulated(seed, planted, families=10))
    assert not isinstance(made, Abstain)
    return made[0]


def marked(found: Table) -> set[str]:
    (row,) = found.rows
    return {column.title for column, cell in zip(found.columns, row.cells, strict=True) if "significant" in cell.marks}


def test_what_size_buys_is_found_where_it_was_planted_and_nowhere_else() -> None:
    found = table(Planted(larger_visible=0.2, spread=0.0))
    assert [row.title for row in found.rows] == [PAIR]
    assert marked(found) == {"Visible spatial (paper)", "Visible state (paper)"}
    cell = found.rows[0].cells[4]
    assert cell.low is not None
    assert cell.high is not None
    assert cell.low < 0.2 < cell.high
    assert cell.value == pytest.approx(0.2, abs=0.05)


def test_a_null_effect_is_not_found() -> None:
    assert sum(bool(marked(table(Planted(spread=0.0), seed))) for seed in range(4)) <= 1


def test_cards_of_the_four_sizes_make_two_pairs() -> None:
    names = ("wan-fun-2.2-a14b", "wan-fun-2.1-1.3b", "wan-fun-2.1-14b", "wan-fun-2.2-5b", "gen3c")
    found = series_pairs_of([System(name=name, card=load(name)) for name in names])
    assert [one.title for one in found] == ["wan-fun-2.1-1.3b → wan-fun-2.1-14b", "wan-fun-2.2-5b → wan-fun-2.2-a14b"]


def test_without_a_series_there_is_a_reason() -> None:
    what = simulated(0, families=2)
    others = [one for one in what.systems if "twin" not in one.name]
    assert isinstance(series_pairs(changed(what, systems=others)), Abstain)
