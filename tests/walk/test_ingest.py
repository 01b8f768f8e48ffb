"""Bring any folder: everything found or missing is named, and no bad file stops the others."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lookaway.errors import UnknownName, UsageError
from lookaway.pipeline.mapping import map_folder
from lookaway.records import Clip, Score
from lookaway.store import Run
from lookaway.video import encode

TASKS = ["parlour0_ball_left", "parlour0_ball_left_long", "workshop1_filling_right"]


def touch(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x")
    return folder


def matched(folder: Path, **how: object) -> dict[tuple[str, int], str]:
    mapping = map_folder(folder, TASKS, **how)
    return {slot: path.relative_to(folder).as_posix() for slot, path in mapping.matched.items()}


def test_names_are_guessed(tmp_path: Path) -> None:
    touch(tmp_path, "parlour0_ball_left.mp4", "parlour0_ball_left_long_3.webm", "gen/workshop1_filling_right/seed2.mov")
    assert matched(tmp_path) == {
        ("parlour0_ball_left", 0): "parlour0_ball_left.mp4",
        ("parlour0_ball_left_long", 3): "parlour0_ball_left_long_3.webm",
        ("workshop1_filling_right", 2): "gen/workshop1_filling_right/seed2.mov",
    }


def test_folders_of_frames_are_videos_too(tmp_path: Path) -> None:
    touch(tmp_path, "parlour0_ball_left/0001.png", "parlour0_ball_left/0002.png", "notes.txt")
    assert matched(tmp_path) == {("parlour0_ball_left", 0): "parlour0_ball_left"}


def test_a_pattern_is_obeyed(tmp_path: Path) -> None:
    touch(tmp_path, "run-7_workshop1_filling_right.mp4", "workshop1_filling_right.mp4")
    assert matched(tmp_path, pattern="run-{seed}_{task}.mp4") == {
        ("workshop1_filling_right", 7): "run-7_workshop1_filling_right.mp4"
    }
    with pytest.raises(UsageError, match=r"must contain \{task\}"):
        map_folder(tmp_path, TASKS, pattern="*.mp4")
    with pytest.raises(UnknownName, match="did you mean task"):
        map_folder(tmp_path, TASKS, pattern="{task}_{tsk}.mp4")


def test_a_map_is_obeyed_and_its_mistakes_are_named(tmp_path: Path) -> None:
    touch(tmp_path, "a.mp4", "b.mp4")
    table = tmp_path / "map.csv"
    table.write_text("video,task,seed\na.mp4,parlour0_ball_left,1\n")
    mapping = map_folder(tmp_path, TASKS, map_file=table)
    assert list(mapping.matched) == [("parlour0_ball_left", 1)]
    assert [p.name for p in mapping.unmatched] == ["b.mp4"]
    for wrong, complaint in {
        "video,task\na.mp4,parlour0_bal_left\n": r"map.csv:2: no task named .* did you mean parlour0_ball_left",
        "video,task\nc.mp4,parlour0_ball_left\n": r"map.csv:2: no file c.mp4",
        "video,task,seed\na.mp4,parlour0_ball_left,x\n": r"map.csv:2: seed 'x'",
        "file,id\na.mp4,parlour0_ball_left\n": r"columns video,task",
    }.items():
        table.write_text(wrong)
        with pytest.raises(UsageError, match=complaint):
            map_folder(tmp_path, TASKS, map_file=table)


def test_two_files_for_one_task_are_ambiguous_and_neither_is_taken(tmp_path: Path) -> None:
    touch(tmp_path, "parlour0_ball_left.mp4", "copy/parlour0_ball_left.mp4", "holiday.mp4")
    mapping = map_folder(tmp_path, TASKS)
    assert mapping.matched == {}
    assert len(mapping.ambiguous["parlour0_ball_left", 0]) == 2
    assert [p.name for p in mapping.unmatched] == ["holiday.mp4"]
    assert ("workshop1_filling_right", 0) in mapping.without_video
    assert "2 files claim this task" in mapping.why_missing("parlour0_ball_left", 0)


def invoke(*arguments: str) -> tuple[int, str]:
    """The real command line, in a process of its own."""
    command = [str(Path(sys.executable).parent / "lookaway"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def test_bad_files_become_rows_with_reasons(own_run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "videos"
    folder.mkdir()
    scores = own_run.latest("clips", Clip).values()
    good = next(c for c in scores if c.case.system == "truth" and "ball" in c.case.task)
    tasks = [line["task"] for line in json.loads(invoke("tasks", "diorama-mini", "--json")[1])]
    ball = good.case.task
    others = [t for t in tasks if t != ball]
    shutil.copy(own_run.blobs.path(str(good.video)), folder / f"{ball}.mp4")
    whole = (folder / f"{ball}.mp4").read_bytes()
    (folder / f"{others[0]}.mp4").write_bytes(b"")
    (folder / f"{others[1]}.mp4").write_bytes(whole[: len(whole) // 2])
    (folder / f"{others[2]}.mp4").write_text("this is not a video")
    encode([np.zeros((90, 160, 3), np.uint8)], folder / f"{others[3]}.mp4", 16)
    encode([np.full((91, 161, 3), i * 4, np.uint8) for i in range(20)], folder / f"{others[4]}.mp4", 16)
    code, said = invoke("ingest", str(folder), "--suite", "diorama-mini", "--model", "x", "--out", str(own_run.root))
    assert code == 1, said
    assert "6 matched, 0 unmatched videos, 2 tasks without a video, 0 ambiguous" in said
    clips = {c.case.task: c for c in own_run.latest("clips", Clip).values() if c.case.system == "x"}
    assert clips[ball].status == "ok"
    for broken in others[:3]:
        assert clips[broken].status == "unreadable"
        assert f"{broken}.mp4" in clips[broken].reason
    assert clips[others[3]].status == clips[others[4]].status == "ok"
    assert clips[others[5]].status == "missing"
    code, said = invoke("run", "--out", str(own_run.root), "--only", "*/x/*")
    assert code in (0, 1), said
    by_task = {
        s.task: s for s in own_run.latest("scores", Score).values() if (s.system, s.metric) == ("x", "object_return")
    }
    assert by_task[ball].status == "ok"
    assert by_task[others[0]].status == "no_output"
    assert "zero bytes" in by_task[others[0]].reason or "empty" in by_task[others[0]].reason
    assert by_task[others[3]].status == "abstained"
    assert by_task[others[5]].status == "no_output"
