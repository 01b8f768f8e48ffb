"""Soft shapes: smoothly turned surfaces, limbs, eggs, and curves through points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.mesh import Mesh, grid_faces, sphere


def curve(points: Sequence[Sequence[float]], pieces: int = 6, closed: bool = False) -> FloatArray:
    """Points on a smooth curve through the given ones (Catmull-Rom); a closed one ends where it starts."""
    knots = np.asarray(points, np.float64)
    first, last = (knots[-1], knots[0]) if closed else (2 * knots[0] - knots[1], 2 * knots[-1] - knots[-2])
    body = [knots, knots[:1], knots[1:2]] if closed else [knots, last[None]]
    padded = np.concatenate([first[None], *body])
    share = np.linspace(0, 1, pieces, endpoint=False)[:, None]
    walked = []
    for before, start, end, after in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        walked.append(
            0.5
            * (
                2 * start
                + (end - before) * share
                + (2 * before - 5 * start + 4 * end - after) * share**2
                + (3 * (start - end) + after - before) * share**3
            )
        )
    return np.concatenate([*walked, padded[-2][None]])


def turned(profile: FloatArray | Sequence[Sequence[float]], around: int = 24, depth: float = 1.0) -> Mesh:
    """A profile of (radius, z), walked upwards, turned about z with smooth normals; `depth` flattens it along x."""
    outline = np.asarray(profile, np.float64)
    walk = np.gradient(outline, axis=0)
    walk /= np.linalg.norm(walk, axis=1, keepdims=True)
    turn = np.linspace(0, 2 * np.pi, around + 1)
    cos, sin = np.cos(turn)[None], np.sin(turn)[None]
    radius, height = outline[:, :1], outline[:, 1:]
    points = np.stack(np.broadcast_arrays(depth * radius * cos, radius * sin, height), axis=-1)
    out, up = walk[:, 1:], -walk[:, :1]
    normals = np.stack(np.broadcast_arrays(out * cos / depth, out * sin, up), axis=-1).reshape(-1, 3)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(outline, axis=0), axis=1))])
    uv = np.stack(np.broadcast_arrays(turn[None] * outline[:, 0].max(), length[:, None]), axis=-1)
    return Mesh(points.reshape(-1, 3), normals, uv.reshape(-1, 2), grid_faces(around, len(outline) - 1))


def limb(top_radius: float, low_radius: float, length: float, around: int = 16) -> Mesh:
    """A tapering bar with round ends whose joints lie at the origin and straight below it."""
    low, top = np.linspace(-np.pi / 2, 0, 5), np.linspace(0, np.pi / 2, 5)
    below = np.stack([low_radius * np.cos(low), low_radius * np.sin(low) - length], axis=1)
    above = np.stack([top_radius * np.cos(top), top_radius * np.sin(top)], axis=1)
    return turned(np.concatenate([below, above]), around)


def egg(size_x: float, size_y: float, size_z: float, around: int = 20) -> Mesh:
    """An ellipsoid about the origin with those half axes."""
    return sphere(1.0, around).moved(np.diag([size_x, size_y, size_z, 1.0]))
