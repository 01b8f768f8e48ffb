"""What reports show beside the board is gathered before they draw, and they need nothing else."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from lookaway.errors import UsageError
from lookaway.pipeline import exhibits, make_board, make_exhibits, plans, write_report_folder, write_reports
from lookaway.records import CaseId, Clip
from lookaway.reports import REPORTS
from lookaway.store import Run, open_run

SYSTEM = "held-first-frame"


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Run:
    """A copy that a test may harm."""
    return open_run(shutil.copytree(small_run, tmp_path / "run"))


def test_every_clip_stands_beside_the_truth_with_video_frames_and_scores(run: Run) -> None:
    shown = make_exhibits(run, plans.load(run))
    assert [one.task.id for one in shown.tasks] == ["a", "b"]
    assert shown.summaries.keys() == {"held-first-frame"}
    for one in shown.tasks:
        assert [clip.title for clip in one.side_by_side] == ["the true clip", "held-first-frame"]
        assert all((run.root / clip.video).is_file() for clip in one.side_by_side)
        books = [clip.book for clip in one.side_by_side if clip.book is not None]
        assert len(books) == 2
        assert all(book.picture.startswith("data:image/webp;base64,") for book in books)
        assert all(list(book.seconds) == sorted(book.seconds) for book in books)
        assert "psnr_all" in [shown.score.metric for shown in one.clips[0].scores]
        assert {shown.score.case for shown in one.clips[0].scores} == {CaseId(task=one.task.id, system=SYSTEM, seed=0)}


def test_a_report_is_drawn_when_the_run_folder_is_gone(run: Run) -> None:
    plan = plans.load(run)
    board, shown = make_board(run, plan), make_exhibits(run, plan)
    before = {name: report.function(board, shown) for name, report in REPORTS.all().items()}
    shutil.rmtree(run.root)
    assert {name: report.function(board, shown) for name, report in REPORTS.all().items()} == before


def test_more_cases_than_a_page_holds_get_pages_of_their_own(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plans.load(run)
    monkeypatch.setattr(exhibits, "MOST_IN_ONE_FILE", 1)
    shown = make_exhibits(run, plan)
    assert [one.page for one in shown.tasks] == ["report/a.html", "report/b.html"]
    assert all(clip.book is None for one in shown.tasks for clip in one.side_by_side), "nothing was decoded"
    write_reports(run, plan, make_board(run, plan))
    assert sorted(path.name for path in (run.root / "report").iterdir()) == ["a.html", "b.html"]
    monkeypatch.setattr(exhibits, "MOST_IN_ONE_FILE", 200)
    write_reports(run, plan, make_board(run, plan))
    assert list((run.root / "report").iterdir()) == [], "pages that are no more are taken away"


def test_a_folder_to_pass_on_holds_all_that_its_pages_show(run: Run, tmp_path: Path) -> None:
    plan, out = plans.load(run), tmp_path / "on"
    assert write_report_folder(run, plan, make_board(run, plan), out) == out / "report.html"
    shutil.rmtree(run.root)
    for page in (out / "report").glob("*.html"):
        videos = re.findall(r'<video src="([^"]+)"', page.read_text())
        assert len(videos) == 2
        assert all((page.parent / video).is_file() for video in videos)


def test_a_folder_that_holds_something_else_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    plan = plans.load(run)
    with pytest.raises(UsageError, match="holds no report"):
        write_report_folder(run, plan, make_board(run, plan), tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_clip_that_is_gone_costs_its_own_place_alone(run: Run) -> None:
    (clip,) = [c for c in run.latest("clips", Clip).values() if c.case.task == "a"]
    run.blobs.path(str(clip.video)).unlink()
    first, second = make_exhibits(run, plans.load(run)).tasks
    lost = first.clips[0]
    assert (lost.status, lost.video, lost.book) == ("cannot be shown", "", None)
    assert lost.reason.startswith("run/blobs: no blob")
    assert str(run.root) not in lost.reason, "pages are passed on"
    assert lost.scores
    assert first.truth is not None
    assert first.truth.video
    assert second.clips[0].video
