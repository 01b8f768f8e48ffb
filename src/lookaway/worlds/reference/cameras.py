"""Faults of the camera: it does not turn, turns too little, stays away, jumps, or takes the subject along."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from lookaway.geometry.script import parse
from lookaway.records import Task
from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.reference import fault
from lookaway.worlds.reference.conditions import camera_moves, hides, turns_back, way_out_is_free
from lookaway.worlds.reference.story import Story

WHERE = (hides, camera_moves, way_out_is_free)


def steps(poses: FloatArray, gain: FloatArray) -> FloatArray:
    """The same camera path, each of its N-1 steps with that gain; a full circle does not wrap."""
    turns, places = [np.eye(3)], [np.zeros(3)]
    for (before, after), share in zip(pairwise(poses), gain, strict=True):
        turn = Rotation.from_matrix(before[:3, :3].T @ after[:3, :3]).as_rotvec()
        turns.append(turns[-1] @ Rotation.from_rotvec(share * turn).as_matrix())
        places.append(places[-1] + share * (after[:3, 3] - before[:3, 3]))
    path = np.tile(np.eye(4), (len(poses), 1, 1))
    path[:, :3, :3], path[:, :3, 3] = turns, places
    return path


def moves_s(task: Task) -> list[tuple[float, float]]:
    """From when to when the camera moves; moves that follow each other are one."""
    runs: list[tuple[float, float]] = []
    start = 0.0
    for move in parse(task.camera):
        end = start + move.seconds
        if not move.still:
            runs = [*runs[:-1], (runs[-1][0], end)] if runs and runs[-1][1] == start else [*runs, (start, end)]
        start = end
    return runs


TOO_LITTLE = ("requested_camera_precision", "prompt_camera_alignment", "camera_controllability", "camera_gain")


@fault(
    "static-camera",
    fails=("left_view", "turn_share", *TOO_LITTLE, "camera_inactivity"),
    keeps=("return_count", "background_same"),
    where=WHERE,
)
def static_camera(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The right world, filmed by a camera that never turns."""
    return story.with_poses(np.tile(np.eye(4), (len(story.seconds), 1, 1)))


@fault(
    "under-rotated",
    ladder=(0.25, 0.5, 0.75),
    unit="share of the way that is missing",
    fails=("turn_share", *TOO_LITTLE),
    keeps=("return_count", "background_same"),
    where=WHERE,
)
def under_rotated(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The camera turns too little, out and back."""
    return story.with_poses(steps(story.poses, np.full(len(story.seconds) - 1, 1 - severity)))


@fault(
    "never-returns",
    ladder=(0.5, 0.75, 1.0),
    unit="share of the way back that is missing",
    fails=("came_back", "requested_camera_precision", "camera_controllability", "camera_return_error"),
    keeps=("left_view",),
    where=(hides, camera_moves),
)
def never_returns(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The camera turns away and does not come back all the way."""
    back_s = story.hidden_times[0].end_s
    start_s, end_s = next(((a, b) for a, b in moves_s(story.task) if b >= back_s), (back_s, back_s))
    start_s = max(start_s, last_start_s(story.task, back_s))
    before = story.seconds[1:] <= start_s + 1e-9
    coming = ~before & (story.seconds[1:] <= end_s + 1e-9)
    return story.with_poses(steps(story.poses, np.where(before, 1.0, np.where(coming, 1 - severity, 0.0))))


def last_start_s(task: Task, second: float) -> float:
    """When the move that goes on at that second began."""
    starts = np.cumsum([0.0, *(move.seconds for move in parse(task.camera))])
    return float(starts[starts < second].max())


@fault(
    "jump-cut",
    ladder=(0.3, 0.6, 1.0),
    unit="share of the way out that is skipped in one frame",
    fails=("cut",),
    keeps=("left_view", "came_back", "return_count", "return_place", "background_same"),
    where=WHERE,
)
def jump_cut(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """Half way out the picture jumps, and the camera is farther than it can be."""
    start_s, end_s = moves_s(story.task)[0]
    end_s = min(end_s, start_s + first_move_s(story.task))
    jump_s = start_s + (1 - severity) / 2 * (end_s - start_s)
    leaping = (story.seconds > jump_s + 1e-9) & (story.seconds < end_s)
    ahead = np.minimum(story.seconds + severity * (end_s - start_s), end_s)
    return story.with_camera_time(np.where(leaping, ahead, story.seconds))


def first_move_s(task: Task) -> float:
    return next(move.seconds for move in parse(task.camera) if not move.still)


@fault(
    "camera-drag",
    ladder=(0.5, 0.9, 1.0),
    unit="share of the camera's motion that the subject makes too",
    fails=("left_view",),
    keeps=("turn_share",),
    where=(*WHERE, turns_back),
)
def camera_drag(story: Story, severity: float, rng: np.random.Generator) -> Story:
    """The subject goes along with the camera instead of staying in its world."""
    home = story.world.home
    along = steps(story.poses, np.full(len(story.seconds) - 1, severity))
    carried = home @ along @ np.linalg.inv(home)
    moving = np.abs(along - np.eye(4)).max(axis=(1, 2)) > 1e-9
    return story.with_subject(moving, lambda index: (carried[index],))
