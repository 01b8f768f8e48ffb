"""Hostile input: each costs its own row and says why; nothing else is touched."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lookaway
from lookaway.api import Silent
from lookaway.images import read_image
from lookaway.metrics import METRICS, Case
from lookaway.models import ingested
from lookaway.observers import OBSERVERS
from lookaway.observers.difference import PixelDifference
from lookaway.observers.fidelity import Fidelity
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.score import _score
from lookaway.pipeline.score import jobs as score_jobs
from lookaway.pipeline.sheets import case_of
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Clip, Observation, Request, Score
from lookaway.store import Run, open_run
from lookaway.video import encode
from tests.command import invoke
from tests.test_suites import row, suite_folder
from tests.walk.test_ingest import light_suite


def leaves(case: Case) -> float:
    raise SystemExit(0)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda case: None, "returned NoneType"),
        (lambda case: "1.5", "returned str"),
        (lambda case: np.array([0.7]), "returned ndarray"),
        (lambda case: 7.0, "outside of its range 0 to 1"),
        (lambda case: float("nan"), "returned nan"),
        (leaves, "SystemExit"),
        (lambda case: case.seen["view"]["trusted"].__setitem__(0, False), "read-only"),
        (lambda case: case.seen.clear(), "mappingproxy"),
    ],
)
def test_a_metric_returns_a_number_or_fails_alone(
    function: Callable[[Case], Any], reason: str, demo_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, name = open_run(demo_run), "object_return:sound"
    job = next(j for j in score_jobs(run, plans.load(run)) if "/truth/" in j.name)
    reading = next(r for r in job.payload.readings.values() if r.metric == name)
    monkeypatch.setitem(METRICS._plugins, name, dataclasses.replace(METRICS.get(name), function=function))
    sheet = job.payload.sheet
    score, _ = _score(job.payload, sheet, case_of(run, sheet), reading)
    assert score.status == "failed"
    assert reason in score.reason


ONE = np.ones(1)


@pytest.mark.parametrize(
    "made",
    [
        None,
        {"psnr": ONE},
        PixelDifference(seconds=ONE, areas=ONE),
        Fidelity(seconds=ONE, true_seconds=ONE, psnr=np.array([object()]), ssim=ONE),
    ],
)
def test_an_observer_returns_arrays_or_fails_alone(made: object, own_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = dataclasses.replace(OBSERVERS.get("fidelity"), function=lambda look: made)
    monkeypatch.setitem(OBSERVERS._plugins, "fidelity", broken)
    monkeypatch.setattr("lookaway.pipeline.stage.source_sha256", lambda function: "same")
    plan = plans.load(own_run)
    plans.save(own_run, plan)
    (own_run.log_folder("plugins")).rename(own_run.root / "old_plugins")
    run_stage(STAGES["observe"], own_run, plan, Options(fresh=True, only="parlour0_ball*/truth/0"), Silent())
    media = next(c.video for c in own_run.latest("clips", Clip).values() if str(c.case) == "parlour0_ball_left/truth/0")
    seen = [o for o in own_run.latest("observations", Observation).values() if o.media == media]
    assert {o.status for o in seen if o.observer == "fidelity"} == {"failed"}
    assert {o.status for o in seen if o.observer != "fidelity"} == {"ok"}


@pytest.mark.parametrize("path", ["", ".", "folder", "nowhere.mp4"])
def test_a_model_that_returns_no_video_gets_nothing_copied(path: str, tmp_path: Path) -> None:
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    (tmp_path / "folder" / "deep" / "big.bin").write_bytes(bytes(100_000))
    suite, _ = light_suite(tmp_path / "suite", 1)

    def wrong(request: Request) -> str:
        return str(tmp_path / path) if path == "folder" else path

    told = pytest.warns(UserWarning, match="empty path") if path in ("", ".") else contextlib.nullcontext()
    with told:
        board = lookaway.evaluate(wrong, suite=str(suite), out=tmp_path / "run")
    cell = board.cell("wrong", "turned_away")
    assert (cell.n, cell.ok) == (1, 0)
    assert not any(p.stat().st_size == 100_000 for p in (tmp_path / "run").rglob("*") if p.is_file())


def test_plans_extended_at_the_same_time_all_count(tmp_path: Path) -> None:
    suite, _ = light_suite(tmp_path / "suite", 1)
    names = [f"m{i}" for i in range(12)]
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda name: plans.extend(Run(tmp_path / "run"), str(suite), [ingested(name)]), names))
    assert {s.name for s in plans.load(Run(tmp_path / "run")).systems} == set(names)


def test_a_strange_shape_a_strange_name_and_a_lost_blob_do_not_cost_the_report(tmp_path: Path) -> None:
    suite, (wide, strange, lost) = light_suite(tmp_path / "suite", 3)
    videos, out = tmp_path / "videos", tmp_path / "run"
    (videos / "a[/bold]x").mkdir(parents=True)
    first = read_image(suite / "first.png")
    encode([np.zeros((4, 1600, 3), np.uint8)] * 8, videos / f"{wide}.mp4", 16)
    (videos / "a[/bold]x" / f"{strange}.mp4").write_bytes(b"[/red]")
    encode([first] * 8, videos / f"{lost}.mp4", 16)
    arguments = ["ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(out)]
    code, said = invoke(*arguments)
    assert code == 1, said
    assert "a[/bold]x" in said
    run = Run(out)
    clip = next(c for c in run.latest("clips", Clip).values() if c.case.task == lost)
    blob = run.blobs.path(str(clip.video))
    blob.unlink()
    code, said = invoke("run", "--out", str(out))
    assert "Traceback" not in said
    assert code == 1
    scores = {s.task: s for s in run.latest("scores", Score).values() if s.metric == "turned_away"}
    assert scores[lost].status == "failed"
    assert "no blob" in scores[lost].reason
    assert (out / "report.html").exists()
    assert invoke(*arguments, "--fresh")[0] == 1
    assert blob.exists()
    invoke("run", "--out", str(out))
    scores = {s.task: s for s in run.latest("scores", Score).values() if s.metric == "turned_away"}
    assert scores[lost].value == 0.0


def test_a_bad_first_frame_costs_its_task_and_the_board_says_so(tmp_path: Path) -> None:
    suite = suite_folder(tmp_path, row(), row(id="bad", first_frame="text.png"))
    (suite / "text.png").write_text("no picture")
    videos = tmp_path / "videos"
    videos.mkdir()
    encode([read_image(suite / "first.png")] * 8, videos / "a_task.mp4", 16)
    out = tmp_path / "run"
    code, said = invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(out))
    assert code == 1
    assert "text.png: not a readable image" in said
    code, said = invoke("run", "--out", str(out), "--max-failures", "5")
    assert code == 0, said
    assert "1 of 2 tasks" in said
