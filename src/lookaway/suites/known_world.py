"""Tasks in the known world: the true clip is rendered first, everything else is read off it."""

from __future__ import annotations

import io
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lookaway import truth
from lookaway.geometry.script import duration, parse, trajectory
from lookaway.geometry.visibility import phases_from_visible
from lookaway.images import png_bytes
from lookaway.records import Question, Reference, Subject, Task, WorldSpec
from lookaway.store import Blobs
from lookaway.suites import Draft
from lookaway.video import encode

if TYPE_CHECKING:
    from lookaway.worlds import World

SIZE = (320, 180)
FPS = 16.0
HFOV_DEG = 60.0
TRUTH_CRF = 8
VISIBLE_SHARE = 0.02  # of the first frame's subject pixels: below it the subject counts as out of view


def draft(suite: str, version: str, spec: WorldSpec, camera: str) -> Draft:
    """A task: this world, looked at along this camera script."""
    side = "left" if next(move.yaw_deg for move in parse(camera) if move.yaw_deg) < 0 else "right"
    return Draft(
        id=f"{spec.layout}{spec.seed}_{spec.process}_{side}",
        suite=suite,
        version=version,
        scene=f"{spec.layout}{spec.seed}",
        camera=camera,
        seconds=duration(camera),
        fps=FPS,
        facts=(("layout", spec.layout), ("process", spec.process), ("seed", spec.seed)),
        build=build_known_world,
    )


@lru_cache(maxsize=2)
def world_of(layout: str, process: str, seed: int, size: tuple[int, int]) -> World:
    """A world with its view cache, kept while clips of one task are made one after the other."""
    from lookaway.worlds import World

    return World(layout, process, seed, size)


def build_known_world(draft: Draft, blobs: Blobs) -> tuple[Task, Reference]:
    spec = WorldSpec(**dict(draft.facts))
    world = world_of(spec.layout, spec.process, spec.seed, SIZE)
    pitch_deg = float(np.rad2deg(np.arcsin(world.home[2, 2])))
    path = trajectory(draft.camera, draft.frames, draft.fps, SIZE, HFOV_DEG, pitch_deg)
    poses = world.home @ path.camera_to_world
    views = [world.render(pose, second) for pose, second in zip(poses, path.seconds, strict=True)]
    masks = np.stack([np.isin(view.instances, world.subject_ids) for view in views])
    visible = masks.sum((1, 2)) / masks[0].sum()
    states = [world.state(second) for second in path.seconds]
    phases = phases_from_visible(path.seconds, visible >= VISIBLE_SHARE)
    facts = world.facts
    task = Task(
        id=draft.id,
        suite=draft.suite,
        version=draft.version,
        scene=draft.scene,
        category=facts.category,
        moves=facts.moves,
        changes_in_place=facts.changes_in_place,
        prompt=facts.prompt,
        first_frame=blobs.put_bytes(png_bytes(views[0].rgb), ".png"),
        subjects=(Subject(name=facts.subject_name, box=_box(masks[0]), side=facts.side),),
        expected_end=facts.expected_end,
        camera=draft.camera,
        hfov_deg=HFOV_DEG,
        pitch_deg=pitch_deg,
        width=SIZE[0],
        height=SIZE[1],
        fps=draft.fps,
        seconds=draft.seconds,
        phases=phases,
        questions=_questions(facts.subject_name),
        world=spec,
    )
    names = tuple(sorted(states[0]))
    arrays = truth.pack(
        path.seconds,
        poses,
        path.intrinsics,
        masks,
        visible,
        np.array([[s[n] for n in names] for s in states]),
    )
    return task, Reference(
        task=task.id,
        instance=task.instance,
        video=_encoded([view.rgb for view in views], draft.fps, blobs),
        arrays=blobs.put_bytes(arrays, ".npz"),
        depth=blobs.put_bytes(_depth_bytes([view.depth for view in views]), ".npz"),
        phases=phases,
        state_names=names,
    )


def _box(mask: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    height, width = mask.shape
    return (
        float(columns[0] / width),
        float(rows[0] / height),
        float((columns[-1] + 1) / width),
        float((rows[-1] + 1) / height),
    )


def _encoded(frames: list[NDArray[np.uint8]], fps: float, blobs: Blobs) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "truth.mp4"
        encode(frames, path, fps, crf=TRUTH_CRF)
        return blobs.put_file(path)


def _depth_bytes(depth: list[NDArray[np.float32]]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, depth=np.stack(depth))
    return buffer.getvalue()


def _questions(subject: str) -> tuple[Question, ...]:
    return (
        Question(
            id="back",
            text=f"After the camera has turned away and come back, is {subject} in view again?",
            dimension="memory",
            polarity="positive",
            expected="yes",
        ),
        Question(
            id="unchanged",
            text=f"At the end of the video, does {subject} look exactly as it did when it was last seen before the "
            "camera turned away, as if no time had passed?",
            dimension="progress",
            polarity="negative",
            expected="no",
        ),
    )
