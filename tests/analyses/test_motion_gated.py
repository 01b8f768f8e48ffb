"""What a large turn costs is found, by the rotation that is named; without a cost nothing is."""

from __future__ import annotations

from lookaway.analyses.asked_turns import asked_turns
from lookaway.analyses.beside_metrics import FAR_DEG
from lookaway.analyses.motion_gated import motion_gated
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_look_aways import Planted, cell, marked_rows, simulated, tasks, without
from tests.builders import task

COST = Planted(far={"psnr_all:paper": -3.0})
PSNR = "psnr_all (paper)"


def made(planted: Planted, seed: int = 0) -> dict[str, Table]:
    tables = motion_gated(simulated(seed, planted))
    assert not isinstance(tables, Abstain)
    return {table.name.removesuffix("-memobench"): table for table in tables}


def test_a_pan_has_no_net_turn_and_twice_its_peak_along_its_path() -> None:
    pan, u_turn, _ = (asked_turns(one) for one in tasks(1))
    assert pan is not None
    assert u_turn is not None
    assert (round(pan.net), round(pan.path), round(pan.peak)) == (0, 120, 60)
    assert (round(u_turn.net), round(u_turn.path), round(u_turn.peak)) == (180, 180, 180)


def test_which_rotation_gates_decides_who_is_in() -> None:
    counts = made(Planted())["motion-gate"]
    inside = {row.title.partition(":")[0]: (row.cells[0].n, row.cells[0].total) for row in counts.rows}
    assert inside == {"net": (12, 36), "path": (24, 36), "peak": (12, 36)}


def test_equal_subsets_are_shown_once_and_named() -> None:
    tables = made(Planted())
    assert set(tables) == {
        "motion-gate",
        *("motion-gated-net", "motion-gated-net-tests", "motion-gated-path", "motion-gated-path-tests"),
    }
    assert "By peak rotation they are the same" in tables["motion-gated-net"].notes[0]
    assert f"{FAR_DEG:g} degrees" in tables["motion-gated-net"].notes[0]


def test_a_cost_of_large_turns_is_found_and_of_its_size() -> None:
    tables = made(COST)
    gap = cell(tables["motion-gated-net"], "m3", "psnr_all:paper:gap")
    assert gap.low is not None
    assert gap.high is not None
    assert gap.low < -3 < gap.high < 0
    assert cell(tables["motion-gated-net"], "m3", "psnr_all:paper:far").n == 12
    assert cell(tables["motion-gated-net"], "m3", "psnr_all:paper:near").n == 24
    assert marked_rows(tables["motion-gated-net-tests"]) == {f"{PSNR} (paper)"}


def test_a_null_effect_is_not_found() -> None:
    found = [marked_rows(made(Planted(), seed)["motion-gated-net-tests"]) for seed in range(1, 6)]
    assert sum(map(bool, found)) <= 1


def test_what_was_not_seen_is_not_counted() -> None:
    import polars as pl

    tables = motion_gated(without(simulated(), pl.col("task") == "s00-u_turn"))
    assert not isinstance(tables, Abstain)
    far = cell(tables[1], "m3", "psnr_all:paper:far")
    assert (far.n, far.total) == (11, 12)


def test_tasks_that_no_rotation_parts_are_counted_and_no_more() -> None:
    what = simulated(scenes=2)
    pans = {name: one for name, one in what.tasks.items() if name.endswith("pan")}
    tables = motion_gated(type(what)(what.scores, pans, what.systems, what.protocol, {}))
    assert not isinstance(tables, Abstain)
    (counts,) = tables
    assert "None of the three parts these tasks" in counts.notes[-1]


def test_without_a_camera_there_is_a_reason() -> None:
    what = simulated(scenes=1)
    still = {name: task(id=name, camera="", scene=one.scene) for name, one in what.tasks.items()}
    assert isinstance(motion_gated(type(what)(what.scores, still, what.systems, what.protocol, {})), Abstain)
