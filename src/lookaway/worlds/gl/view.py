"""Which boxes, and which of their shadows, a camera may see: the others need not be drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray, Mask
from lookaway.worlds.mesh import Mesh


def boxes(meshes: Sequence[Mesh]) -> FloatArray:
    """The eight corners of each mesh's upright box, (N, 8, 3)."""
    low_high = np.array([[mesh.points.min(axis=0), mesh.points.max(axis=0)] for mesh in meshes])
    choices = np.indices((2, 2, 2)).reshape(3, 8).T
    corners: FloatArray = low_high[:, choices, np.arange(3)]
    return corners


def with_shadow(corners: FloatArray, lamp: Sequence[float], length_m: float) -> FloatArray:
    """Box corners and where shadows of that length take them, (N, 16, 3)."""
    away = corners - np.array(lamp)
    away *= length_m / np.linalg.norm(away, axis=-1, keepdims=True)
    return np.concatenate([corners, corners + away], axis=1)


def may_see(corners: FloatArray, camera_to_world: FloatArray, intrinsics: FloatArray, size: tuple[int, int]) -> Mask:
    """False for a box that lies wholly beyond one edge of the image or behind the camera."""
    local = (corners - camera_to_world[:3, 3]) @ camera_to_world[:3, :3]
    x, y, z = np.moveaxis(local @ intrinsics.T, -1, 0)
    beyond = (x < 0, x > size[0] * z, y < 0, y > size[1] * z, z < 0)
    seen: Mask = ~np.any([outside.all(axis=1) for outside in beyond], axis=0)
    return seen
