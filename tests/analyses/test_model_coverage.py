"""A dimension that a system lacks is seen to be lacking; one that it has whole is full."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.model_coverage import coverage_mark, model_coverage
from lookaway.models import load
from lookaway.outcomes import Abstain
from lookaway.records import System, Table
from tests.analyses.simulated_scores import cell_at, changed, simulated

WHAT = simulated(0, families=1)


def tables(findings: Findings) -> dict[str, Table]:
    made = model_coverage(findings)
    assert not isinstance(made, Abstain)
    return {table.name.removesuffix("-wrbench"): table for table in made}


def test_marks_are_full_partial_and_none() -> None:
    assert [coverage_mark(n, 4) for n in (0, 1, 3, 4)] == ["none", "partial", "partial", "full"]


def test_a_system_without_a_dimension_is_marked_there_alone() -> None:
    mine = (pl.col("system") == "m05") & (pl.col("metric") == "visible_state")
    lost = {"value": pl.lit(None, pl.Float64), "status": pl.lit("abstained"), "reason": pl.lit("no judge")}
    planted = changed(WHAT, *(pl.when(mine).then(new).otherwise(name).alias(name) for name, new in lost.items()))
    made, null = (tables(what)["coverage-dimensions"] for what in (planted, WHAT))
    assert cell_at(made, "m05", "visible_state").reason == "none: 12× no judge"
    assert cell_at(made, "m04", "visible_state").text == "full"
    assert cell_at(null, "m05", "visible_state").text == "full"
    assert cell_at(made, "m05", "visible_spatial").text == "full"


def test_what_lies_behind_a_gate_is_covered_in_part() -> None:
    cell = cell_at(tables(WHAT)["coverage-dimensions"], "m04", "reobserved_state")
    assert cell.text == f"partial, {cell.n} of {cell.total}"
    assert 0 < cell.n < cell.total == 12


def test_types_are_counted_and_an_empty_one_is_seen() -> None:
    types = tables(changed(WHAT, systems=WHAT.systems[:3]))["coverage-types"]
    assert {row.title: row.cells[0].value for row in types.rows} == {
        "source-video": 3,
        "geometry-cache": 0,
        "model-inferred": 0,
        "prompt-only": 0,
    }


def test_cards_tell_what_is_known_and_what_has_a_source() -> None:
    card = load("gen3c")
    named = System(name="m00", card=card)
    cards = tables(changed(WHAT, systems=[named, *WHAT.systems[1:]]))["coverage-cards"]
    known, sourced = (cell_at(cards, "m00", name) for name in ("known", "sourced"))
    assert known.n == sum(value is not None for value in card.facts().values())
    assert sourced.value == 1.0, "cards of the package give a source for every fact"
    assert cell_at(cards, "m00", "control").text == card.control
    assert cell_at(cards, "m01", "history").text == "unknown"
