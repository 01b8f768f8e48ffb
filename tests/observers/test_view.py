"""The view observer against cameras that are known exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway import truth
from lookaway.images import read_image
from lookaway.observers import Look
from lookaway.observers.view import view
from lookaway.outcomes import Abstain
from lookaway.pipeline import plans
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.store import open_run
from lookaway.video import SharedFrames, decode, encode


def degrees_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.rad2deg(np.arccos(np.clip((np.einsum("nij,nij->n", a, b) - 1) / 2, -1, 1)))


@pytest.mark.parametrize(("crf", "long_side"), [(8, 320), (30, 320), (23, 200)])
def test_a_known_turn_is_recovered_through_compression_and_shrinking(
    demo_run: Path, tmp_path: Path, crf: int, long_side: int
) -> None:
    run = open_run(demo_run)
    for task in built_tasks(run, plans.load(run)).values():
        reference = built_references(run)[task.instance]
        known = truth.load(reference, run.blobs.root)
        path = tmp_path / f"{task.id}.mp4"
        encode((f.rgb for f in decode(known.video, long_side=long_side)), path, task.fps, crf=crf)
        with SharedFrames.load(path) as frames:
            seen = view(Look(frames, task, read_image(run.blobs.path(task.first_frame)), None))
        assert seen.trusted.all()
        home = known.world.camera_to_world[0, :3, :3]
        errors = degrees_between(seen.rotation, home.T @ known.world.camera_to_world[:, :3, :3])
        assert np.median(errors) < 0.1
        assert errors.max() < 1.0
        assert seen.overlap[0] == 1.0
        assert seen.home_in_view.min() == 0.0
        assert seen.overlap[-1] > 0.98


def test_a_still_picture_has_not_turned(demo_run: Path, tmp_path: Path) -> None:
    run = open_run(demo_run)
    task = next(iter(built_tasks(run, plans.load(run)).values()))
    first = next(iter(decode(run.blobs.path(built_references(run)[task.instance].video)))).rgb
    noise = np.random.default_rng(0)
    frames = [np.clip(first + noise.normal(0, 6, first.shape), 0, 255).astype(np.uint8) for _ in range(20)]
    encode(frames, tmp_path / "still.mp4", 16)
    with SharedFrames.load(tmp_path / "still.mp4") as shared:
        seen = view(Look(shared, task, first, None))
    assert degrees_between(seen.rotation, np.tile(np.eye(3), (20, 1, 1))).max() < 0.2
    assert seen.overlap.min() > 0.98


def test_frames_that_match_nothing_are_not_trusted(demo_run: Path, tmp_path: Path) -> None:
    run = open_run(demo_run)
    task = next(iter(built_tasks(run, plans.load(run)).values()))
    first = next(iter(decode(run.blobs.path(built_references(run)[task.instance].video)))).rgb
    rng = np.random.default_rng(0)
    strangers = [rng.integers(0, 255, first.shape, np.uint8) for _ in range(5)]
    encode([first, first, *strangers], tmp_path / "cut.mp4", 16)
    with SharedFrames.load(tmp_path / "cut.mp4") as shared:
        seen = view(Look(shared, task, first, None))
    assert seen.trusted.tolist() == [True, True, False, False, False, False, False]


def test_another_tasks_video_is_recognised_as_such(demo_run: Path) -> None:
    run = open_run(demo_run)
    one, other = built_tasks(run, plans.load(run)).values()
    with SharedFrames.load(run.blobs.path(built_references(run)[one.instance].video)) as frames:
        seen = view(Look(frames, other, read_image(run.blobs.path(other.first_frame)), None))
    assert isinstance(seen, Abstain)
    assert "does not start at the task's first frame" in seen.reason
