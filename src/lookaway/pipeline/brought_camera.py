"""The camera of a brought video by the files beside it: what was asked of the model, and what it was delivered.

What was asked stays the target of evaluation, so gains are taken out of it; they belong to what was delivered. A task
that asks a camera itself keeps it as the target, at the pace that the files tell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from lookaway.controls import lost
from lookaway.errors import UsageError
from lookaway.geometry.asked import asked_poses, asked_seconds
from lookaway.geometry.camera_pair import STILL_M
from lookaway.geometry.resampling import resampled_poses
from lookaway.geometry.rotations import turn_deg, turns_scaled
from lookaway.geometry.script import duration, poses_at
from lookaway.geometry.trajectory import Floats, Trajectory, pinhole
from lookaway.pipeline.sidecars import POSES, Sidecars, ToldCamera
from lookaway.records import Clip, Control, InputPolicy, Request, System, Task
from lookaway.store import Blobs

SAME_DEG = 5.0  # apart, two accounts of one asked camera are the same one
_MOVE = re.compile(r"(?P<doing>[^@,]+)@(?P<poses>\d{1,6})")
UNTOLD = "unverified: prompt and first frame are taken to be the task's"
UNGAINED = "unverified: the script is taken to be told before gains"


@dataclass(frozen=True)
class BroughtCamera:
    asked: Trajectory | None  # one pose per frame of the video
    delivered: Trajectory | None  # with the model's gains, at the rate of its control
    pace: float = 1.0  # seconds of the task's camera per second of the video
    notes: tuple[str, ...] = ()

    @property
    def loss(self) -> tuple[float, float] | None:
        """The largest angle and distance between what was asked and what was delivered."""
        if self.asked is None or self.delivered is None:
            return None
        seconds = self.asked.seconds
        there = resampled_poses(self.delivered.camera_to_world, self.delivered.seconds, seconds)
        return lost(self.asked, replace(self.asked, camera_to_world=there))


def brought_camera(sidecars: Sidecars, clip: Clip, task: Task) -> BroughtCamera:
    """Both paths as far as the files tell them; a line about each thing that is wrong or taken on trust."""
    told, notes = sidecars.told or ToldCamera(), list(sidecars.notes)
    seconds = np.arange(clip.frames or 0) / (clip.fps or 1.0)
    delivered, asked = None, None
    if sidecars.poses is not None:
        at = _moments(len(sidecars.poses), told, seconds, notes, f"{clip.provenance.source}{POSES}")
        delivered = None if at is None else _trajectory(sidecars.poses, at, told, clip, task)
    if told.camera_script or told.control_family == "static":
        try:
            asked = _trajectory(_script_poses(told, len(seconds), notes), seconds, told, clip, task)
        except UsageError as error:
            notes.append(f"the asked camera cannot be read: {error}")
    if asked is None and delivered is not None:
        asked = _without_gains(delivered, told, seconds, notes)
    pace = 1.0 if asked is None else _pace(asked, task, notes)
    return BroughtCamera(asked, delivered, pace, tuple(notes))


def brought_request(
    camera: BroughtCamera, sidecars: Sidecars, clip: Clip, task: Task, system: System, blobs: Blobs
) -> Request | None:
    """What the model was given, as far as the files beside its video tell; None where they tell nothing."""
    if sidecars.told is None and camera.delivered is None:
        return None
    policy: InputPolicy = "first_frame"
    warnings = [*camera.notes, UNTOLD]
    if system.card.input_policy == "unknown":
        warnings.append(f"unverified: its inputs are taken to be a {policy.replace('_', ' ')}")
    else:
        policy = system.card.input_policy
    loss_deg, loss_m = camera.loss or (None, None)
    control = Control(
        kind=system.card.control,
        text=sidecars.told.camera_script if sidecars.told is not None else "",
        files={name: blobs.put_bytes(data, f".{name.rpartition('.')[2]}") for name, data in sidecars.kept.items()},
        asked=_kept(camera.asked, blobs),
        effective=_kept(camera.delivered, blobs),
        loss_deg=loss_deg,
        loss_m=loss_m,
        warnings=tuple(warnings),
        input_policy=policy,
        fit=clip.fit,
        pace=camera.pace,
    )
    return Request(
        case=clip.case,
        prompt=task.prompt,
        first_frame=task.first_frame,
        control=control,
        width=clip.width or task.width,
        height=clip.height or task.height,
        frames=clip.frames or task.frames,
        fps=clip.fps or task.fps,
        task_instance=task.instance,
        system_key=system.key,
    )


def _kept(path: Trajectory | None, blobs: Blobs) -> str | None:
    return None if path is None else blobs.put_bytes(path.to_bytes(), ".npz")


def _trajectory(poses: Floats, seconds: Floats, told: ToldCamera, clip: Clip, task: Task) -> Trajectory:
    size = (clip.width or task.width, clip.height or task.height)
    lens = pinhole(*size, told.fov or task.hfov_deg)
    return Trajectory(poses, np.tile(lens, (len(poses), 1, 1)), seconds)


def _moments(poses: int, told: ToldCamera, seconds: Floats, notes: list[str], name: str) -> Floats | None:
    """When each pose counts: frame by frame, at the frames that are told, or evenly where only their number is."""
    if poses == len(seconds):
        return seconds
    at = np.array(told.frame_mapping.target_frame_indices if told.frame_mapping is not None else (), int)
    if len(at) == poses and (np.diff(at) > 0).all() and at[0] >= 0 and at[-1] < len(seconds):
        return np.asarray(seconds[at])
    if poses in told.counts and len(seconds) > 1:
        notes.append(f"unverified: {poses} poses are taken to be spread evenly over {len(seconds)} frames")
        return np.linspace(0, seconds[-1], poses)
    notes.append(f"{name}: {poses} poses for {len(seconds)} frames, and nothing tells which belong together; not used")
    return None


def _script_poses(told: ToldCamera, frames: int, notes: list[str]) -> Floats:
    """The script at each frame: `yaw:left:60@40,yaw:right:60@41` are 81 poses, the farthest of them twice."""
    if frames < 2:
        raise UsageError("the video has a single frame")
    if not told.camera_script or told.control_family == "static":
        return np.tile(np.eye(4), (frames, 1, 1))
    moves = [_MOVE.fullmatch(part.strip()) for part in told.camera_script.split(",")]
    if any(move is None or int(move["poses"]) < 2 for move in moves):
        raise UsageError(f"'{told.camera_script[:60]}' is not kind:direction:value@frames")
    counted = [(_ours(move["doing"]), int(move["poses"]) - 1) for move in moves if move is not None]
    script = ", hold@1, ".join(f"{doing}@{intervals}" for doing, intervals in counted)
    asked = round(duration(script, 1.0))
    if asked + 1 != frames:
        notes.append(f"unverified: a script of {asked + 1} frames is taken to be spread evenly over {frames}")
    if (told.rotation_gain or 1.0, told.translation_gain or 1.0) != (1.0, 1.0):
        notes.append(UNGAINED)
    return poses_at(script, np.linspace(0, asked, frames), fps=1.0)


def _ours(doing: str) -> str:
    """WRBench's `pan` goes sideways, as our `truck` does."""
    return re.sub(r"\bpan:", "truck:", doing)


