"""Controls say a task's camera in a model's language, and keep what of it the model can obey.

@control(version=1, decode=read)
def yaw_list(asked):
    "One yaw angle per frame, in whole degrees."
    angles = asked.path.yaw_deg().round()
    return EncodedCamera({"yaw.json": ...}, effective=...)

`decode` reads the files back: decode(encode(x)) is the effective path. What was asked stays the target of evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.asked import asked_trajectory, at_pace
from lookaway.geometry.framing import picture_lens, task_fit
from lookaway.geometry.moves import Move
from lookaway.geometry.poses import plain
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.script import duration, frame_count, paced, parse, trajectory
from lookaway.geometry.trajectory import Trajectory
from lookaway.records import Control, Fit, InputPolicy, ModelCard, Task
from lookaway.registry import Registry
from lookaway.store import Blobs

Files = Mapping[str, bytes]

PLAIN_SIZE, PLAIN_FPS = (320, 180), 16.0
LATENT_SLACK = 1e-6  # of a latent


@dataclass(frozen=True)
class Shape:
    """Size, length and rate of the video to ask for: the card's where it says, else the task's."""

    width: int
    height: int
    frames: int
    fps: float

    @property
    def seconds(self) -> float:
        return (self.frames - 1) / self.fps

    @classmethod
    def of(cls, task: Task, card: ModelCard) -> Shape:
        fps = card.fps or task.fps
        width, height = card.width or task.width, card.height or task.height
        return cls(width, height, _frames(card, task.seconds, fps), fps)


def _frames(card: ModelCard, seconds: float, fps: float) -> int:
    """How many frames to ask for: as many as the card makes, or as it takes in whole latents and one frame before.

    43 latents of 4 frames are 173 frames.
    """
    if card.length != "as asked":
        return card.frames or round(seconds * fps) + 1
    stride = int(card.control_settings.get("latent_stride", 1))
    return math.ceil(seconds * fps / stride - LATENT_SLACK) * stride + 1


def asked_path(task: Task, shape: Shape) -> Trajectory:
    """The task's camera script as poses for a video of that shape."""
    return asked_trajectory(task, shape.frames, shape.fps, (shape.width, shape.height))


@dataclass(frozen=True)
class AskedCamera:
    """What is to be said: the camera as poses at the shape of a model's video, and the script it comes from."""

    script: str  # empty where the task says its camera as poses
    pitch_deg: float  # tilt of the first camera
    card: ModelCard
    shape: Shape
    path: Trajectory
    shows: InputPolicy = "first_frame"  # how much of the answer the model is given
    fit: Fit | None = None  # of the first frame to the model's picture
    pace: float = 1.0  # seconds of the task's script per second of the model's video
    trigger_s: float | None = None  # of the model's video: when something is to set the process off

    @property
    def moves(self) -> list[Move]:
        """The script's moves, for languages that have words for them."""
        if not self.script:
            raise UsageError(
                f"the camera is asked as poses, and '{self.card.name}' is told moves; give the task a camera script"
            )
        return plain(parse(self.script, self.shape.fps), self.pitch_deg)

    @classmethod
    def of(cls, task: Task, card: ModelCard, shows: InputPolicy | None = None) -> AskedCamera:
        """A task for a model; what the model is shown is what the task gives, unless another source is named."""
        shape = Shape.of(task, card)
        fit = task_fit(task, (shape.width, shape.height), card.fit)
        pace = _pace(task.seconds, card, shape)
        asked = at_pace(task, pace)
        path = asked_path(asked, shape)
        lens = np.tile(picture_lens(task, fit, (shape.width, shape.height)), (shape.frames, 1, 1))
        seen, told = shows or task_shows(task), replace(path, intrinsics=lens)
        set_off_s = None if task.trigger_s is None else task.trigger_s / pace
        return cls(asked.camera, task.pitch_deg, card, shape, told, seen, fit, pace, set_off_s)

    @classmethod
    def plain(cls, script: str, card: ModelCard, hfov_deg: float) -> AskedCamera:
        """A script without a task, at the card's shape; what the card does not tell is as in the known world."""
        fps = card.fps or PLAIN_FPS
        asked_long = card.length == "as asked"
        frames = _frames(card, duration(script, fps), fps) if asked_long else card.frames or frame_count(script, fps)
        shape = Shape(card.width or PLAIN_SIZE[0], card.height or PLAIN_SIZE[1], frames, fps)
        size = (shape.width, shape.height)
        pace = _pace(duration(script, fps), card, shape)
        said = script if pace == 1 else paced(script, pace, fps)
        return cls(said, 0.0, card, shape, trajectory(said, frames, fps, size, hfov_deg), pace=pace)


