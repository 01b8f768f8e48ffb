"""The main job end to end: what the demo's board must say, and what its folder must hold."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from lookaway.pipeline import plans
from lookaway.records import Board, Clip, Reference, Score, Task
from lookaway.store import open_run
from lookaway.truth import load


def test_the_truth_beats_the_frozen_and_the_vanished_world(demo_board: Board) -> None:
    returned = {name: demo_board.cell(name, "object_return").value for name in ("truth", "frozen", "vanished")}
    assert returned["truth"] > 0.8
    assert returned["frozen"] < 0.5
    assert returned["vanished"] == 0.0
    present = {name: demo_board.cell(name, "object_present").value for name in ("truth", "frozen", "vanished")}
    assert present == {"truth": 1.0, "frozen": 1.0, "vanished": 0.0}


def test_a_static_camera_is_gated_and_never_looks_good(demo_board: Board) -> None:
    for cell in demo_board.cells:
        if cell.system == "static-camera" and cell.metric in ("object_return", "object_present", "psnr_returned"):
            assert cell.value is None
            assert cell.avoided == cell.n > 0
    assert demo_board.cell("static-camera", "turned_away").value == 0.0
    assert demo_board.cell("static-camera", "reobservation_support").value == 0.0
    assert demo_board.cell("static-camera", "object_return").floor == 0.0


def test_every_number_travels_with_its_denominator(demo_board: Board) -> None:
    for cell in demo_board.cells:
        others = (cell.not_applicable, cell.avoided, cell.no_opportunity, cell.abstained, cell.no_output, cell.failed)
        assert cell.n == cell.ok + sum(others)
        assert (cell.value is None) == (cell.ok == 0)
        assert cell.method
        if cell.low is not None and cell.high is not None and cell.value is not None:
            assert cell.low <= cell.value <= cell.high


def test_the_ledger_tells_where_each_model_stops(demo_board: Board) -> None:
    reached = {(step.system, step.step): step.reached for step in demo_board.ledger}
    steps = ["delivered", "hidden", "returned", "there", "right place"]
    steps += ["same thing", "right state", "kept time", "true speed", "coherent"]
    assert [reached["truth", s] for s in steps] == [2] * 10
    assert [reached["frozen", s] for s in steps] == [
        2,
        2,
        2,
        2,
        1,
        1,
        1,
        0,
        0,
        0,
    ]  # the ball is elsewhere, the glass late
    assert [reached["vanished", s] for s in steps] == [2, 2, 2, 0, 0, 0, 0, 0, 0, 0]
    assert [reached["static-camera", s] for s in steps] == [0] * 10


def test_the_reports_are_written(demo_run: Path) -> None:
    board = json.loads((demo_run / "board.json").read_text())
    assert board["suite"] == "diorama-mini"
    table = pl.read_csv(demo_run / "board.csv")
    assert table.height == len(board["cells"])
    page = (demo_run / "report.html").read_text()
    assert page.count("<video ") == 8  # two tasks, four models, one of them the truth: it is shown once
    assert page.count('class="book"') == 8  # frames of each, for whoever gets the page alone
    assert len(page) < 1_000_000
    assert "8 gated" not in page
    assert "2 gated (avoided)" in page
    assert "http://" not in page
    assert "https://" not in page
    assert "| truth |" in (demo_run / "report.md").read_text()


def test_a_run_folder_reads_as_typed_records_and_as_a_table(demo_run: Path) -> None:
    run = open_run(demo_run)
    assert len(run.latest("tasks", Task)) == 2
    assert len(run.latest("clips", Clip)) == 8
    scores = run.table("scores", Score)
    assert scores.height == len(run.latest("scores", Score)) == 8 * len(plans.planned_metrics(plans.load(run)))
    tasks = run.table("tasks", Task)
    assert set(tasks["scene"]) == {"parlour0", "workshop1"}


def test_ground_truth_is_exact_and_aligned(demo_run: Path) -> None:
    run = open_run(demo_run)
    for reference in run.latest("references", Reference).values():
        truth = load(reference, run.blobs.root)
        assert truth.world is not None
        frames = truth.frames()
        assert len(frames) == len(truth.seconds) == len(truth.world.masks) == len(truth.world.camera_to_world) == 81
        assert [i.phase for i in truth.phases] == ["visible", "hidden", "returned"]
        hidden = truth.phases[1]
        inside = (truth.seconds >= hidden.start_s) & (truth.seconds < hidden.end_s)
        assert truth.world.visible[inside].max() < 0.02
        assert hidden.end_s - hidden.start_s >= 1.0
        assert reference.depth is not None
        assert run.blobs.has(reference.depth)


def test_no_log_holds_video_bytes_or_grows_out_of_proportion(demo_run: Path) -> None:
    for log in (demo_run / "logs").rglob("*.jsonl"):
        assert max(len(line) for line in log.read_bytes().splitlines()) < 8000
        assert b"data:video" not in log.read_bytes()
