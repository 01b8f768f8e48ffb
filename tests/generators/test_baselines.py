"""Baselines show what they say they show, of any suite, at the size that was asked for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lookaway.api import Silent
from lookaway.generators.baselines import UNSEEN, turned_picture
from lookaway.geometry.trajectory import pinhole, yaw_matrix
from lookaway.images import png_bytes
from lookaway.models import system
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Clip, Reference, System
from lookaway.store import Run
from lookaway.video import decode, encode, probe
from tests.builders import task
from tests.suites.memobench_files import released

SIZE, FPS, FRAMES = (64, 48), 8.0, 9
LEVEL = {"a": 20, "b": 70, "c": 120}  # grey of each true clip's first frame; each frame is 5 brighter
SCENE = {"a": "one", "b": "one", "c": "two", "d": "two"}  # d has no true clip


def suite_of(folder: Path, names: str = "abcd") -> Path:
    folder.mkdir()
    (folder / "suite.toml").write_text('name = "greys"\nversion = 1\nsummary = "grey clips"\n')
    rows = []
    for name in names:
        plain = task(
            id=name,
            scene=SCENE[name],
            first_frame=f"{name}.png",
            camera="hold@0.5s, yaw:left:20@0.5s",
            width=SIZE[0],
            height=SIZE[1],
            fps=FPS,
            seconds=1.0,
        )
        row = plain.model_dump(mode="json", exclude={"suite", "version"}, exclude_defaults=True)
        (folder / f"{name}.png").write_bytes(png_bytes(grey(LEVEL.get(name, 200))))
        if name in LEVEL:
            encode([grey(LEVEL[name] + 5 * i) for i in range(FRAMES)], folder / f"{name}.mp4", FPS, crf=4)
            row["reference"] = f"{name}.mp4"
        rows.append(json.dumps(row))
    (folder / "tasks.jsonl").write_text("\n".join(rows))
    return folder


def grey(level: int) -> NDArray[np.uint8]:
    return np.full((SIZE[1], SIZE[0], 3), level, np.uint8)


def made(tmp_path: Path, one: System, only: str | None = None, names: str = "abcd") -> dict[str, Clip]:
    run = Run(tmp_path / "run")
    plan = plans.extend(run, str(suite_of(tmp_path / "suite", names)), [one])
    for stage in ("tasks", "controls", "generate"):
        run_stage(STAGES[stage], run, plan, Options(only=only), Silent())
    return {clip.case.task: clip for clip in run.latest("clips", Clip).values()}


def levels(tmp_path: Path, clip: Clip) -> list[int]:
    """Mean grey of each frame, to the nearest 5: codecs move it by less."""
    path = Run(tmp_path / "run").blobs.path(str(clip.video))
    return [round(float(frame.rgb.mean()) / 5) * 5 for frame in decode(path)]


def test_a_held_first_frame_stays_the_first_frame(tmp_path: Path) -> None:
    clips = made(tmp_path, system("held-first-frame"))
    assert levels(tmp_path, clips["d"]) == [200] * FRAMES


def test_a_looped_half_is_the_true_half_twice(tmp_path: Path) -> None:
    clips = made(tmp_path, system("looped-first-half"))
    assert levels(tmp_path, clips["a"]) == [20, 25, 30, 35, 40, 20, 25, 30, 35]
    assert clips["d"].status == "failed"
    assert clips["d"].reason.startswith("d: the suite has no true clip of this task")


def test_another_task_comes_from_another_scene(tmp_path: Path) -> None:
    clips = made(tmp_path, system("other-task"))
    first = {name: levels(tmp_path, clip)[0] for name, clip in clips.items()}
    assert first == {"a": LEVEL["c"], "b": LEVEL["c"], "c": LEVEL["a"], "d": LEVEL["a"]}
    assert levels(tmp_path, clips["a"]) == [LEVEL["c"] + 5 * i for i in range(FRAMES)]


def test_another_task_is_the_same_one_whichever_are_built(tmp_path: Path) -> None:
    clips = made(tmp_path, system("other-task"), only="a")
    assert clips.keys() == {"a"}
    assert levels(tmp_path, clips["a"])[0] == LEVEL["c"]


def test_another_task_of_the_same_scene_is_better_than_none(tmp_path: Path) -> None:
    clips = made(tmp_path, system("other-task"), names="ab")
    assert levels(tmp_path, clips["a"])[0] == LEVEL["b"]


def test_without_another_true_clip_there_is_no_other_task(tmp_path: Path) -> None:
    clips = made(tmp_path, system("other-task"), names="ad")
    assert clips["a"].status == "failed"
    assert clips["a"].reason == "a: no other task of the suite has a true clip"
    assert clips["d"].status == "ok"


@pytest.mark.parametrize("name", ["held-first-frame", "panned-first-frame", "looped-first-half", "other-task"])
def test_a_baseline_has_the_size_length_and_rate_that_were_asked_for(name: str, tmp_path: Path) -> None:
    plain = system(name)
    asked = {"width": 32, "height": 28, "frames": 5, "fps": 4.0}
    clips = made(tmp_path, plain.model_copy(update={"card": plain.card.model_copy(update=asked)}), only="a")
    info = probe(Run(tmp_path / "run").blobs.path(str(clips["a"].video)))
    assert {"width": info.width, "height": info.height, "frames": info.frames, "fps": info.fps} == asked


def test_a_picture_turns_as_a_far_world_would() -> None:
    width, height = 160, 90
    intrinsics = pinhole(width, height, 60)
    picture = np.zeros((height, width, 3), np.uint8)
    picture[40:50, 75:85] = 255
    seen = turned_picture(picture, yaw_matrix(-15), intrinsics)
    columns = np.flatnonzero((seen > 200).all(axis=2).any(axis=0))
    assert columns.mean() == pytest.approx(79.5 + intrinsics[0, 0] * np.tan(np.deg2rad(15)), abs=1)
    assert (seen[:, 0] == UNSEEN).all()
    assert np.array_equal(turned_picture(picture, np.eye(3), intrinsics), picture)


def test_no_ghost_of_the_picture_appears_behind_the_camera() -> None:
    picture = np.full((90, 160, 3), 255, np.uint8)
    for yaw_deg in (90, 120, 180):
        assert (turned_picture(picture, yaw_matrix(yaw_deg), pinhole(160, 90, 60)) == UNSEEN).all()


def test_the_truth_of_any_suite_is_its_true_clip_as_it_is(tmp_path: Path) -> None:
    """The ceiling of every metric, where no world can be rendered."""
    clips = made(tmp_path, system("truth"))
    run = Run(tmp_path / "run")
    for name in LEVEL:
        assert run.blobs.path(str(clips[name].video)).read_bytes() == (tmp_path / f"suite/{name}.mp4").read_bytes()
    assert clips["d"].status == "failed"
    assert clips["d"].reason.startswith("d: the suite has no true clip of this task")


def test_a_fault_of_a_world_that_nobody_knows_cannot_be_made(tmp_path: Path) -> None:
    clips = made(tmp_path, system("frozen"), only="a")
    assert clips["a"].status == "failed"
    assert "not a task of the known world" in clips["a"].reason


def test_memobenchs_release_has_a_ceiling_row(tmp_path: Path) -> None:
    run, truth = Run(tmp_path / "run"), system("truth")
    plan = plans.extend(run, f"memobench:{released(tmp_path / 'release')}", [truth])
    for stage in ("tasks", "controls", "generate"):
        run_stage(STAGES[stage], run, plan, Options(), Silent())
    clips, references = run.latest("clips", Clip).values(), run.latest("references", Reference).values()
    assert {clip.case.task: clip.video for clip in clips} == {one.task: one.video for one in references}
    assert len(clips) == 4
    assert truth.is_ceiling
