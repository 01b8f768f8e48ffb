"""Tasks that a table of camera paths names are drawn from the run folder; a clip that is gone costs its own row."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from lookaway.pipeline import make_board, make_exhibits, plans
from lookaway.pipeline.path_pictures import moments_of, path_pictures
from lookaway.records import Clip, Interval, Table
from lookaway.reports.exhibits import PathPicture
from lookaway.reports.html import html
from lookaway.store import Run, open_run
from tests.command import invoke
from tests.generators.test_baselines import suite_of

PHASES = (
    Interval(phase="visible", start_s=0, end_s=0.25),
    Interval(phase="hidden", start_s=0.25, end_s=0.75),
    Interval(phase="returned", start_s=0.75, end_s=1.125),
)
PROTOCOL = 'summary = "x"\nmetrics = ["psnr_all:sound"]\nheadline = ["psnr_all:sound"]\nanalyses = ["camera_paths"]\n'


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Two tasks of grey pictures that say when their subject is hidden, and one baseline."""
    suite = suite_of(tmp_path / "suite", "ab")
    rows = [json.loads(line) for line in (suite / "tasks.jsonl").read_text().splitlines()]
    said = [one.model_dump(mode="json") for one in PHASES]
    (suite / "tasks.jsonl").write_text("\n".join(json.dumps(row | {"phases": said}) for row in rows))
    (tmp_path / "paths.toml").write_text(PROTOCOL)
    code, told = invoke(
        *("run", "--suite", str(suite), "--models", "held-first-frame", "--out", str(tmp_path / "run")),
        *("--protocols", str(tmp_path / "paths.toml")),
    )
    assert code == 0, told
    return open_run(tmp_path / "run")


def drawn(run: Run) -> tuple[tuple[Table, ...], tuple[PathPicture, ...]]:
    plan = plans.load(run)
    tables = make_board(run, plan).tables
    return tables, path_pictures(run, plan, tables)


def size(picture: PathPicture) -> tuple[int, int]:
    kind, _, data = picture.picture.partition(";base64,")
    assert kind == "data:image/jpeg"
    return Image.open(io.BytesIO(base64.b64decode(data))).size


def test_every_task_of_the_table_has_a_picture_and_the_page_shows_it(run: Run) -> None:
    tables, pictures = drawn(run)
    (paths,) = [table for table in tables if table.name.startswith("camera-paths")]
    assert [row.title for row in paths.rows] == [picture.task for picture in pictures] == ["a", "b"]
    assert [cell.text for cell in paths.rows[0].cells[-3:]] == ["0-1", "2-5", "6-8"]
    assert "the true clip, held-first-frame" in pictures[0].said
    assert {size(picture)[0] for picture in pictures} == {1000}
    plan = plans.load(run)
    shown = replace(make_exhibits(run, plan), paths=pictures)
    page = html(make_board(run, plan), shown).decode()
    assert all(picture.picture in page for picture in pictures)
    assert pictures[0].picture in (run.root / "report.html").read_text()


def test_a_clip_that_is_gone_costs_its_own_row(run: Run) -> None:
    before = size(drawn(run)[1][0])
    (clip,) = [clip for clip in run.latest("clips", Clip).values() if clip.case.task == "a"]
    run.blobs.path(str(clip.video)).unlink()
    after = drawn(run)[1]
    assert len(after) == 2
    assert size(after[0])[1] < before[1]


def test_without_such_a_table_there_is_no_picture(run: Run) -> None:
    assert path_pictures(run, plans.load(run), []) == ()


def test_frames_are_from_the_middle_of_the_first_phase_of_each_kind() -> None:
    again = (*PHASES, Interval(phase="hidden", start_s=1.125, end_s=2), Interval(phase="returned", start_s=2, end_s=3))
    assert [(m.letter, m.second) for m in moments_of(again)] == [("V", 0.125), ("D", 0.5), ("R", 0.9375)]
