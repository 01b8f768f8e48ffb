"""Pictures of a world drawn by OpenGL: light on vertices and a shadow map, nothing baked and nothing kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import Bytes, FloatArray, Floats, Ints, Mask
from lookaway.worlds.gl.canvas import Canvas
from lookaway.worlds.gl.lights import EXPOSURE, OPEN_SHADOWS_M, Lights, is_far
from lookaway.worlds.gl.model import compiled
from lookaway.worlds.gl.scene import Scene, metric
from lookaway.worlds.gl.view import boxes, may_see, with_shadow
from lookaway.worlds.mesh import Mesh
from lookaway.worlds.parts import SELF_LIT, SHELL, Part
from lookaway.worlds.rendering.display import displayed
from lookaway.worlds.rendering.light import Lamp, Light
from lookaway.worlds.rendering.renderer import Picture

FINER = 2  # colour is drawn at this many times the size, then averaged


class GlRenderer:
    """Renders one world at one image size; parts are numbered: the static ones first, then the bodies."""

    def __init__(
        self,
        static: Sequence[Part],
        bodies: Sequence[Part],
        glass: Sequence[Part],
        light: Light,
        lamp: Lamp | None,
        intrinsics: FloatArray,
        size: tuple[int, int],
    ) -> None:
        self._intrinsics, self._size = intrinsics, size
        self._fine = size[0] * FINER, size[1] * FINER
        self._model = compiled([*static, *bodies, *glass], light)
        self._boxes = boxes([part.mesh for part in static])
        self._shadows = with_shadow(self._boxes, light.centre, OPEN_SHADOWS_M)
        self._casting = casting(static, bodies, glass, light)
        self._self_lit = {
            number for number, part in enumerate(bodies, start=len(static)) if part.material.glow >= SELF_LIT
        }
        self._glass = range(len(static) + len(bodies), len(self._model.parts))
        self._lights, self._scene = Lights(light, lamp), Scene(self._model, self._casting)
        self._canvas = Canvas(self._model.compiled, self._fine)
        self.close = self._canvas.close

    def picture(
        self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]], level: float = 1.0, power: float = 0.0
    ) -> Picture:
        """The world with those bodies (part number, posed mesh) from that camera.

        `level` scales the room's light and `power` the process's own lamp, both from 0 to 1.
        """
        part, depth = self._centres(camera_to_world, bodies)
        matters = self._in_view(self._boxes, camera_to_world)
        matters |= self._casting[: len(self._boxes)] & self._in_view(self._shadows, camera_to_world)
        present = {number for number, _ in bodies}
        self._scene.clear()
        self._scene.add(np.flatnonzero(matters), level)
        self._scene.add(present - self._self_lit, level)
        self._scene.add(present & self._self_lit)
        self._scene.add_glass(self._glass)
        self._lights.put(self._scene.drawn, level, power)
        return Picture(self._developed(self._canvas.colours(self._scene.drawn, self._fine)), depth, part)

    def parts(self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]]) -> Ints:
        """Part number of every pixel, without light or colour."""
        return self._centres(camera_to_world, bodies)[0]

    def body_parts(self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]]) -> Ints:
        """Part number of every pixel: what shows no body is told as well."""
        return self.parts(camera_to_world, bodies).ravel()

    def _centres(self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]]) -> tuple[Ints, Floats]:
        """Part and z-depth at pixel centres, straight through glass."""
        for number, mesh in bodies:
            self._model.write(number, mesh)
            self._canvas.upload(number)
        self._scene.aim(camera_to_world, self._intrinsics, self._size)
        self._scene.clear()
        self._scene.add(np.flatnonzero(self._in_view(self._boxes, camera_to_world)))
        self._scene.add(number for number, _ in bodies)
        part, nearness = self._canvas.segments(self._scene.drawn, self._size)
        return np.maximum(part, 0), metric(nearness.astype(np.float64)).astype(np.float32)

    def _in_view(self, corners: FloatArray, camera_to_world: FloatArray) -> Mask:
        return may_see(corners, camera_to_world, self._intrinsics, self._size)

    def _developed(self, fine: Floats) -> Bytes:
        """Display bytes of linear light drawn finer than the picture."""
        width, height = self._size
        linear = np.zeros((height, width, 3), np.float32)
        for row, column in np.ndindex(FINER, FINER):
            linear += fine[row::FINER, column::FINER]
        linear /= np.float32(FINER**2 * EXPOSURE)
        return displayed(linear.reshape(-1, 3).T).reshape(height, width, 3)


def casting(static: Sequence[Part], bodies: Sequence[Part], glass: Sequence[Part], light: Light) -> Mask:
    """Which parts throw shadows: no glass, and no shell around a lamp."""
    solid = [is_far(light) or part.name != SHELL for part in (*static, *bodies)]
    return np.array([*solid, *[False] * len(glass)])
