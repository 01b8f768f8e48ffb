"""A camera path as arrays: camera-to-world in the OpenCV frame (x right, y down, z forward)."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trajectory:
    camera_to_world: Floats  # (N, 4, 4), first frame identity
    intrinsics: Floats  # (N, 3, 3) in pixels
    seconds: Floats  # (N,)

    def __len__(self) -> int:
        return len(self.seconds)

    def yaw_deg(self) -> Floats:
        """Turn about the vertical against the first frame; right is positive."""
        forward = self.camera_to_world[:, :3, 2]
        return np.rad2deg(np.unwrap(np.arctan2(forward[:, 0], forward[:, 2])))

    def pitch_deg(self) -> Floats:
        """Tilt against the first frame; up is positive."""
        return np.rad2deg(np.arcsin(np.clip(-self.camera_to_world[:, 1, 2], -1, 1)))

    def to_bytes(self) -> bytes:
        buffer = io.BytesIO()
        np.savez(buffer, camera_to_world=self.camera_to_world, intrinsics=self.intrinsics, seconds=self.seconds)
        return buffer.getvalue()

    @classmethod
    def load(cls, path: Path) -> Self:
        with np.load(path) as arrays:
            return cls(arrays["camera_to_world"], arrays["intrinsics"], arrays["seconds"])


def yaw_matrix(yaw_deg: float) -> Floats:
    """Rotation about the OpenCV y axis; positive turns the view to the right."""
    cos, sin = np.cos(np.deg2rad(yaw_deg)), np.sin(np.deg2rad(yaw_deg))
    return np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])


def pitch_matrix(pitch_deg: float) -> Floats:
    """Rotation about the OpenCV x axis; positive tilts the view up."""
    cos, sin = np.cos(np.deg2rad(pitch_deg)), np.sin(np.deg2rad(pitch_deg))
    return np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])


def roll_matrix(roll_deg: float) -> Floats:
    """Rotation about the OpenCV z axis; positive turns the camera clockwise."""
    cos, sin = np.cos(np.deg2rad(roll_deg)), np.sin(np.deg2rad(roll_deg))
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])


def pinhole(width: int, height: int, hfov_deg: float) -> Floats:
    """Pixel intrinsics of a centred pinhole with square pixels."""
    focal = width / 2 / np.tan(np.deg2rad(hfov_deg) / 2)
    return np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
