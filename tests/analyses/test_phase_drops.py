"""A loss is found and is positive whichever way a measure counts; who starts best falls most only where it is so."""

from __future__ import annotations

import polars as pl
import pytest

from lookaway.analyses import Findings, Scale
from lookaway.analyses.phase_drops import phase_drops
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_look_aways import Planted, cell, marked_rows, simulated, systems, without

MANY = tuple(systems(*({"name": f"m{number:02}"} for number in range(14))))


def made(planted: Planted, seed: int = 0, scenes: int = 8) -> tuple[Table, Table]:
    tables = phase_drops(simulated(seed, planted, scenes=scenes, among=MANY))
    assert not isinstance(tables, Abstain)
    drops, starts = tables
    return drops, starts


def level() -> Planted:
    """The returned means are lifted to the visible ones: nothing is lost."""
    lift = {"psnr_returned:paper": 4.0, "ssim_returned:paper": 0.15, "lpips_returned:paper": -0.15}
    return Planted(of_system={one.label: lift for one in MANY})


@pytest.mark.parametrize(("measure", "lost"), [("psnr", 4.0), ("ssim", 0.15), ("lpips", 0.15)])
def test_a_loss_is_positive_and_of_its_size(measure: str, lost: float) -> None:
    drops, _ = made(Planted(spread=0.0), scenes=14)
    drop = cell(drops, "m03", f"{measure}:paper:drop")
    assert drop.low is not None
    assert drop.high is not None
    assert 0 < drop.low < lost < drop.high
    assert "significant" in drop.marks


def test_a_drop_is_the_difference_of_the_means_beside_it() -> None:
    what = without(simulated(scenes=8), (pl.col("metric") == "psnr_returned") & (pl.col("task") == "s00-pan"))
    tables = phase_drops(what)
    assert not isinstance(tables, Abstain)
    before, after, drop = (cell(tables[0], "m3", f"psnr:paper:{part}") for part in ("before", "after", "drop"))
    assert (drop.n, drop.total) == (23, 24)
    assert before.value is not None
    assert after.value is not None
    assert drop.value == pytest.approx(before.value - after.value)


def test_without_a_loss_none_is_found() -> None:
    found = [marked_rows(made(level(), seed)[0]) for seed in range(4)]
    assert sum(map(bool, found)) <= 1


def test_who_starts_best_falls_most_where_all_end_alike() -> None:
    _, starts = made(Planted(falls=1.0))
    assert marked_rows(starts) == {"PSNR (paper)", "SSIM (paper)", "LPIPS (paper)"}
    assert cell(starts, "PSNR (paper)", "start").value == pytest.approx(1.0, abs=0.1)


def test_where_all_lose_alike_nobody_falls_most() -> None:
    found = [marked_rows(made(Planted(falls=0.0, noise=0.3), seed)[1]) for seed in range(6)]
    assert sum(map(bool, found)) <= 1


def test_the_best_start_and_the_deepest_fall_are_named() -> None:
    planted = Planted(of_system={"m05": {"psnr_visible:paper": 20.0}, "m07": {"psnr_returned:paper": -30.0}})
    _, starts = made(planted)
    assert cell(starts, "PSNR (paper)", "best").text == "m05"
    assert cell(starts, "PSNR (paper)", "most").text == "m07"


def test_systems_that_start_alike_are_all_named_or_counted() -> None:
    even = Planted(spread=0.0, noise=0.0)
    assert cell(made(even)[1], "PSNR (paper)", "best").text == "14 systems alike"
    few = phase_drops(simulated(0, even, scenes=2, among=MANY[:2]))
    assert not isinstance(few, Abstain)
    assert cell(few[1], "PSNR (paper)", "best").text == "m00, m01"


def test_no_interval_goes_beyond_the_scale() -> None:
    what = simulated(scenes=2, planted=Planted(noise=0.5))
    scales = {(f"ssim_{phase}", "paper"): Scale(0.0, 1.0, 0.0) for phase in ("visible", "returned")}
    kept = what.scores.with_columns(
        pl.when(pl.col("metric").str.starts_with("ssim"))
        .then(pl.col("value").clip(0, 1))
        .otherwise("value")
        .alias("value")
    )
    tables = phase_drops(Findings(kept, what.tasks, what.systems, what.protocol, scales))
    assert not isinstance(tables, Abstain)
    before, drop = (cell(tables[0], "m3", f"ssim:paper:{part}") for part in ("before", "drop"))
    assert (before.low, before.high) == (0.0, 1.0)
    assert -1 <= (drop.low or 0) <= (drop.high or 0) <= 1


def test_without_both_phases_there_is_a_reason() -> None:
    what = simulated(scenes=2)
    only = what.scores.filter(~pl.col("metric").str.ends_with("_returned"))
    assert isinstance(phase_drops(type(what)(only, what.tasks, what.systems, what.protocol, {})), Abstain)
