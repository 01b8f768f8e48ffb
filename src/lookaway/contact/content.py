"""What a contact sheet tells, gathered from a task and its truth, or from a world that nobody made a task of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookaway.contact.moments import Moment, moments
from lookaway.errors import UsageError
from lookaway.geometry.visibility import phases_from_visible
from lookaway.records import Interval, Task
from lookaway.truth import Truth
from lookaway.worlds import View, World

Floats = NDArray[np.float64]

FREE_S, FREE_FPS = 5.0, 8.0
LOWEST_M, HIGHEST_M = 0.08, 2.0  # of the things a top view shows: no floor, no ceiling
SCAN_STEP = 2


@dataclass(frozen=True, eq=False)
class Ground:
    """The world from above, in metres: x to the right, y ahead of the first camera."""

    hfov_deg: float
    cameras: Floats  # (N, 4, 4), one per frame
    subject: Floats  # (N, 2), not a number where the subject does not exist
    things: Floats  # (M, 2), surfaces between knee and head that the frames shown have seen


@dataclass(frozen=True, eq=False)
class SheetContent:
    """Everything on a sheet; per-frame arrays are aligned with `seconds`."""

    title: str
    facts: tuple[str, ...]
    prompt: str
    end: str
    seconds: Floats
    visible: Floats
    states: Mapping[str, Floats]
    phases: tuple[Interval, ...]
    shown: Sequence[Moment]
    pictures: Sequence[NDArray[np.uint8]]  # one per moment shown
    first: View
    names: Mapping[int, str]  # of the things in `first`
    subject_ids: Sequence[int]
    ground: Ground


def task_content(task: Task, truth: Truth, world: World) -> SheetContent:
    """The page of a built task; `world` is the task's own world at the task's size."""
    if truth.world is None:
        raise UsageError(f"{task.id}: its truth has no masks and no state, so there is no contact sheet of it")
    known, frames = truth.world, truth.frames()
    shown = moments(truth.seconds, known.visible, truth.phases)
    subject = task.subjects[0]
    facts = [
        f"scene {task.scene}  ·  subject: {subject.name} ({subject.side})  ·  {task.category}, event {task.event}",
        f"control: {', '.join(task.observation_controls)}  ·  camera {task.camera}",
    ]
    facts += [f"cover {task.cover}"] if task.cover else []
    facts += [f"{task.twin} twin of {task.twin_of}"] if task.twin else []
    return SheetContent(
        title=task.id,
        facts=tuple(facts),
        prompt=task.prompt,
        end=task.expected_end,
        seconds=truth.seconds,
        visible=known.visible,
        states={name: known.state[:, row] for row, name in enumerate(truth.record.state_names)},
        phases=truth.phases,
        shown=shown,
        pictures=[frames.rgb[moment.frame] for moment in shown],
        first=world.render(known.camera_to_world[0], 0.0),
        names=world.instances | {world.subject_ids[0]: world.subject},
        subject_ids=world.subject_ids,
        ground=ground(world, known.camera_to_world, truth.seconds, shown, task.hfov_deg),
    )


def world_content(world: World) -> SheetContent:
    """The first five seconds of a world, watched from its first camera."""
    seconds = np.arange(round(FREE_S * FREE_FPS) + 1) / FREE_FPS
    masks = [world.subject_mask(world.glance(world.home, float(second))) for second in seconds]
    visible = np.array([mask.sum() for mask in masks]) / max(1, masks[0].sum())
    phases = phases_from_visible(seconds, visible > 0)
    shown = moments(seconds, visible, phases)
    states = [world.state(float(second)) for second in seconds]
    cameras = np.tile(world.home, (len(seconds), 1, 1))
    spec, facts = world.spec, world.facts
    hfov_deg = float(2 * np.rad2deg(np.arctan(world.intrinsics[0, 2] / world.intrinsics[0, 0])))
    return SheetContent(
        title=f"{spec.layout}/{spec.process}:{spec.seed}",
        facts=(
            f"{facts.scene}  ·  subject: {facts.words.subject} ({facts.side})",
            f"{facts.traits.category}  ·  {spec.variant}  ·  pace {spec.pace:g}  ·  the camera rests",
        ),
        prompt=facts.prompt,
        end=facts.end,
        seconds=seconds,
        visible=visible,
        states={name: np.array([state[name] for state in states]) for name in states[0]},
        phases=phases,
        shown=shown,
        pictures=[world.render(world.home, float(seconds[moment.frame])).rgb for moment in shown],
        first=world.render(world.home, 0.0),
        names=world.instances | {world.subject_ids[0]: world.subject},
        subject_ids=world.subject_ids,
        ground=ground(world, cameras, seconds, shown, hfov_deg),
    )


def ground(world: World, cameras: Floats, seconds: Floats, shown: Sequence[Moment], hfov_deg: float) -> Ground:
    """What is known from above: where camera and subject go, and what the frames shown have seen of the rest."""
    middles = []
    for second in seconds:
        points = world.subject_points(float(second))[:, :2]
        middles.append((points.min(axis=0) + points.max(axis=0)) / 2 if len(points) else np.full(2, np.nan))
    seen = [
        scanned(world.render(cameras[moment.frame], float(seconds[moment.frame])), cameras[moment.frame], world)
        for moment in shown
    ]
    return Ground(hfov_deg, cameras, np.array(middles), np.concatenate(seen))


def scanned(view: View, camera_to_world: Floats, world: World) -> Floats:
    """Ground places (M, 2) of everything but the subject that a view shows between knee and head."""
    height, width = view.depth.shape
    rows, columns = np.mgrid[0:height:SCAN_STEP, 0:width:SCAN_STEP]
    depth = view.depth[rows, columns].astype(np.float64)
    pixels = np.stack([columns + 0.5, rows + 0.5, np.ones_like(columns)], axis=-1)
    local = pixels @ np.linalg.inv(world.intrinsics).T * depth[..., None]
    points = local @ camera_to_world[:3, :3].T + camera_to_world[:3, 3]
    others = ~np.isin(view.instances[rows, columns], world.subject_ids)
    kept: Floats = points[others & (points[..., 2] > LOWEST_M) & (points[..., 2] < HIGHEST_M)][:, :2]
    return kept
