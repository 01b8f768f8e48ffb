"""What MuJoCo is to draw: the camera, and each part's mesh with its material."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lookaway.worlds.arrays import FloatArray, Mask
from lookaway.worlds.extras import need
from lookaway.worlds.gl.lights import EXPOSURE
from lookaway.worlds.gl.model import Model

NEAR_M, FAR_M = 0.05, 1000.0
UNWANTED = ("REFLECTION", "SKYBOX", "FOG", "HAZE", "CULL_FACE")
GLASS_RGBA = (0.62, 0.68, 0.7, 0.045)
FULL_GLOSS = 128.0  # OpenGL's highest


class Scene:
    """A MuJoCo scene that is filled anew for every drawing; `casting` marks the parts that throw shadows."""

    def __init__(self, model: Model, casting: Mask) -> None:
        self._mujoco = need("mujoco")
        self._model, self._casting = model, casting
        self.drawn: Any = self._mujoco.MjvScene(model.compiled, len(model.parts))
        for flag in UNWANTED:
            self.drawn.flags[getattr(self._mujoco.mjtRndFlag, f"mjRND_{flag}")] = 0

    def aim(self, camera_to_world: FloatArray, intrinsics: FloatArray, size: tuple[int, int]) -> None:
        """Put the camera there; its frustum is that of the intrinsics."""
        (focal_x, _, centre_x), (_, focal_y, centre_y), _ = intrinsics
        width, height = size
        for camera in self.drawn.camera:
            camera.pos[:] = camera_to_world[:3, 3]
            camera.forward[:], camera.up[:] = camera_to_world[:3, 2], -camera_to_world[:3, 1]
            camera.frustum_near, camera.frustum_far, camera.orthographic = NEAR_M, FAR_M, 0
            camera.frustum_width = width / 2 / focal_x * NEAR_M
            camera.frustum_center = (width / 2 - centre_x) / focal_x * NEAR_M
            camera.frustum_top = centre_y / focal_y * NEAR_M
            camera.frustum_bottom = (centre_y - height) / focal_y * NEAR_M

    def clear(self) -> None:
        self.drawn.ngeom = 0

    def add(self, numbers: Iterable[int], glowing: float = 1.0) -> None:
        """Solid parts, their glow at that level."""
        for number in numbers:
            part = self._model.parts[number]
            shape = self._shape(number, (*part.material.colour, 1.0))
            shape.matid, shape.texcoord = self._model.textures[number], 1
            shape.emission = part.material.glow * glowing * EXPOSURE
            shape.specular, shape.shininess = part.material.shine, part.material.gloss / FULL_GLOSS

    def add_glass(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._shape(number, GLASS_RGBA)

    def _shape(self, number: int, rgba: tuple[float, ...]) -> Any:
        shape = self.drawn.geoms[self.drawn.ngeom]
        self.drawn.ngeom += 1
        kind, category = self._mujoco.mjtGeom.mjGEOM_MESH, self._mujoco.mjtCatBit
        self._mujoco.mjv_initGeom(shape, kind, np.ones(3), np.zeros(3), np.eye(3).ravel(), rgba)
        shape.dataid, shape.segid = 2 * number, number  # a mesh and its hull take two numbers
        shape.category = category.mjCAT_STATIC if self._casting[number] else category.mjCAT_DECOR
        return shape


def metric(nearness: FloatArray) -> FloatArray:
    """Metres along the camera's axis from depth buffer values (1 near, 0 far)."""
    return NEAR_M * FAR_M / (NEAR_M + nearness * (FAR_M - NEAR_M))
