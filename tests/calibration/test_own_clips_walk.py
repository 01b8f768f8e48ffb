"""`lookaway calibrate --clips` from videos to tables."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from lookaway.calibration.own_clips.grades import CLOCK, OwnClipsTable
from lookaway.calibration.own_clips.relations import RELATIONS
from lookaway.video import encode
from tests.calibration.changed_clips import frames
from tests.command import call
from tests.judges.server import Manner, serving
from tests.observers.panorama import FPS, PLACE, box_of

LEFT, TOP, RIGHT, BOTTOM = box_of(*PLACE)
BOXES = {"one": (LEFT, TOP, RIGHT, BOTTOM), "two": (1 - RIGHT, TOP, 1 - LEFT, BOTTOM)}
OPTIONS = [f"--box={name}={','.join(f'{share:.4f}' for share in box)}" for name, box in BOXES.items()]


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("videos")
    for name, rgb in (("one", frames()), ("two", np.ascontiguousarray(frames()[:, :, ::-1]))):
        encode(rgb, folder / f"{name}.mp4", FPS)
    encode(frames(aside_deg=120.0)[:6], folder / "short.mp4", FPS)
    (folder / "broken.mp4").write_bytes(b"not a video")
    return folder


@pytest.fixture(scope="module")
def out(videos: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("calibration") / "run"
    done = call("calibrate", "--clips", str(videos), *OPTIONS, "--hfov", "60", "--out", str(out), "--json")
    assert done.returncode == 1, "one is no video"
    assert "broken" in json.loads(done.stdout)["warnings"][0]
    return out


@pytest.fixture(scope="module")
def table(out: Path) -> OwnClipsTable:
    return OwnClipsTable.model_validate_json((out / "own-clips.json").read_text())


def test_every_relation_is_made_of_what_it_applies_to(table: OwnClipsTable) -> None:
    assert table.clips == ("one", "short", "two")
    whole = {"re-encoded", "mirrored", "retimed", "reversed"}
    assert {name for name, reasons in table.not_made.items() if set(reasons) == {"short"}} == set(RELATIONS) - whole
    assert table.made == 2 * len(RELATIONS) + len(whole)


def test_the_predicted_order_holds(table: OwnClipsTable) -> None:
    broken = [(order.relation, order.metrics) for order in table.orders if order.held < order.n]
    assert not broken
    told = {order.relation for order in table.orders if order.n}
    assert told == set(RELATIONS)
    assert any(order.metrics == (CLOCK,) and order.n == 2 for order in table.orders)


def test_a_fault_is_told_from_harmless_clips(table: OwnClipsTable) -> None:
    grade = {(each.here.fault, each.here.metric): each for each in table.grades}
    assert grade["vanished", "subject_refound"].here.auc == 1.0
    assert grade["vanished", "subject_refound"].alarmed == 1.0
    assert grade["mirrored", "subject_refound"].here.auc == 0.5


def test_the_page_says_what_was_left_out(out: Path) -> None:
    text = (out / "own-clips.md").read_text()
    assert "of 1 of 3 clips: the camera never turned 5 degrees away" in text
    assert "broken cannot be read: broken.mp4" in text, "no folder of this machine"
    assert "known world" in text


def test_a_second_call_makes_nothing_again(out: Path, videos: Path) -> None:
    made = {path: path.stat().st_mtime_ns for path in (out / "made").rglob("*")}
    done = call("calibrate", "--clips", str(videos), *OPTIONS, "--hfov", "60", "--out", str(out), "--json")
    stages = json.loads(done.stdout)["stages"]
    assert all(stage["total"] == stage["skipped"] for stage in stages if stage["stage"] in ("observe", "ingest"))
    assert {path: path.stat().st_mtime_ns for path in (out / "made").rglob("*")} == made


def test_no_task_names_what_was_done(out: Path) -> None:
    rows = [json.loads(line) for line in (out / "suite" / "tasks.jsonl").read_text().splitlines()]
    assert not [row["id"] for row in rows if any(name in row["id"] for name in RELATIONS)]
    assert {row["scene"] for row in rows} == {"one", "two", "short"}


GATE = """
summary = "a gate judge alone"
metrics = ["judged_support:sound"]
headline = ["judged_support:sound"]
[asks."judgeable:sound"]
prompt = "wrbench/judgeable"
variant = "sound"
role = "gate"
frames = "rate:4:64"
reference = true
"""


def test_a_judge_is_graded_on_the_same_clips(out: Path, videos: Path, tmp_path: Path) -> None:
    """This one says of every clip that the subject leaves and returns: no fault is told from harmless clips by it."""
    shutil.copytree(out, tmp_path / "run")
    (tmp_path / "gate.toml").write_text(GATE)
    with serving(Manner(says_true=True, unseen=(2, 3, 4))) as server:
        done = call(
            *("calibrate", "--clips", str(videos), *OPTIONS, "--hfov", "60", "--out", str(tmp_path / "run"), "--json"),
            *("--protocols", f"real,{tmp_path / 'gate.toml'}", "--judge", f"gate=openai:{server.url}#watcher"),
        )
        assert len(server.log) == 2 * (1 + len(RELATIONS)), "of a clip without a box nobody can say whom to watch"
    assert done.returncode == 1
    assert "its target is empty" in done.stderr
    table = OwnClipsTable.model_validate_json((tmp_path / "run" / "own-clips.json").read_text())
    judged = [grade.here for grade in table.grades if grade.here.metric == "judged_support"]
    assert {row.fault for row in judged} == {"as-brought", *RELATIONS}
    assert len({row.instrument_key for row in judged}) == 1
    assert all(row.instrument.startswith("openai@") and "watcher" in row.instrument for row in judged)
    auc = {row.fault: row.auc for row in judged}
    assert auc.pop("reversed") == pytest.approx(0.5 * 2 / 3), "made of a clip without a box, too: silence is a miss"
    assert set(auc.values()) == {0.5}
