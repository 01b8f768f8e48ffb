"""A family that is hard for everyone is found, in the dimensions in which it is hard."""

from __future__ import annotations

import pytest

from lookaway.analyses.slices import slice_tables
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import Planted, cell_at, changed, simulated


def tables(planted: Planted, seed: int = 0) -> dict[str, Table]:
    made = slice_tables(simulated(seed, planted, families=8))
    assert not isinstance(made, Abstain)
    return {one.name.removeprefix("slices-").removesuffix("-wrbench"): one for one in made}


def marked(table: Table) -> set[tuple[str, str]]:
    return {
        (row.title, column.name.partition(":")[0])
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
        if "significant" in cell.marks
    }


def test_a_hard_family_is_found_in_every_judged_dimension() -> None:
    found = marked(tables(Planted(hard_family=0.2))["family"])
    judged = ("visible_spatial", "visible_state", "reobserved_spatial", "reobserved_state")
    assert {("f00", name) for name in judged} <= found
    assert {name for _, name in found} <= set(judged), "the camera and the picture do not differ"


def test_a_null_has_no_hard_family_action_or_tier() -> None:
    made = tables(Planted(), seed=1)
    assert sum(bool(marked(made[name])) for name in ("family", "action", "tier")) <= 1


def test_the_camera_moves_support_and_a_static_one_has_none() -> None:
    by_camera = tables(Planted())["camera"]
    assert cell_at(by_camera, "static", "judged_support").value == 0
    assert cell_at(by_camera, "static", "reobserved_state").value is None
    assert ("static", "judged_support") in marked(by_camera)
    assert [row.title for row in by_camera.rows] == ["left 75", "right 75", "static"]


def test_rows_of_a_slice_add_up() -> None:
    by_action = tables(Planted())["action"]
    counts = {row.title: cell_at(by_action, row.title, "visible_state").n for row in by_action.rows}
    assert counts == {"place": 23 * 24, "sit": 23 * 72}
    assert cell_at(by_action, "sit", "visible_state").value == pytest.approx(0.6, abs=0.05)


def test_tasks_that_are_all_alike_have_no_slices() -> None:
    what = simulated(0, families=1)
    tasks = {name: task for name, task in what.tasks.items() if name.endswith("left") and not task.moves}
    alike = {name: task.model_copy(update={"tier": "T0", "action": "sit"}) for name, task in tasks.items()}
    assert isinstance(slice_tables(changed(what, tasks=alike)), Abstain)
