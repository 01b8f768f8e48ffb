"""Shapes have the means of the systems on scales that are said; a hard scene stands out, and only that."""

from __future__ import annotations

import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.radars import radars, scene_heat_map
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_look_aways import Planted, cell, marked_rows, simulated, systems

MANY = tuple(systems(*({"name": f"m{number:02}"} for number in range(16))))


def shapes(what: Findings) -> dict[str, Table]:
    made = radars(what)
    assert not isinstance(made, Abstain)
    return {table.name.removesuffix("-memobench"): table for table in made}


def scenes(planted: Planted, seed: int = 0) -> Table:
    made = scene_heat_map(simulated(seed, planted, scenes=5, among=MANY))
    assert not isinstance(made, Abstain)
    (table,) = made
    return table


def test_a_shape_has_the_headline_on_its_scales() -> None:
    table = shapes(simulated())["radar"]
    assert table.shape == "radar"
    scales = {column.name: column.scale for column in table.columns}
    assert scales == {"psnr_all:paper": None, "ssim_all:paper": (0, 1), "camera_controllability:sound": (0, 1)}


def test_a_shape_has_the_four_dimensions_of_the_questions() -> None:
    table = shapes(simulated())["radar-questions"]
    assert [column.name.partition(":")[0] for column in table.columns] == [
        *("vqa_instruction", "vqa_things", "vqa_memory", "vqa_physics")
    ]


def test_a_system_that_is_better_on_one_axis_is_so_in_the_shape_and_others_are_not() -> None:
    better = {"m3": {"vqa_memory:sound": 0.1}}
    planted, null = (shapes(simulated(0, Planted(spread=0.0, of_system=of)))["radar-questions"] for of in (better, {}))
    lifted = [
        (cell(planted, f"m{n}", "vqa_memory").value or 0) - (cell(null, f"m{n}", "vqa_memory").value or 0)
        for n in (2, 3)
    ]
    assert lifted == pytest.approx([0.0, 0.1])


def test_two_metrics_are_no_shape() -> None:
    what = simulated(scenes=1)
    few = what.scores.filter(pl.col("metric").is_in(["psnr_all", "ssim_all"]))
    assert isinstance(radars(Findings(few, what.tasks, what.systems, what.protocol, what.scales)), Abstain)


def test_a_scene_that_is_hard_in_one_dimension_stands_out() -> None:
    table = scenes(Planted(scene={"vqa_physics:sound": -0.3}))
    assert table.shape == "heat_map"
    row = table.rows[0]
    assert ["significant" in one.marks for one in row.cells] == [False, False, False, True]
    others = [one for line in table.rows for one in line.cells[:3]]
    assert not any("significant" in one.marks for one in others)
    assert (row.cells[3].value or 1) < (table.rows[1].cells[3].value or 0) - 0.2


def test_a_null_effect_is_not_found() -> None:
    assert sum(bool(marked_rows(scenes(Planted(), seed))) for seed in range(1, 5)) <= 1


def test_without_questions_there_is_a_reason() -> None:
    what = simulated(scenes=1)
    few = what.scores.filter(~pl.col("metric").str.starts_with("vqa"))
    assert isinstance(scene_heat_map(Findings(few, what.tasks, what.systems, what.protocol, {})), Abstain)
