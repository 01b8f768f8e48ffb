"""`lookaway look` says in plain words what happened in videos of which nothing is known."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway import protocols
from lookaway.analyses.ledger import fates
from lookaway.errors import UsageError
from lookaway.looking.brought import brought_videos, parse_box, side_of
from lookaway.pipeline import plans
from lookaway.pipeline.plans import default_protocols
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Score
from lookaway.store import open_run
from lookaway.suites.folder import read_folder
from lookaway.video import encode
from tests.command import call, invoke
from tests.generators.test_baselines import suite_of
from tests.observers import panorama
from tests.observers.panorama import FPS, PLACE, RED, away_and_back, box_of, filmed

BOX = ",".join(f"{share:.4f}" for share in box_of(*PLACE))


def rolling(i: int) -> list[panorama.Disc]:
    return [(PLACE[0] + 0.1 * i, PLACE[1], RED)]


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of each kind that must be told apart, and one that is no video."""
    folder = tmp_path_factory.mktemp("videos")
    true = filmed(away_and_back(), rolling)
    elsewhere = filmed([yaw + 150 for yaw in away_and_back()], rolling)
    half = true[: len(true) // 2]
    kinds = {
        "true": true,
        "vanished": np.concatenate([true[:32], filmed(away_and_back(), lambda i: [])[32:]]),
        "still": np.repeat(true[:1], 32, axis=0),
        "cut": np.concatenate([true[:30], elsewhere[30:]]),
        "gone": filmed(np.linspace(0, 60, 40).tolist(), rolling),
        "backwards": np.concatenate([half, half[::-1]]),
    }
    for name, frames in kinds.items():
        encode(frames, folder / f"{name}.mp4", FPS, crf=12)
    (folder / "broken.mp4").write_bytes(b"not a video")
    return folder


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("look") / "run"


@pytest.fixture(scope="module")
def said(videos: Path, out: Path) -> dict[str, str]:
    done = call("look", str(videos), "--hfov", "60", "--box", BOX, "--subject", "the disc", "--json", "--out", str(out))
    assert done.returncode == 1, "one is no video"
    told = json.loads(done.stdout)
    assert {Path(path).name for path in told["written"]} >= {"report.html", "looked-at.md"}
    return {each["video"]: each["says"] for each in told["videos"]}


def test_a_true_film_is_told_whole(said: dict[str, str]) -> None:
    text = said["true"]
    assert "The camera turns right 50° [50, 50] and back to 0°" in text
    assert "The disc is gone from" in text
    assert "is back at" in text
    assert "looks the same" in text
    assert "show the same place" in text
    assert "No cut" in text


@pytest.mark.parametrize("file", ["report.html", "report.md", "looked-at.md"])
def test_what_happened_stands_in_the_reports(said: dict[str, str], out: Path, file: str) -> None:
    assert all(told in (out / file).read_text() for told in said.values() if "cannot be read" not in told)


def test_a_subject_that_is_gone_is_said_to_be(said: dict[str, str]) -> None:
    assert "is not found again" in said["vanished"]


@pytest.mark.parametrize(
    ("video", "words"),
    [
        ("still", "It is a still picture"),
        ("cut", "It is cut at 1.9 s"),
        ("gone", "away from the first view"),
        ("backwards", "its first half backwards"),
        ("broken", "cannot be read: broken.mp4: "),
    ],
)
def test_each_kind_is_named_as_what_it_is(said: dict[str, str], video: str, words: str) -> None:
    assert words.lower() in said[video].lower(), said[video]


@pytest.mark.usefixtures("said")
@pytest.mark.parametrize(
    ("video", "step"),
    [
        ("still", "delivered"),
        ("cut", "uncut"),
        ("gone", "returned"),
        ("backwards", "not undone"),
        ("vanished", "there"),
    ],
)
def test_the_ledger_ends_where_a_film_is_at_fault(out: Path, video: str, step: str) -> None:
    fate = fates_of(out)[video]
    assert (fate["outcome"], protocols.load("real").ledger[fate["ended"]].name) == ("lost", step)


@pytest.mark.usefixtures("said")
def test_a_true_film_reaches_every_step(out: Path) -> None:
    assert fates_of(out)["true"]["outcome"] == "reached"


def fates_of(root: Path) -> dict[str, Any]:
    """How far each video got, by its name."""
    run = open_run(root)
    known = built_tasks(run, plans.load(run))
    return {row["task"]: row for row in fates(run.table("scores", Score), protocols.load("real"), known).to_dicts()}


def test_without_a_box_all_but_the_subject_is_told(videos: Path) -> None:
    done = call("look", str(videos / "true.mp4"), "--json")
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(done.stdout)["videos"]
    assert "The camera turns right" in told["says"]
    assert "disc" not in told["says"]
    assert "nobody declared" in told["says"]


def test_looking_again_at_more_videos_keeps_those_before(videos: Path, tmp_path: Path) -> None:
    for name in ("still", "gone"):
        code, text = invoke("look", str(videos / f"{name}.mp4"), "--out", str(tmp_path / "run"))
        assert code == 0, text
    assert [draft.id for draft in read_folder(tmp_path / "run" / "suite").drafts()] == ["still", "gone"]


def test_what_is_no_video_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("none")
    for place, words in ((tmp_path / "notes.txt", "neither a video"), (tmp_path, "holds no video")):
        with pytest.raises(UsageError, match=words):
            brought_videos([place])


def test_videos_of_one_name_stay_apart(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "clip.mp4").touch()
    assert [v.id for v in brought_videos([tmp_path / "a", tmp_path / "b"])] == ["clip", "clip-2"]


@pytest.mark.parametrize("text", ["1,2,3", "0.5,0,0.4,1", "a,b,c,d", "0,0,1.2,1"])
def test_a_box_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--box"):
        parse_box(text)


def test_a_box_may_be_of_one_video() -> None:
    assert parse_box("cat=0.1,0.2,0.3,0.4") == ("cat", (0.1, 0.2, 0.3, 0.4))
    assert [side_of((left, 0, left + 0.1, 1)) for left in (0.1, 0.45, 0.8)] == ["left", "centre", "right"]


def test_a_box_of_an_unknown_video_is_refused(videos: Path, tmp_path: Path) -> None:
    code, text = invoke("look", str(videos / "true.mp4"), "--box", f"tru={BOX}", "--out", str(tmp_path / "run"))
    assert code != 0
    assert "true" in text


@pytest.mark.usefixtures("said")
def test_a_suite_is_made_of_what_was_looked_at(out: Path, tmp_path: Path) -> None:
    code, text = invoke("suite", "make", str(out), "--out", str(tmp_path / "mine"))
    assert code == 0, text
    suite = read_folder(tmp_path / "mine")
    assert suite.name == "mine"
    rows = {row["id"]: row for row in map(json.loads, (tmp_path / "mine" / "tasks.jsonl").read_text().splitlines())}
    assert [draft.id for draft in suite.drafts()] == list(rows)
    assert [phase["phase"] for phase in rows["true"]["phases"]] == ["visible", "hidden", "returned"]
    assert rows["true"]["subjects"][0]["name"] == "the disc"
    assert "questions" in text
    code, text = invoke("suite", "make", str(out), "--out", str(tmp_path / "mine"))
    assert code != 0
    assert "holds a suite already" in text


def test_a_suite_without_truth_is_measured_by_what_needs_none(tmp_path: Path) -> None:
    known, unknown = suite_of(tmp_path / "known", "a"), suite_of(tmp_path / "unknown", "a")
    lines = (unknown / "tasks.jsonl").read_text().splitlines()
    rows = [{name: value for name, value in json.loads(line).items() if name != "reference"} for line in lines]
    (unknown / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    chosen = [default_protocols(read_folder(folder)) for folder in (known, unknown)]
    assert chosen == [("diorama",), ("real",)]


def test_the_demo_looks_at_clips_of_a_forgetful_model_without_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("lookaway.cli.demo"), "MODELS", ("short-memory@1.5",))
    code, text = invoke("demo", "--out", str(tmp_path / "d"), "--only", "bedroom0_balloon_right*")
    assert code == 0, text
    assert "bedroom0_balloon_right: The camera turns right" in text
    assert "A red balloon is gone from" in text
    assert "A red balloon is gone from" in (tmp_path / "d" / "looked" / "report.html").read_text()
