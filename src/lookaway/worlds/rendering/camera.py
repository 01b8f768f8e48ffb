"""Pinhole cameras in OpenCV axes (x right, y down, z forward); pixel centres at +0.5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats


def intrinsics(size: tuple[int, int], hfov_deg: float) -> FloatArray:
    """3x3 pixel intrinsics with the principal point in the middle of the image."""
    width, height = size
    focal = width / 2 / np.tan(np.deg2rad(hfov_deg) / 2)
    return np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])


def aimed(position: tuple[float, float, float], yaw_deg: float, pitch_deg: float) -> FloatArray:
    """Camera-to-world: yaw 0 looks along +y, positive yaw turns right, positive pitch looks up."""
    yaw, pitch = np.deg2rad(yaw_deg), np.deg2rad(pitch_deg)
    forward = np.array([np.sin(yaw) * np.cos(pitch), np.cos(yaw) * np.cos(pitch), np.sin(pitch)])
    right = np.array([np.cos(yaw), -np.sin(yaw), 0.0])
    camera_to_world = np.eye(4)
    camera_to_world[:3, 0] = right
    camera_to_world[:3, 1] = np.cross(forward, right)
    camera_to_world[:3, 2] = forward
    camera_to_world[:3, 3] = position
    return camera_to_world


@dataclass(frozen=True)
class Rays:
    """One ray per row; a direction has z = 1 in the camera, so that a hit's distance is its z-depth."""

    origins: Floats
    directions: Floats


@dataclass(frozen=True)
class Camera:
    """A posed camera that sends rays through image places."""

    intrinsics: FloatArray
    camera_to_world: FloatArray

    def rays(self, x: Floats, y: Floats) -> Rays:
        """Rays through image places given in pixels."""
        local = np.stack([x, y, np.ones_like(x)], axis=1) @ np.linalg.inv(self.intrinsics).T
        directions = (local @ self.camera_to_world[:3, :3].T).astype(np.float32)
        origins = np.broadcast_to(self.camera_to_world[:3, 3].astype(np.float32), directions.shape)
        return Rays(np.ascontiguousarray(origins), np.ascontiguousarray(directions))

    def project(self, points: FloatArray) -> FloatArray:
        """Image x, image y and z-depth of world points."""
        local = (points - self.camera_to_world[:3, 3]) @ self.camera_to_world[:3, :3]
        image = local @ self.intrinsics.T
        return np.concatenate([image[:, :2] / image[:, 2:], local[:, 2:]], axis=1)
