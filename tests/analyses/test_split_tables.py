"""A split that is harder is found; pooled numbers stand beside their parts and say what they are made of."""

from __future__ import annotations

import pytest

from lookaway.analyses.clip_rows import trajectory
from lookaway.analyses.split_tables import EVERY, split_tables
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_look_aways import Planted, cell, simulated
from tests.builders import task


def made(planted: Planted, seed: int = 0, scenes: int = 12) -> tuple[Table, Table]:
    tables = split_tables(simulated(seed, planted, scenes))
    assert not isinstance(tables, Abstain)
    by_split, by_trajectory = tables
    return by_split, by_trajectory


def marks(table: Table) -> set[tuple[str, str]]:
    return {
        (row.title, column.name)
        for row in table.rows
        for column, one in zip(table.columns, row.cells, strict=True)
        if "significant" in one.marks
    }


def test_a_harder_split_is_found_and_nothing_else() -> None:
    by_split, by_trajectory = made(Planted(real={"psnr_all:paper": -3.0}))
    assert marks(by_split) == {("real", "psnr_all:paper"), ("synthetic", "psnr_all:paper")}
    assert marks(by_trajectory) == set()


def test_a_harder_trajectory_is_found() -> None:
    _, by_trajectory = made(Planted(far={"ssim_all:paper": -0.15}))
    assert ("u_turn", "ssim_all:paper") in marks(by_trajectory)


def test_a_null_effect_is_not_found() -> None:
    found = [marks(table) for seed in range(1, 5) for table in made(Planted(), seed)]
    assert sum(map(bool, found)) <= 1


def test_a_pooled_row_is_the_mean_of_its_parts_by_their_clips() -> None:
    by_split, _ = made(Planted(real={"psnr_all:paper": -3.0}), scenes=9)
    whole, real, synthetic = (cell(by_split, row, "psnr_all", after="m4") for row in ("m4", "real", "synthetic"))
    assert (whole.n, real.n, synthetic.n) == (27, 12, 15)
    assert whole.value == pytest.approx(((real.value or 0) * 12 + (synthetic.value or 0) * 15) / 27)
    assert "12 real, 15 synthetic tasks" in by_split.notes[0]


def test_a_trajectory_is_called_by_its_tag_its_control_or_the_way_of_the_camera() -> None:
    assert trajectory(task(tags=("trajectory:u_turn",), observation_controls=("yaw-left",))) == "u_turn"
    assert trajectory(task(observation_controls=("yaw-left",))) == "yaw-left"
    assert trajectory(task()) == "left 75"


def test_every_system_has_a_row_for_every_part() -> None:
    by_split, by_trajectory = made(Planted())
    assert [row.title for row in by_split.rows][:4] == [EVERY, "real", "synthetic", "m0"]
    assert len(by_trajectory.rows) == (1 + 9) * (1 + 3)


def test_where_all_tasks_are_of_one_kind_nothing_is_parted() -> None:
    what = simulated(scenes=1)
    some = {name: one for name, one in what.tasks.items() if name.endswith("pan")}
    told = split_tables(type(what)(what.scores, some, what.systems, what.protocol, {}))
    assert isinstance(told, Abstain)
    assert "split synthetic, trajectory pan" in told.reason
