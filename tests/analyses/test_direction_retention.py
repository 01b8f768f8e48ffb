"""Retention is found with its size, told apart from what geometry allows, and not invented."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.analyses.direction_retention import POOLED, direction_retention
from lookaway.outcomes import Abstain
from lookaway.records import Interval, Table
from tests.analyses.simulated_scores import KINDS, Planted, cell_at, changed, simulated

SUPPORT = "Support (sound)"


def tables(planted: Planted, seed: int = 0) -> tuple[Table, Table]:
    made = direction_retention(simulated(seed, planted, families=8))
    assert not isinstance(made, Abstain)
    by_system, tests = made
    return by_system, tests


def marked(table: Table) -> set[str]:
    return {row.title for row in table.rows if "significant" in row.cells[0].marks}


def test_a_direction_that_halves_support_is_found_in_support_and_in_nothing_else() -> None:
    by_system, tests = tables(Planted(left_support=0.5))
    pooled = cell_at(by_system, POOLED, "retention")
    assert pooled.low < 0.5 < pooled.high < 0.7
    ratios = [(row.cells[2].low, row.cells[2].high) for row in by_system.rows[1:]]
    known = [(low, high) for low, high in ratios if low is not None and high is not None]
    assert np.mean([low <= 0.5 <= high for low, high in known]) > 0.8
    assert marked(tests) == {SUPPORT}


def test_a_null_effect_is_not_found() -> None:
    for seed in range(3):
        by_system, tests = tables(Planted(), seed)
        pooled = cell_at(by_system, POOLED, "retention")
        assert pooled.low < 1 < pooled.high
        assert marked(tests) == set()


def test_what_geometry_allows_stands_beside_it() -> None:
    what = simulated(1, families=4)
    never = (Interval(phase="visible", start_s=0, end_s=4),)
    tasks = {
        name: task.model_copy(update={"phases": never}) if name.endswith("left") and task.moves else task
        for name, task in what.tasks.items()
    }
    made = direction_retention(changed(what, tasks=tasks))
    assert not isinstance(made, Abstain)
    assert cell_at(made[0], "m00", "opportunity_left").value == 0.5
    assert cell_at(made[0], "m00", "opportunity_right").value == 1.0
    assert cell_at(made[0], "m00", "allowed").value == 0.5


def test_unknown_geometry_and_no_support_are_reasons() -> None:
    rates = np.where(np.arange(len(KINDS)) == 0, 0.0, 0.5)
    what = simulated(1, support=rates, families=4)
    tasks = {name: task.model_copy(update={"subjects": ()}) for name, task in what.tasks.items()}
    made = direction_retention(changed(what, tasks=tasks))
    assert not isinstance(made, Abstain)
    assert cell_at(made[0], "m00", "retention").reason == "support to the right is 0"
    assert cell_at(made[0], "m01", "allowed").reason == "the geometry of the tasks is not known"
    assert cell_at(made[0], "m01", "support_left").n == 16


def test_one_direction_alone_has_no_retention() -> None:
    what = simulated(1, families=2)
    tasks = {name: task for name, task in what.tasks.items() if not name.endswith("left")}
    assert isinstance(direction_retention(changed(what, tasks=tasks)), Abstain)


def test_directions_are_read_off_the_asked_path() -> None:
    by_system, _ = tables(Planted(left_support=0.2), seed=4)
    left, right = (cell_at(by_system, POOLED, f"support_{way}") for way in ("left", "right"))
    assert left.value / right.value == pytest.approx(0.2, abs=0.06)
    assert left.n == right.n == 23 * 32
