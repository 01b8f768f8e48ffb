"""Bodies that move: their triangles at one instant, and cheap bounds of where their shadow may fall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats
from lookaway.worlds.mesh import Mesh
from lookaway.worlds.rendering.light import Light
from lookaway.worlds.rendering.soup import Soup

SHADOW_SAMPLES = 8
MOST_BALLS = 5


def bounding_balls(mesh: Mesh) -> list[tuple[FloatArray, float]]:
    """Centre and radius of balls along the mesh's longest side that together hold it."""
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    sides = high - low
    axis = int(np.argmax(sides))
    across = float(np.delete(sides, axis).max())
    count = int(np.clip(np.ceil(sides[axis] / max(across, 1e-3)), 1, MOST_BALLS))
    piece = sides.copy()
    piece[axis] /= count
    radius = float(np.linalg.norm(piece)) / 2
    balls = []
    for number in range(count):
        centre = (low + high) / 2
        centre[axis] = low[axis] + (number + 0.5) * piece[axis]
        balls.append((centre, radius))
    return balls


@dataclass(frozen=True)
class Moving:
    """Bodies as they stand at one instant."""

    meshes: Sequence[Mesh]
    soup: Soup

    @classmethod
    def of(cls, bodies: Sequence[tuple[int, Mesh]]) -> Moving:
        """From (part, posed mesh) pairs."""
        meshes = [mesh for _, mesh in bodies]
        return cls(meshes, Soup(meshes, [part for part, _ in bodies]))

    def lamp_share(self, points: Floats, normals: Floats, light: Light) -> Floats:
        """Share of the lamp that the bodies leave to each point; 1 outside their shadow."""
        lamp = np.asarray(light.centre, np.float32)
        to_lamp = lamp - points
        squared = np.einsum("ij,ij->i", to_lamp, to_lamp)
        near = np.zeros(len(points), bool)
        for mesh in self.meshes:
            for centre, radius in bounding_balls(mesh):
                to_ball = centre.astype(np.float32) - points
                along = np.clip(np.einsum("ij,ij->i", to_ball, to_lamp) / squared, 0, 1)
                miss = to_ball - to_lamp * along[:, None]
                reach = np.float32(radius + 0.01) + np.float32(max(light.radii)) * along
                near |= np.einsum("ij,ij->i", miss, miss) < reach**2
        share = np.ones(len(points), np.float32)
        rows = np.flatnonzero(near)
        share[rows] = light.reach(points[rows], normals[rows], [self.soup], SHADOW_SAMPLES)
        return share
