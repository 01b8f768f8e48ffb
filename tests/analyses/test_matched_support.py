"""A gap between the events survives matching where memory makes it, and goes where access made it."""

from __future__ import annotations

from lookaway.analyses.matched_support import how_matched, matched_support
from lookaway.analyses.over_systems import over_systems
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import Planted, cell_at, changed, simulated

STATE, SUPPORT = "Re-observed state (paper)", "Support (sound)"


def tables(planted: Planted, seed: int = 0) -> tuple[Table, Table]:
    made = matched_support(simulated(seed, planted, families=8))
    assert not isinstance(made, Abstain)
    by_way, pairs = made
    return by_way, pairs


def marked(table: Table) -> set[str]:
    return {row.title for row in table.rows if "significant" in row.cells[0].marks}


def test_a_gap_of_memory_is_found_in_both_directions_and_over_pairs() -> None:
    by_way, pairs = tables(Planted(changed=-0.15))
    ways = [row.group for row in by_way.rows if row.title == STATE and "significant" in row.cells[0].marks]
    assert [way.partition(":")[0] for way in ways] == ["left", "right"]
    cell = cell_at(pairs, STATE, "difference")
    assert cell.low < 0.15 < cell.high
    assert marked(pairs) == {STATE, "Re-observed spatial (paper)"}


def test_a_gap_of_access_alone_is_no_gap_of_memory() -> None:
    by_way, pairs = tables(Planted(in_place_support=0.4))
    assert marked(by_way) == {SUPPORT}
    assert {row.group.partition("supports ")[2] for row in by_way.rows} == {"differ"}
    assert marked(pairs) == set()


def test_a_null_effect_is_not_found() -> None:
    found = [marked(table) for seed in range(1, 5) for table in tables(Planted(), seed)]
    assert sum(map(bool, found)) <= 1


def test_supports_are_matched_only_where_that_is_shown() -> None:
    def compared(*differences: float) -> str:
        first = {str(n): 0.4 + difference for n, difference in enumerate(differences)}
        return how_matched(over_systems("", ("a", "b"), first, dict.fromkeys(first, 0.4), len(first)))

    assert compared(0.01, -0.01, 0.005, -0.004, 0.0, 0.002) == "matched"
    assert compared(0.2, -0.2, 0.1, -0.15, 0.05, 0.0) == "may differ"
    assert compared(0.2, 0.21, 0.22, 0.19, 0.2, 0.18) == "differ"


def test_without_both_events_there_is_a_reason() -> None:
    what = simulated(0, families=2)
    some = {name: task for name, task in what.tasks.items() if task.event != "state_only"}
    assert isinstance(matched_support(changed(what, tasks=some)), Abstain)
