"""Generated videos are found in every layout that MemoBench's tools accept; nothing is dropped silently."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lookaway.pipeline.mapping import map_folder
from lookaway.records import Score
from lookaway.store import open_run
from lookaway.video import encode
from tests.command import call
from tests.suites import memobench_files as files

TASKS = ["Barn_001", "Zen_Garden_010", "real_001", "real_012"]


def video(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"a video")
    return path


def pictures(folder: Path, names: str = "{:05d}.png", count: int = 3) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        Image.fromarray(np.full((4, 6, 3), 20 * number, np.uint8)).save(folder / names.format(number))
    return folder


@pytest.mark.parametrize(
    ("place", "task"),
    [
        ("Synthetic/Barn/Barn_001/frames", "Barn_001"),
        ("Synthetic/Barn_001/samples-rgb", "Barn_001"),
        ("Barn/Barn_001", "Barn_001"),
        ("Barn_001/video.mp4", "Barn_001"),
        ("Synthetic/Zen_Garden/Zen_Garden_010/video.mp4", "Zen_Garden_010"),
        ("Zen_Garden_010.mp4", "Zen_Garden_010"),
        ("Synthetic/Zen_Garden/Zen_Garden_010.mp4", "Zen_Garden_010"),
        ("Real/012/frames", "real_012"),
        ("real/real_012/samples-rgb", "real_012"),
        ("012/video.mp4", "real_012"),
        ("Real/012.mp4", "real_012"),
        ("001", "real_001"),
    ],
)
def test_every_place_of_the_release_is_found(place: str, task: str, tmp_path: Path) -> None:
    made = video(tmp_path / place) if place.endswith(".mp4") else pictures(tmp_path / place)
    mapping = map_folder(tmp_path, TASKS, layout="memobench")
    assert mapping.matched == {(task, 0): made}
    assert mapping.without_video == [(other, 0) for other in TASKS if other != task]
    assert not mapping.unmatched


def test_the_clips_own_mp4_wins_then_video_then_frames(tmp_path: Path) -> None:
    own = tmp_path / "Synthetic" / "Barn" / "Barn_001"
    better = [own, own / "samples-rgb", own / "frames", own / "video.mp4", tmp_path / "Synthetic" / "Barn_001.mp4"]
    for place in better:
        made = video(place) if place.suffix == ".mp4" else pictures(place)
        mapping = map_folder(tmp_path, TASKS, layout="memobench")
        assert mapping.matched == {("Barn_001", 0): made}
        assert not mapping.unmatched
    assert any("4 videos or folders of frames lie beside a clip's video" in note for note in mapping.notes)


def test_two_places_of_one_clip_are_ambiguous_and_the_row_is_kept(tmp_path: Path) -> None:
    both = [pictures(tmp_path / "Real" / name / "frames") for name in ("001", "real_001")]
    mapping = map_folder(tmp_path, TASKS, layout="memobench")
    assert mapping.ambiguous == {("real_001", 0): both}
    assert "2 files claim this task" in mapping.why_missing("real_001", 0)


def test_empty_folders_and_strange_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "Real" / "001").mkdir(parents=True)
    stranger = video(tmp_path / "Real" / "777.mp4")
    again = video(tmp_path / "extra" / "Barn_001_seed2.mp4")
    pictures(tmp_path / "Barn_001")
    mapping = map_folder(tmp_path, TASKS, layout="memobench")
    assert mapping.unmatched == [stranger]
    assert mapping.matched[("Barn_001", 2)] == again
    assert any("neither video.mp4 nor frames: real_001" in note for note in mapping.notes)


def test_frames_that_sort_otherwise_as_text_are_noted(tmp_path: Path) -> None:
    pictures(tmp_path / "Barn_001", "{}.png", 12)
    pictures(tmp_path / "001", "{:02d}.png", 12)
    notes = map_folder(tmp_path, TASKS, layout="memobench").notes
    assert [note for note in notes if "without leading zeros" in note and note.endswith(": Barn_001")]


def test_names_outside_the_layout_are_read_as_for_any_suite(tmp_path: Path) -> None:
    made = video(tmp_path / "Barn_001.webm")
    assert map_folder(tmp_path, TASKS, layout="memobench").matched == {("Barn_001", 0): made}
    made.rename(tmp_path / "012.mp4")
    assert not map_folder(tmp_path, TASKS).matched


def test_videos_are_taken_in_for_an_imported_suite(tmp_path: Path) -> None:
    release, suite, run = files.released(tmp_path / "release"), tmp_path / "suite", tmp_path / "run"
    assert call("suite", "import", "memobench", str(release), "--out", str(suite)).returncode == 0
    frames = [files.picture(frame) for frame in range(9)]
    (tmp_path / "videos" / "Real").mkdir(parents=True)
    encode(frames, tmp_path / "videos" / "Real" / "002.mp4", 16.0)
    pictures(tmp_path / "videos" / "Synthetic" / "Zen" / "Zen_010" / "frames", count=5)
    told = call(
        "ingest", str(tmp_path / "videos"), "--suite", str(suite), "--model", "mine", "--out", str(run), "--json"
    )
    mapping = json.loads(told.stdout)["mapping"]
    assert mapping["matched"] == {"Zen_010/0": "Synthetic/Zen/Zen_010/frames", "real_002/0": "Real/002.mp4"}
    assert mapping["without_video"] == ["Barn_001/0", "real_001/0"]
    assert open_run(run).root == run
    shown = call("show", str(run), "real_002/mine/0")
    assert "9 frames at 16 fps" in shown.stdout
    plain = call(
        "ingest",
        str(tmp_path / "videos"),
        "--suite",
        str(suite),
        "--model",
        "mine",
        "--out",
        str(tmp_path / "other"),
        "--layout",
        "names",
        "--json",
        "--dry-run",
    )
    assert list(json.loads(plain.stdout)["mapping"]["matched"]) == ["Zen_010/0"]


def test_the_true_clips_are_measured_in_memobenchs_protocol(tmp_path: Path) -> None:
    release, videos, run = files.released(tmp_path / "release"), tmp_path / "videos", tmp_path / "run"
    suite = f"memobench:{release}"
    videos.mkdir()
    for number in ("001", "002"):
        shutil.copyfile(release / files.REAL / number / f"{number}.mp4", videos / f"{number}.mp4")
    call("ingest", str(videos), "--suite", suite, "--model", "truth-again", "--out", str(run))
    assert call("run", "--suite", suite, "--protocols", "memobench", "--out", str(run)).returncode == 0
    scores = [score for score in open_run(run).latest("scores", Score).values() if score.metric == "ssim_hidden"]
    values = {score.case.task: score.value for score in scores if score.value is not None}
    assert values == pytest.approx({"real_001": 1.0, "real_002": 1.0}, abs=1e-3)
