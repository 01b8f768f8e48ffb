"""Bodies that move: their triangles at one instant, and cheap bounds of where their shadow may fall."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats, Mask
from lookaway.worlds.mesh import Mesh
from lookaway.worlds.rendering.camera import Camera
from lookaway.worlds.rendering.light import Light, column
from lookaway.worlds.rendering.soup import Rows, Soup, dot

SHADOW_SAMPLES = 8
MOST_BALLS = 3
SLACK_M = 0.01
LONGEST_SHADOW = 50.0  # in distances from the lamp to the body
BEYOND = 1.2


def box_corners(low: FloatArray, high: FloatArray) -> FloatArray:
    """The eight corners of an upright box, one per row."""
    return np.array(list(itertools.product(*zip(low, high, strict=True))))


@dataclass(frozen=True)
class Bounds:
    """An upright box around one body, and balls along its longest side that together hold it."""

    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, mesh: Mesh) -> Bounds:
        return cls(mesh.points.min(axis=0), mesh.points.max(axis=0))

    @cached_property
    def corners(self) -> FloatArray:
        return box_corners(self.low, self.high)

    def balls(self) -> list[tuple[FloatArray, float]]:
        """Centre and radius of each."""
        sides = self.high - self.low
        axis = int(np.argmax(sides))
        across = float(np.delete(sides, axis).max())
        count = int(np.clip(np.ceil(sides[axis] / max(across, 1e-3)), 1, MOST_BALLS))
        piece = sides.copy()
        piece[axis] /= count
        balls = []
        for number in range(count):
            centre = (self.low + self.high) / 2
            centre[axis] = self.low[axis] + (number + 0.5) * piece[axis]
            balls.append((centre, float(np.linalg.norm(piece)) / 2))
        return balls

    def shadow_hull(self, light: Light, low: Floats, high: Floats) -> FloatArray:
        """Points whose hull holds the body and its shadow as far as a room from low to high reaches."""
        centre, radii = np.array(light.centre), np.array([*light.radii, 0.0])
        away = (self.corners[:, None] - box_corners(centre - radii, centre + radii)).reshape(-1, 3)
        start = np.repeat(self.corners, 8, axis=0)
        room = np.where(away > 0, high - start, low - start)
        leaves = np.divide(room, away, out=np.full_like(away, LONGEST_SHADOW), where=np.abs(away) > 1e-6)
        longest = np.clip(leaves.min(axis=1).max() * BEYOND, 0.0, LONGEST_SHADOW)
        return np.concatenate([self.corners, start + away * longest])

    def may_shade(self, points: Floats, light: Light) -> Mask:
        """False for points (3, N) whose view of the lamp the body cannot touch."""
        to_lamp = column(light.centre) - points
        per_squared = 1 / dot(to_lamp, to_lamp)
        near = np.zeros(points.shape[1], bool)
        for centre, radius in self.balls():
            to_ball = column(centre) - points
            along = np.clip(dot(to_ball, to_lamp) * per_squared, 0, 1)
            to_ball -= to_lamp * along
            reach = np.float32(radius + SLACK_M) + np.float32(max(light.radii)) * along
            near |= dot(to_ball, to_ball) < reach * reach
        return near


@dataclass(frozen=True)
class Moving:
    """Bodies as they stand at one instant."""

    bounds: Sequence[Bounds]
    soup: Soup

    @classmethod
    def of(cls, bodies: Sequence[tuple[int, Mesh]]) -> Moving:
        """From (part, posed mesh) pairs."""
        meshes = [mesh for _, mesh in bodies]
        return cls([Bounds.of(mesh) for mesh in meshes], Soup(meshes, [part for part, _ in bodies]))

    def pixels(self, camera: Camera) -> Rows:
        """Flat numbers of the pixels that the bodies' bounding rectangles cover."""
        windows = np.zeros((camera.size[1], camera.size[0]), bool)
        for bounds in self.bounds:
            windows[camera.window(bounds.corners).slices] = True
        return np.flatnonzero(windows)
