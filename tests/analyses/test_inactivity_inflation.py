"""What clips with a camera at rest add is found, and costs ranks; where rest adds nothing, nothing is found."""

from __future__ import annotations

import pytest

from lookaway.analyses import Findings
from lookaway.analyses.inactivity_inflation import inactivity_inflation
from lookaway.analyses.memory_sides import INFLATED
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_memory import SYSTEMS, simulated
from tests.analyses.simulated_scores import cell_at

SOME = {name: 0.3 for name in SYSTEMS} | {"m0": 0.8}
SMOOTH = "motion_smoothness:paper"


def tables(what: Findings) -> tuple[Table, Table]:
    made = inactivity_inflation(what)
    assert not isinstance(made, Abstain)
    ranked, contrasts = made
    return ranked, contrasts


def test_what_rest_adds_is_found_within_systems() -> None:
    _, contrasts = tables(simulated(0, still=SOME, rest_bonus={"motion_smoothness": 0.3}))
    for name in INFLATED:
        cell = cell_at(contrasts, f"{name}:paper", "difference")
        assert ("significant" in cell.marks) == (name == "motion_smoothness")
    assert abs(cell_at(contrasts, SMOOTH, "difference").value - 0.3) < 0.05


def test_a_null_is_not_found_in_nine_of_ten_tables() -> None:
    found = 0
    for seed in range(10):
        _, contrasts = tables(simulated(seed, still=SOME, metrics=INFLATED))
        found += any("significant" in row.cells[0].marks for row in contrasts.rows)
    assert found <= 1


def test_a_system_at_rest_loses_its_place_without_those_clips() -> None:
    ranked, _ = tables(simulated(1, still=SOME, rest_bonus={"motion_smoothness": 0.4}, noise=0.02, scenes=24))
    row = {name: cell_at(ranked, "m0", name, SMOOTH).value for name in ("rank", "inflation", "every", "moving")}
    assert row["rank"] == 1
    assert row["inflation"] == pytest.approx(row["every"] - row["moving"])
    assert row["inflation"] > 0.2
    lost = [cell_at(ranked, name, "lost", SMOOTH).value for name in SYSTEMS]
    assert sum(lost) == 0, "what one loses others win"


def test_one_that_never_moves_has_no_number_without_its_clips() -> None:
    ranked, contrasts = tables(simulated(2, still={"m0": 1.0}, rest_bonus={"object_identity": 0.4}))
    cell = cell_at(ranked, "m0", "moving", "object_identity:paper")
    assert cell.reason == "its camera moves in no clip"
    assert cell_at(ranked, "m0", "rank", "object_identity:paper").value == 1
    assert cell_at(ranked, "m1", "moving_rank", "object_identity:paper").value <= len(SYSTEMS) - 1
    assert cell_at(contrasts, "object_identity:paper", "difference").reason == "no system has a number in both"


def test_a_metric_that_goes_with_rest_over_systems_is_told() -> None:
    shares = {name: n / 7 for n, name in enumerate(SYSTEMS)}
    ranked, _ = tables(simulated(3, still=shares, rest_bonus={"motion_smoothness": 0.15}))
    (note,) = [note for note in ranked.notes if note.startswith(f"{SMOOTH} against")]
    low = float(note.rpartition("[")[2].partition(",")[0])
    assert low > 0.3


def test_what_is_absent_is_said() -> None:
    ranked, _ = tables(simulated(0, metrics=("object_identity",)))
    assert "Absent: motion_smoothness: not in this run." in ranked.notes
    assert isinstance(inactivity_inflation(simulated(0, metrics=("visual_quality",))), Abstain)
