"""What reports show beside the board is gathered before they draw, and they need nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lookaway.pipeline import exhibits, make_board, make_exhibits, plans
from lookaway.records import Clip
from lookaway.reports import REPORTS
from lookaway.store import Run, open_run


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Run:
    """A copy that a test may harm."""
    return open_run(shutil.copytree(small_run, tmp_path / "run"))


def test_every_clip_stands_beside_the_truth_with_video_strip_and_scores(run: Run) -> None:
    shown = make_exhibits(run, plans.load(run))
    assert [one.task.id for one in shown.tasks] == ["a", "b"]
    assert shown.summaries.keys() == {"held-first-frame"}
    for one in shown.tasks:
        assert [clip.title for clip in one.side_by_side] == ["the true clip", "held-first-frame"]
        assert all(clip.video.startswith("data:video/mp4;base64,") for clip in one.side_by_side)
        assert all(clip.strip.startswith("data:image/jpeg;base64,") for clip in one.side_by_side)
        assert [score.metric for score in one.clips[0].scores] == ["psnr_all"]
        assert {(score.task, score.system) for score in one.clips[0].scores} == {(one.task.id, "held-first-frame")}


def test_a_report_is_drawn_when_the_run_folder_is_gone(run: Run) -> None:
    plan = plans.load(run)
    board, shown = make_board(run, plan), make_exhibits(run, plan)
    before = {name: report.function(board, shown) for name, report in REPORTS.all().items()}
    shutil.rmtree(run.root)
    assert {name: report.function(board, shown) for name, report in REPORTS.all().items()} == before


def test_tasks_beyond_the_most_are_counted_and_not_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exhibits, "MOST_TASKS", 1)
    shown = make_exhibits(run, plans.load(run))
    assert [one.task.id for one in shown.tasks] == ["a"]
    assert shown.left_out == 1


def test_a_clip_that_is_gone_costs_its_own_place_alone(run: Run) -> None:
    (clip,) = [c for c in run.latest("clips", Clip).values() if c.case.task == "a"]
    run.blobs.path(str(clip.video)).unlink()
    first, second = make_exhibits(run, plans.load(run)).tasks
    lost = first.clips[0]
    assert (lost.status, lost.video, lost.strip) == ("cannot be shown", "", "")
    assert lost.reason.startswith("run/blobs: no blob")
    assert str(run.root) not in lost.reason, "pages are passed on"
    assert lost.scores
    assert first.truth is not None
    assert first.truth.video
    assert second.clips[0].video
