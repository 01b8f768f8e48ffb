"""A task and its twins, filmed: twins are arms of a contrast and no rows of the ledger."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway.api import Silent
from lookaway.models import system
from lookaway.pipeline import make_board, plans, walk
from lookaway.pipeline.stage import Options
from lookaway.records import Board, Clip
from lookaway.store import Run
from lookaway.video import SharedFrames

TASK = "kitchen0_book_yaw-left_[L]"  # and no twin: a pattern names whole ids


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    run = Run(tmp_path_factory.mktemp("twins") / "run")
    plan = plans.extend(run, "diorama", [system("truth"), system("frozen")])
    for only in (TASK, f"{TASK}_observed"):
        reports = walk(run, plan, Options(only=only, workers=2), Silent())
        assert not any(report.failures for report in reports)
    return make_board(run, plan)


def test_the_truth_with_its_twins_reaches_hidden_in_all_clips_that_are_asked_to_hide(board: Board) -> None:
    steps = {step.step: step for step in board.ledger if step.system == "truth"}
    assert steps["hidden"].total == 1
    assert steps["hidden"].reached == steps["hidden"].total
    assert steps["coherent"].bounds == (1.0, 1.0)


def test_state_is_read_in_the_observed_twin_about_the_hidden_time(board: Board) -> None:
    watched = {
        cell.system: cell for cell in board.cells if (cell.metric, cell.slice) == ("world_clock", "twin=observed")
    }
    assert watched["truth"].value == pytest.approx(1, abs=0.1)
    assert watched["frozen"].value == pytest.approx(1, abs=0.1), "what stops unseen goes on before our eyes"
    assert board.cell("frozen", "world_clock").value == pytest.approx(0, abs=0.1)


def test_the_observation_effect_names_who_stops_when_nobody_looks(board: Board) -> None:
    (table,) = [table for table in board.tables if table.title == "The observation effect"]
    column = next(n for n, one in enumerate(table.columns) if "world" in one.title and "clock" in one.title)
    effects = {row.title: row.cells[column].value for row in table.rows}
    assert effects["truth"] == pytest.approx(0, abs=0.1)
    assert effects["frozen"] == pytest.approx(-1, abs=0.1)


def test_who_keeps_watching_is_filmed_by_a_camera_that_stays(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    plan = plans.extend(run, "diorama", [system("truth")], chosen=["metric:turned_away"], branches=["watching"])
    walk(run, plan, Options(only=TASK), Silent())
    moved = {}
    for clip in run.latest("clips", Clip).values():
        rgb = SharedFrames.load(run.blobs.path(str(clip.video))).rgb.astype(float)
        moved[clip.case.branch] = max(np.abs(frame - rgb[0]).mean() for frame in rgb)
    assert moved["watching"] < moved[""] / 4, "only the book moves"
