"""How one model writes camera poses: axes, direction, rate, intrinsics, file. A card's `control_settings` say it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field, ValidationError

from lookaway.errors import UsageError, problems
from lookaway.geometry.resampling import resampled
from lookaway.geometry.trajectory import Floats, Trajectory
from lookaway.records import ModelCard, Record

Axes = Literal["opencv", "opengl", "blender", "unreal"]

_FROM_OPENCV: dict[Axes, Floats] = {  # right, down, forward as written in the named axes
    "opencv": np.eye(3),
    "opengl": np.diag([1.0, -1.0, -1.0]),
    "blender": np.diag([1.0, -1.0, -1.0]),
    "unreal": np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]),
}


class Dialect(Record):
    """What a card may say about how poses are written; what it leaves out is as the defaults are."""

    format: Literal["npy", "npz", "json", "json_lines", "text", "rows", "arrays"] = "npz"
    rows: Literal["3x4", "4x4"] = "4x4"
    header_lines: int = Field(0, ge=0)
    anchor_rows: int = Field(0, ge=0)
    convention: Axes = "opencv"
    direction: Literal["camera_to_world", "world_to_camera"] = "camera_to_world"
    relative: bool = False
    latent_stride: int = Field(1, ge=1)
    translation_scale: float = Field(1.0, gt=0)
    intrinsics: Literal["none", "pixel", "normalised"] = "pixel"
    fx: float | None = None
    fy: float | None = None
    cx: float | None = None
    cy: float | None = None
    poses_array: str = "camera_to_world"
    intrinsics_array: str = "intrinsics"

    @classmethod
    def of(cls, card: ModelCard) -> Dialect:
        """The card's dialect; settings that are about something else than poses are left to whom they concern."""
        known = {name: value for name, value in card.control_settings.items() if name in cls.model_fields}
        try:
            return cls.model_validate(known)
        except ValidationError as error:
            raise UsageError(f"card '{card.name}', control_settings: {problems(error)}") from error

    def matrices(self, path: Trajectory) -> Floats:
        """The poses that the model is given, (M, 4, 4): one for each of its latents, in its axes and direction."""
        poses = path.camera_to_world[:: self.latent_stride].copy()
        poses[:, :3, 3] *= self.translation_scale
        axes = _homogeneous(_FROM_OPENCV[self.convention])
        poses = poses @ axes.T
        if self.relative:
            poses = axes @ poses
        return np.asarray(poses if self.direction == "camera_to_world" else np.linalg.inv(poses))

    def path(self, matrices: Floats, like: Trajectory) -> Trajectory:
        """What a model can read off its matrices: the path through them, at the times and with the lens of another."""
        axes = _homogeneous(_FROM_OPENCV[self.convention])
        poses = matrices if self.direction == "camera_to_world" else np.linalg.inv(matrices)
        if self.relative:
            poses = axes.T @ poses
        poses = poses @ axes
        poses[:, :3, 3] /= self.translation_scale
        kept = np.s_[:: self.latent_stride]
        return resampled(Trajectory(poses, like.intrinsics[kept], like.seconds[kept]), like.seconds)

    def lens(self, path: Trajectory, size: tuple[float, float]) -> Floats:
        """fx, fy, cx, cy for each pose, in pixels or as shares of width and height; the card's own where given."""
        width, height = size if self.intrinsics == "normalised" else (1, 1)
        k = path.intrinsics[:: self.latent_stride]
        own = np.stack([k[:, 0, 0] / width, k[:, 1, 1] / height, k[:, 0, 2] / width, k[:, 1, 2] / height], axis=1)
        fixed = [self.fx, self.fy, self.cx, self.cy]
        return np.stack([own[:, n] if value is None else np.full(len(own), value) for n, value in enumerate(fixed)], 1)


def _homogeneous(rotation: Floats) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    return matrix