def _pace(seconds: float, card: ModelCard, shape: Shape) -> float:
    """How much faster a script of so many seconds must go to fill the model's video, where that is the card's rule."""
    return seconds / shape.seconds if card.length == "stretch" and shape.frames > 1 else 1.0


def task_shows(task: Task) -> InputPolicy:
    """What a model sees of the answer that is given the task's own prefix, or else its first frame."""
    if task.prefix is None:
        return "first_frame"
    back = [interval.start_s for interval in task.phases if interval.phase == "returned"]
    return "full_target" if back and task.prefix_s > back[0] else "source_only"


@dataclass(frozen=True)
class EncodedCamera:
    """The same in the model's language."""

    files: Files = field(default_factory=dict)  # by the name that the model's program looks for
    effective: Trajectory | None = None  # what the model can obey; None where nobody knows
    text: str = ""  # appended to the prompt
    input_policy: InputPolicy = "first_frame"
    warnings: tuple[str, ...] = ()


Encode = Callable[[AskedCamera], EncodedCamera]
Decode = Callable[[Files, AskedCamera], Trajectory]


@dataclass(frozen=True)
class ControlKind:
    name: str
    version: int
    function: Encode
    decode: Decode | None
    doc: str
    shows_source: bool = False  # the model is given a video of the scene beside the camera


CONTROLS: Registry[ControlKind] = Registry("control", "lookaway.controls")


def control(*, version: int, decode: Decode | None = None, shows_source: bool = False) -> Callable[[Encode], Encode]:
    """Register a control kind under its function's name."""

    def register(function: Encode) -> Encode:
        name = function.__name__
        doc = (function.__doc__ or "").strip()
        CONTROLS.add(name, ControlKind(name, version, function, decode, doc, shows_source))
        return function

    return register


def compiled(task: Task, card: ModelCard, blobs: Blobs, shows: InputPolicy | None = None) -> Control:
    """A task's camera said in a model's language, with its files kept and its loss measured."""
    asked = AskedCamera.of(task, card, shows)
    said = CONTROLS.get(card.control).function(asked)
    loss_deg, loss_m = lost(asked.path, said.effective) if said.effective is not None else (None, None)
    return Control(
        kind=card.control,
        text=said.text,
        files={name: blobs.put_bytes(data, f".{name.rpartition('.')[2]}") for name, data in said.files.items()},
        asked=blobs.put_bytes(asked.path.to_bytes(), ".npz"),
        effective=None if said.effective is None else blobs.put_bytes(said.effective.to_bytes(), ".npz"),
        loss_deg=loss_deg,
        loss_m=loss_m,
        input_policy=said.input_policy,
        warnings=(*said.warnings, *shape_notes(asked)),
        fit=asked.fit,
        pace=asked.pace,
    )


def shape_notes(asked: AskedCamera) -> list[str]:
    """What the model's shape of video costs the task."""
    found = []
    if asked.fit is not None and asked.fit.how != asked.card.fit:
        found.append("a crop would cut off the subject, so the first frame got bars")
    lasts = duration(asked.script, asked.shape.fps) if asked.script else 0.0
    if lasts > asked.shape.seconds + 1 / asked.shape.fps:
        found.append(
            f"the script lasts {lasts:.2f} s and the model's video {asked.shape.seconds:.2f} s: "
            'the rest is cut; length = "stretch" in the card makes the camera faster instead'
        )
    return found


def lost(asked: Trajectory, effective: Trajectory) -> tuple[float, float]:
    """The largest angle and the largest distance between what was asked and what can be obeyed."""
    degrees = turn_deg(asked.camera_to_world, effective.camera_to_world)
    apart = np.linalg.norm(asked.camera_to_world[:, :3, 3] - effective.camera_to_world[:, :3, 3], axis=1)
    return float(degrees.max()), float(apart.max())
