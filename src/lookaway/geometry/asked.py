"""The camera that a task asks for, whether a script says it or poses do."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.script import duration, in_words, paced, parse, poses_at, trajectory
from lookaway.geometry.trajectory import Floats, Trajectory
from lookaway.records import Task

ASKED_MOMENTS = 9  # of each move; a move turns by less than a half turn between two of them
STILL_DEG, STILL_M = 0.05, 0.001  # a path within these of its first pose stands still
NOTABLE_DEG, NOTABLE_M = 2.0, 0.05  # less is not worth a word
NOT_ASKED = "nothing is asked of the camera"


def asked_poses(task: Task, seconds: Floats) -> Floats:
    """Camera-to-world (N, 4, 4) at each second, in the axes of the first camera; held after the last pose."""
    if task.camera:
        return poses_at(task.camera, seconds, task.pitch_deg)
    return _between(_rows(task), seconds)


def asked_trajectory(task: Task, frames: int, fps: float, size: tuple[int, int]) -> Trajectory:
    """One pose per frame of a video of that size."""
    if task.camera:
        return trajectory(task.camera, frames, fps, size, task.hfov_deg, task.pitch_deg)
    lens = trajectory(f"hold@{max(1, frames)}s", frames, fps, size, task.hfov_deg)
    return Trajectory(asked_poses(task, lens.seconds), lens.intrinsics, lens.seconds)


def asked_seconds(task: Task) -> float:
    """How long the camera is told what to do."""
    if not task.camera_asked:
        return 0.0
    return duration(task.camera) if task.camera else task.poses[-1][0]


def asked_in_words(task: Task) -> str:
    """The camera as a sentence for models that take text only; empty where nothing is asked of it."""
    if not task.camera_asked:
        return ""
    if task.camera:
        return in_words(task.camera, task.fps)
    rows = _rows(task)
    return path_in_words(Trajectory(_between(rows, rows[:, 0]), np.tile(np.eye(3), (len(rows), 1, 1)), rows[:, 0]))


def stands_still(task: Task) -> bool:
    """Is the camera asked to stay as it is?"""
    if not task.camera_asked:
        return False
    if task.camera:
        return all(move.still for move in parse(task.camera))
    rows = _rows(task)
    poses = _between(rows, rows[:, 0])
    return bool(turn_deg(poses).max() <= STILL_DEG and np.linalg.norm(poses[:, :3, 3], axis=1).max() <= STILL_M)


def at_pace(task: Task, pace: float) -> Task:
    """The task whose camera goes that much faster."""
    if pace == 1 or not task.camera_asked:
        return task
    if task.camera:
        return task.model_copy(update={"camera": paced(task.camera, pace)})
    return task.model_copy(update={"poses": tuple((row[0] / pace, *row[1:]) for row in task.poses)})


def largest_turn_deg(task: Task) -> float:
    """The largest turn from the first view that is asked for; once around is 360, not 0."""
    return _largest_turn(task.camera, task.pitch_deg, task.poses)


@lru_cache(maxsize=4096)
def _largest_turn(camera: str, pitch_deg: float, rows: tuple[tuple[float, ...], ...]) -> float:
    if camera:
        times, start = [0.0], 0.0
        for move in parse(camera):
            times += [] if move.still else (start + np.linspace(0, move.seconds, ASKED_MOMENTS)[1:]).tolist()
            start += move.seconds
        poses = poses_at(camera, np.array(times), pitch_deg)
    else:
        table = np.array(rows)
        poses = _between(table, table[:, 0])
    from scipy.spatial.transform import Rotation  # takes a third of a second to import

    largest, last = 0.0, np.zeros(3)
    for turn in Rotation.from_matrix(poses[:, :3, :3]).as_rotvec():
        angle = float(np.linalg.norm(turn))
        along = turn if angle > 1e-9 else last
        if length := float(np.linalg.norm(along)):
            rounds = 2 * np.pi * along / length  # turn + k * rounds is the same view: take the one nearest to the last
            turn = turn + rounds * np.round((last - turn) @ rounds / (rounds @ rounds))
        largest, last = max(largest, float(np.linalg.norm(turn))), turn
    return round(float(np.degrees(largest)), 3)


def pose_rows(path: Trajectory) -> tuple[tuple[float, ...], ...]:
    """A path as the poses of a task: second, place and rotation vector of each, against the first camera."""
    from scipy.spatial.transform import Rotation  # takes a third of a second to import

    turns = Rotation.from_matrix(path.camera_to_world[:, :3, :3]).as_rotvec(degrees=True)
    rows = np.column_stack([path.seconds, path.camera_to_world[:, :3, 3], turns])
    rows[0] = 0.0  # where poses are counted from; rounding may leave a trace
    return tuple(tuple(row) for row in rows.tolist())


def _rows(task: Task) -> Floats:
    if not task.poses:
        raise UsageError(f"{task.id}: {NOT_ASKED}")
    return np.array(task.poses, np.float64)


def _between(rows: Floats, seconds: Floats) -> Floats:
    """Poses at any second: places along straight lines, rotations along the shortest turn."""
    from scipy.spatial.transform import Rotation, Slerp  # takes a third of a second to import

    known, wanted = rows[:, 0], np.clip(seconds, rows[0, 0], rows[-1, 0])
    poses = np.tile(np.eye(4), (len(wanted), 1, 1))
    for axis in range(3):
        poses[:, axis, 3] = np.interp(wanted, known, rows[:, 1 + axis])
    poses[:, :3, :3] = Slerp(known, Rotation.from_rotvec(rows[:, 4:7], degrees=True))(wanted).as_matrix()
    return poses


def path_in_words(path: Trajectory) -> str:
    """`The camera turns left by 60 degrees at most, and ends where it began.`"""
    yaw, pitch = path.yaw_deg(), path.pitch_deg()
    places = path.camera_to_world[:, :3, 3]
    told = [
        _peak(yaw, "turns right", "turns left", NOTABLE_DEG, "degrees"),
        _peak(pitch, "tilts up", "tilts down", NOTABLE_DEG, "degrees"),
        _peak(places[:, 2], "moves forward", "moves back", NOTABLE_M, "metres"),
        _peak(places[:, 0], "moves to the right", "moves to the left", NOTABLE_M, "metres"),
        _peak(-places[:, 1], "rises", "sinks", NOTABLE_M, "metres"),
    ]
    moves = [text for text in told if text]
    if not moves:
        return "The camera stays as it is."
    home = turn_deg(path.camera_to_world[-1:])[0] <= NOTABLE_DEG and np.linalg.norm(places[-1]) <= NOTABLE_M
    return f"The camera {', '.join(moves)} at most, and {'ends where it began' if home else 'does not come back'}."


def _peak(values: Floats, more: str, less: str, notable: float, unit: str) -> str:
    peak = float(values[np.abs(values).argmax()])
    return "" if abs(peak) < notable else f"{more if peak > 0 else less} by {abs(peak):.2g} {unit}"