def _without_gains(delivered: Trajectory, told: ToldCamera, seconds: Floats, notes: list[str]) -> Trajectory:
    """The delivered path before it was multiplied, frame by frame."""
    if told.rotation_gain is None:
        notes.append("unverified: no gains are told, so what was delivered is taken for what was asked")
    poses = delivered.camera_to_world.copy()
    poses[:, :3, :3] = turns_scaled(poses[:, :3, :3], 1 / (told.rotation_gain or 1.0))
    poses[:, :3, 3] /= told.translation_gain or 1.0
    there = resampled_poses(poses, delivered.seconds, seconds)
    return Trajectory(there, np.tile(delivered.intrinsics[0], (len(seconds), 1, 1)), seconds)


def _pace(asked: Trajectory, task: Task, notes: list[str]) -> float:
    """How fast the task's camera goes in this video, where the two are the same; the task's stays the target."""
    if not task.camera_asked or len(asked) < 2:
        return 1.0
    length = asked_seconds(task) / float(asked.seconds[-1])
    apart = {pace: _apart(asked, task, pace) for pace in (1.0, length)}
    found = next((pace for pace, (degrees, travel) in apart.items() if degrees <= SAME_DEG and travel), None)
    if found is None:
        degrees, travel = min(apart.values())
        notes.append(
            f"another camera was asked of it than the task asks, its turns {degrees:.0f} degrees apart"
            f"{'' if travel else ', and only one of them travels'}; the task's stays the target"
        )
    elif found != 1.0:
        notes.append(f"the task's camera at {found:.3g} times its pace")
    return found or 1.0


def _apart(asked: Trajectory, task: Task, pace: float) -> tuple[float, bool]:
    """The largest angle between the two, and whether both travel or neither does; their units may differ."""
    poses = asked_poses(task, asked.seconds * pace)
    travels = [bool(np.linalg.norm(path[:, :3, 3], axis=1).max() > STILL_M) for path in (asked.camera_to_world, poses)]
    return float(turn_deg(asked.camera_to_world, poses).max()), travels[0] == travels[1]
