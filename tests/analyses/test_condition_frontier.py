"""Condition types: the best of each, the ladder of access, and whether support buys state."""

from __future__ import annotations

import numpy as np

from lookaway.analyses.condition_frontier import condition_frontier
from lookaway.analyses.profile import profile
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import KINDS, Floats, Planted, cell_at, simulated

STATE = "Re-observed state (paper)"
NULL = Planted()
RICH = np.array([{"source-video": 0.9, "geometry-cache": 0.8, "model-inferred": 0.4}.get(k, 0.15) for k in KINDS])


def tables(planted: Planted = NULL, seed: int = 0, support: Floats | None = None) -> dict[str, Table]:
    made = condition_frontier(simulated(seed, planted, support, families=8))
    assert not isinstance(made, Abstain)
    return {one.name.removesuffix("-wrbench"): one for one in made}


def marked(table: Table) -> set[str]:
    return {row.title for row in table.rows if "significant" in row.cells[0].marks}


def test_input_that_buys_access_only_is_told_so() -> None:
    made = tables(support=RICH)
    assert marked(made["condition-types"]) == {"Support (sound)"}
    assert marked(made["access-slope"]) == set()


def test_a_planted_slope_of_state_on_support_is_found() -> None:
    slopes = tables(Planted(state_by_support=0.4))["access-slope"]
    assert STATE in marked(slopes)
    assert marked(slopes) == {STATE}
    cell = cell_at(slopes, STATE, "estimate")
    assert cell.low > 0.2, "support over all outputs is two thirds of that of yaw rows, so the slope is 0.6"
    assert cell.low < 0.6 < cell.high


def test_a_null_effect_is_not_found() -> None:
    same = np.full(len(KINDS), 0.5)
    made = [tables(seed=seed, support=same) for seed in range(4)]
    found = [bool(marked(one["condition-types"]) | marked(one["access-slope"])) for one in made]
    assert sum(found) <= 1


def test_the_frontier_has_the_best_of_each_type_and_names_it() -> None:
    what = simulated(1, families=4)
    made, full = condition_frontier(what), profile(what)
    assert not isinstance(made, Abstain)
    assert not isinstance(full, Abstain)
    rows = [row for row in full[0].rows if row.group == "prompt-only"]
    best = max(rows, key=lambda row: row.cells[2].value or 0)
    cell = cell_at(made[0], "prompt-only", "visual_integrity", "all values")
    assert cell.value == best.cells[2].value
    assert any(
        note.startswith("all values, prompt-only") and f"Integrity {best.title}" in note for note in made[0].notes
    )


def test_a_sparse_best_is_marked_and_left_out_below() -> None:
    rates = np.full(len(KINDS), 0.6)
    rates[16:] = 0.05
    frontier = tables(support=rates)["condition-frontier"]
    assert "sparse" in cell_at(frontier, "prompt-only", "reobserved_state", "all values").marks
    assert cell_at(frontier, "prompt-only", "reobserved_state", "sparse values left out").value is None


def test_the_ladder_goes_down_in_support() -> None:
    ladder = tables(support=RICH)["access-ladder"]
    values = [cell_at(ladder, row.title, "judged_support").value for row in ladder.rows]
    assert values == sorted(values, reverse=True)
    assert [row.cells[0].text for row in ladder.rows[:3]] != [row.cells[0].text for row in ladder.rows[-3:]]
