"""Triangle meshes in metres, z up. Surfaces are cut finely enough to carry baked light on their vertices."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray, Ints

CUT_M = 0.12


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices with outward normals and texture coordinates (metres along the surface), and triangles."""

    points: FloatArray
    normals: FloatArray
    uv: FloatArray
    faces: Ints

    def moved(self, transform: FloatArray) -> Mesh:
        """The mesh under a 4x4 affine transform."""
        linear = transform[:3, :3]
        normals = self.normals @ np.linalg.inv(linear)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        return Mesh(self.points @ linear.T + transform[:3, 3], normals, self.uv, self.faces)

    def at(self, x: float, y: float, z: float, yaw_deg: float = 0.0) -> Mesh:
        """The mesh turned about the vertical, then shifted."""
        return self.moved(pose(x, y, z, yaw_deg))


def pose(x: float, y: float, z: float, yaw_deg: float = 0.0) -> FloatArray:
    """4x4 rigid transform: a turn about the vertical (counter-clockwise from above), then a shift."""
    cos, sin = np.cos(np.deg2rad(yaw_deg)), np.sin(np.deg2rad(yaw_deg))
    transform = np.eye(4)
    transform[:2, :2] = [[cos, -sin], [sin, cos]]
    transform[:3, 3] = (x, y, z)
    return transform


def tilted(degrees: float, axis: int) -> FloatArray:
    """4x4 rotation about world axis 0, 1 or 2."""
    cos, sin = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    first, second = (axis + 1) % 3, (axis + 2) % 3
    transform = np.eye(4)
    transform[first, first] = transform[second, second] = cos
    transform[first, second], transform[second, first] = -sin, sin
    return transform


def merged(meshes: Sequence[Mesh]) -> Mesh:
    """Many meshes as one."""
    starts = np.cumsum([0] + [len(mesh.points) for mesh in meshes[:-1]])
    return Mesh(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.uv for mesh in meshes]),
        np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]).astype(np.int32),
    )


def grid_faces(columns: int, rows: int) -> Ints:
    """Two triangles per cell of a (rows + 1) x (columns + 1) vertex grid stored row by row."""
    corner = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    right, above, far = corner + 1, corner + columns + 1, corner + columns + 2
    lower = np.stack([corner, right, far], axis=1)
    upper = np.stack([corner, far, above], axis=1)
    return np.concatenate([lower, upper]).astype(np.int32)


def grid(slow: FloatArray, fast: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Every pair of the two, flat, the second running faster."""
    return np.repeat(slow, len(fast)), np.tile(fast, len(slow))


def rectangle(corner: Sequence[float], along: Sequence[float], up: Sequence[float], cut_m: float = CUT_M) -> Mesh:
    """A flat patch; its normal is along x up."""
    origin, edge_u, edge_v = (np.asarray(side, np.float64) for side in (corner, along, up))
    width, height = float(np.linalg.norm(edge_u)), float(np.linalg.norm(edge_v))
    columns, rows = max(1, round(width / cut_m)), max(1, round(height / cut_m))
    share_v, share_u = grid(np.linspace(0, 1, rows + 1), np.linspace(0, 1, columns + 1))
    shares = np.stack([share_u, share_v], axis=1)
    normal = np.cross(edge_u, edge_v) / (width * height)
    return Mesh(
        origin + shares @ np.stack([edge_u, edge_v]),
        np.tile(normal, (len(shares), 1)),
        shares * (width, height),
        grid_faces(columns, rows),
    )


def box(size_x: float, size_y: float, size_z: float, cut_m: float = CUT_M) -> Mesh:
    """A box standing on z = 0, centred in x and y."""
    x, y, z = size_x / 2, size_y / 2, size_z
    right, back, up = (size_x, 0, 0), (0, size_y, 0), (0, 0, size_z)
    left, front = (-size_x, 0, 0), (0, -size_y, 0)
    sides = [
        rectangle((-x, -y, 0), right, up, cut_m),
        rectangle((x, -y, 0), back, up, cut_m),
        rectangle((x, y, 0), left, up, cut_m),
        rectangle((-x, y, 0), front, up, cut_m),
        rectangle((-x, -y, z), right, back, cut_m),
        rectangle((-x, y, 0), right, front, cut_m),
    ]
    return merged(sides)


def sphere(radius: float, around: int = 40) -> Mesh:
    """A sphere about the origin; texture coordinates run from 0 to 1 both ways."""
    rings = around // 2
    polar, azimuth = grid(np.linspace(np.pi, 0, rings + 1), np.linspace(0, 2 * np.pi, around + 1))
    normals = np.stack([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)], axis=1)
    uv = np.stack([azimuth / (2 * np.pi), 1 - polar / np.pi], axis=1)
    return Mesh(normals * radius, normals, uv, grid_faces(around, rings))


def lathe(profile: Sequence[tuple[float, float]], around: int = 32, cut_m: float = CUT_M) -> Mesh:
    """A profile of (radius, z), turned about the z axis; walked upwards its normals point outwards."""
    widest = max(radius for radius, _ in profile)
    bands, walked = [], 0.0
    for (radius0, z0), (radius1, z1) in itertools.pairwise(profile):
        length = float(np.hypot(radius1 - radius0, z1 - z0))
        rows = max(1, round(length / cut_m))
        share, turn = grid(np.linspace(0, 1, rows + 1), np.linspace(0, 2 * np.pi, around + 1))
        radius = radius0 + share * (radius1 - radius0)
        outward, upward = (z1 - z0) / length, -(radius1 - radius0) / length
        points = np.stack([radius * np.cos(turn), radius * np.sin(turn), z0 + share * (z1 - z0)], axis=1)
        normals = np.stack([outward * np.cos(turn), outward * np.sin(turn), np.full_like(turn, upward)], axis=1)
        uv = np.stack([turn * widest, walked + share * length], axis=1)
        bands.append(Mesh(points, normals, uv, grid_faces(around, rows)))
        walked += length
    return merged(bands)


def cylinder(radius: float, height: float, top_radius: float | None = None, around: int = 32) -> Mesh:
    """A closed cylinder or frustum standing on z = 0."""
    top = radius if top_radius is None else top_radius
    return lathe([(1e-4, 0.0), (radius, 0.0), (top, height), (1e-4, height)], around)


def tube(path: Sequence[Sequence[float]], radius: float, around: int = 14) -> Mesh:
    """A round bar swept along a path that lies in the plane y = 0."""
    centres = np.asarray(path, np.float64)
    tangents = np.gradient(centres, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    side = np.array([0.0, 1.0, 0.0])
    lift = np.cross(tangents, side)
    turn = np.linspace(0, 2 * np.pi, around + 1)
    normals = np.cos(turn)[None, :, None] * lift[:, None] + np.sin(turn)[None, :, None] * side
    points = centres[:, None] + radius * normals
    walked = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(centres, axis=0), axis=1))])
    uv = np.stack(np.broadcast_arrays(turn[None] * radius, walked[:, None]), axis=-1)
    return Mesh(points.reshape(-1, 3), normals.reshape(-1, 3), uv.reshape(-1, 2), grid_faces(around, len(centres) - 1))
