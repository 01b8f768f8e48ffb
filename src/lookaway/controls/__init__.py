"""Controls say a task's camera in a model's language, and keep what of it the model can obey.

@control(version=1)
def poses(task, card, blobs):
    "One camera pose per frame."
    ...
    return Control(kind="poses", ...)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lookaway.geometry.script import trajectory
from lookaway.geometry.trajectory import Trajectory
from lookaway.records import Control, ModelCard, Task
from lookaway.registry import Registry
from lookaway.store import Blobs

Compile = Callable[[Task, ModelCard, Blobs], Control]


@dataclass(frozen=True)
class ControlKind:
    name: str
    version: int
    function: Compile
    doc: str


CONTROLS: Registry[ControlKind] = Registry("control", "lookaway.controls")


def control(*, version: int) -> Callable[[Compile], Compile]:
    """Register a control kind under its function's name."""

    def register(function: Compile) -> Compile:
        name = function.__name__
        CONTROLS.add(name, ControlKind(name, version, function, (function.__doc__ or "").strip()))
        return function

    return register


@dataclass(frozen=True)
class Shape:
    """Size, length and rate of the video to ask for: the card's where it says, else the task's."""

    width: int
    height: int
    frames: int
    fps: float

    @classmethod
    def of(cls, task: Task, card: ModelCard) -> Shape:
        fps = card.fps or task.fps
        return cls(
            card.width or task.width,
            card.height or task.height,
            card.frames or round(task.seconds * fps) + 1,
            fps,
        )


def asked_path(task: Task, shape: Shape) -> Trajectory:
    """The task's camera script as poses for a video of that shape."""
    size = (shape.width, shape.height)
    return trajectory(task.camera, shape.frames, shape.fps, size, task.hfov_deg, task.pitch_deg)
