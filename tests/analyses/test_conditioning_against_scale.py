"""What a first frame buys is told apart from what size buys; a run without the four cells says which it lacks."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.conditioning_against_scale import conditioning_against_scale, design
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_look_aways import Planted, simulated, systems, without

IMAGE, TEXT = ("image", "text"), ("text",)
FOUR: tuple[dict[str, Any], ...] = (
    {"name": "wan-14b", "input": IMAGE},
    {"name": "wan-5b", "input": IMAGE},
    {"name": "wan-14b-no-frame", "input": TEXT},
    {"name": "wan-5b-no-frame", "input": TEXT},
)
PSNR, SSIM = "psnr_all (paper)", "ssim_all (paper)"


def made(planted: Planted, seed: int = 0, cards: tuple[dict[str, Any], ...] = FOUR) -> tuple[Table, Table]:
    tables = conditioning_against_scale(simulated(seed, planted, scenes=14, among=systems(*cards)))
    assert not isinstance(tables, Abstain)
    means, effects = tables
    return means, effects


def marked(table: Table) -> set[tuple[str, str]]:
    rows = [row for row in table.rows if "significant" in row.cells[0].marks]
    return {(row.group, row.title.partition(":")[0]) for row in rows}


def of(table: Table, group: str, effect: str) -> Any:
    (row,) = [row for row in table.rows if row.group == group and row.title.startswith(effect)]
    return row.cells[0]


def test_a_first_frame_that_buys_fidelity_is_found_and_of_its_size() -> None:
    given = {"psnr_all:paper": 4.0}
    planted = Planted(spread=0.0, of_system={"wan-14b": given, "wan-5b": given})
    _, effects = made(planted)
    assert marked(effects) == {(PSNR, "first frame")}
    cell = of(effects, PSNR, "first frame")
    assert cell.low < 4 < cell.high
    assert (cell.n, cell.total) == (42, 42)


def test_an_interaction_is_found_apart_from_main_effects() -> None:
    planted = Planted(spread=0.0, of_system={"wan-14b": {"ssim_all:paper": 0.2}, "wan-5b": {"ssim_all:paper": -0.2}})
    _, effects = made(planted)
    cell = of(effects, SSIM, "interaction")
    assert cell.low < 0.4 < cell.high
    assert (SSIM, "interaction") in marked(effects)
    assert (SSIM, "first frame") not in marked(effects)


def test_a_null_effect_is_not_found() -> None:
    found = [marked(made(Planted(spread=0.0), seed)[1]) for seed in range(6)]
    assert sum(map(bool, found)) <= 1


def test_a_run_without_the_four_cells_says_which_it_lacks() -> None:
    told = conditioning_against_scale(simulated(scenes=2, among=systems(*FOUR[:3])))
    assert isinstance(told, Abstain)
    assert "lacks systems without a first frame, small" in told.reason
    assert "wan-14b: with a first frame, large" in told.reason


def test_systems_whose_cards_do_not_tell_are_no_part_of_it() -> None:
    cards = systems(*FOUR, {"name": "other-14b"}, {"name": "unsized", "input": TEXT})
    assert set(design(cards)) == {one["name"] for one in FOUR}
    told = conditioning_against_scale(simulated(scenes=2))
    assert isinstance(told, Abstain)
    assert told.reason.startswith("no card tells both")


def test_a_cell_of_two_systems_is_their_mean() -> None:
    lift = {"psnr_all:paper": 4.0}
    planted = Planted(spread=0.0, noise=0.0, of_system={"wan-14b": lift, "wan-2-14b": {"psnr_all:paper": 0.0}})
    _, effects = made(planted, cards=(*FOUR, {"name": "wan-2-14b", "input": IMAGE}))
    assert of(effects, PSNR, "first frame").value == pytest.approx(1.0)
    assert of(effects, PSNR, "interaction").value == pytest.approx(2.0)


def test_only_tasks_with_all_four_count() -> None:
    what = simulated(scenes=6, among=systems(*FOUR))
    lost = without(what, (pl.col("system") == "wan-5b") & pl.col("task").str.starts_with("s00"))
    tables = conditioning_against_scale(lost)
    assert not isinstance(tables, Abstain)
    assert (of(tables[1], PSNR, "size").n, of(tables[1], PSNR, "size").total) == (15, 18)
    empty = conditioning_against_scale(without(what, pl.col("system") == "wan-5b"))
    assert not isinstance(empty, Abstain)
    assert "no task" in of(empty[1], PSNR, "size").reason


def test_an_effect_is_not_told_beyond_the_scale() -> None:
    what = simulated(scenes=2, planted=Planted(noise=2.0), among=systems(*FOUR))
    bounded = Findings(
        what.scores.with_columns(pl.col("value").clip(0, 1)), what.tasks, what.systems, what.protocol, what.scales
    )
    tables = conditioning_against_scale(bounded)
    assert not isinstance(tables, Abstain)
    main, both = of(tables[1], SSIM, "first frame"), of(tables[1], SSIM, "interaction")
    assert -1 <= (main.low or 0) <= (main.high or 0) <= 1
    assert -2 <= (both.low or 0) <= (both.high or 0) <= 2
