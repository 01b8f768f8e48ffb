"""The world's light as MuJoCo lights: what falls on a surface is the ray renderer's, its shadows are harder."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookaway.worlds.extras import need
from lookaway.worlds.rendering.light import Lamp, Light

EXPOSURE = 1 / 8  # OpenGL cuts the light on a vertex off at 1
ROOM_SHADOWS_M, OPEN_SHADOWS_M = 5.0, 9.0  # how far from the middle of the world shadows fall
FAR_LAMP_M = 15.0
OPENNESS = 0.72  # of a typical surface; the ray renderer finds it vertex by vertex
DOWN = (0.0, 0.0, -1.0)
DOWNWARD_EXPONENT = 0.5  # cos ** 0.5 is within 0.05 of 0.35 + 0.65 cos, from 80 degrees to straight below
HALF_SPACE_DEG, ALL_AROUND_DEG = 90.0, 180.0
GLEAM = 6.0


def is_far(light: Light) -> bool:
    """Whether the lamp stands outside, like a sun, and not over the scene."""
    return float(np.linalg.norm(light.centre)) > FAR_LAMP_M


def shadow_share(light: Light) -> float:
    """Share of the half space before the lamp that its shadow map looks at."""
    reach = OPEN_SHADOWS_M if is_far(light) else ROOM_SHADOWS_M
    return float(np.rad2deg(np.arctan(reach / np.linalg.norm(light.centre)))) / HALF_SPACE_DEG


class Lights:
    """Puts the lights of one world into a MuJoCo scene."""

    def __init__(self, light: Light, lamp: Lamp | None) -> None:
        self._kinds = need("mujoco").mjtLightType
        self._light, self._lamp = light, lamp

    def put(self, scene: Any, level: float, power: float) -> None:
        """The room's light at that level and the process's lamp at that power."""
        scene.nlight = 0
        self._ambient(self._next(scene), level)
        main = self._next(scene)
        self._shadowed(main, level)
        if is_far(self._light):
            self._aim_from_afar(main)
        if self._lamp is not None and power > 0:
            self._own(self._next(scene), self._lamp, power)

    def _next(self, scene: Any) -> Any:
        scene.nlight += 1
        light = scene.lights[scene.nlight - 1]
        light.headlight, light.castshadow, light.exponent, light.texid = 0, 0, 0.0, -1
        light.ambient[:] = light.diffuse[:] = light.specular[:] = 0
        light.dir[:], light.attenuation[:] = DOWN, (0.0, 0.0, 1.0)
        return light

    def _ambient(self, light: Any, level: float) -> None:
        """Even light from all sides, a little more of it from above."""
        colour = np.array(self._light.ambient) * level * OPENNESS * EXPOSURE
        light.type = self._kinds.mjLIGHT_DIRECTIONAL
        light.ambient[:], light.diffuse[:] = 0.85 * colour, 0.15 * colour

    def _shadowed(self, light: Any, level: float) -> None:
        """The room's lamp, facing down."""
        light.type, light.castshadow = self._kinds.mjLIGHT_SPOT, 1
        light.pos[:], light.cutoff, light.exponent = self._light.centre, HALF_SPACE_DEG, DOWNWARD_EXPONENT
        light.diffuse[:] = np.array(self._light.colour) * level * EXPOSURE
        light.specular[:] = GLEAM * level * EXPOSURE

    def _aim_from_afar(self, light: Any) -> None:
        """Turn it to the middle of the world; it is as strong everywhere as there."""
        towards = np.array(self._light.centre)[:, None] / np.linalg.norm(self._light.centre)
        strength = float(self._light.strength(np.zeros((3, 1), np.float32), towards.astype(np.float32))[0])
        light.dir[:], light.attenuation[:], light.exponent = -towards[:, 0], (1.0, 0.0, 0.0), 0.0
        light.diffuse[:] *= strength
        light.specular[:] /= GLEAM

    def _own(self, light: Any, lamp: Lamp, power: float) -> None:
        light.type, light.cutoff = self._kinds.mjLIGHT_SPOT, ALL_AROUND_DEG
        light.pos[:], light.diffuse[:] = lamp.centre, np.array(lamp.colour) * power * EXPOSURE
