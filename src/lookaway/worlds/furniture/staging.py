"""What processes stand on: a wooden table, a ramp; and rounded blocks to build things from."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.furniture.tables import table
from lookaway.worlds.mesh import Mesh, box, sphere
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.surfaces import wood

PALE_WOOD = "#b5895a"


def lengthwise(rng: np.random.Generator, code: str = PALE_WOOD) -> Material:
    """Polished wood with its grain along x on level surfaces."""
    return Material(texture=wood(rng, code).transpose(1, 0, 2).copy(), tile_m=0.9, shine=0.06)


def wooden_table(rng: np.random.Generator, width: float, depth: float, height: float) -> list[Part]:
    """A plain table of pale wood; its top surface is at that height, its middle at y = 0."""
    return table(lengthwise(rng), width, depth, height)


def ramp(length: float, width: float, left: float, right: float) -> Mesh:
    """A board-topped wedge along x about the origin, that high at its left and right end."""
    block = box(length, width, 1.0)
    points, normals = block.points.copy(), block.normals.copy()
    slope = (right - left) / length
    points[:, 2] *= left + slope * (points[:, 0] + length / 2)
    normals[normals[:, 2] > 0] = np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0)
    return Mesh(points, normals, block.uv, block.faces)


def rounded_block(size_x: float, size_y: float, size_z: float, sharpness: float = 5.0, around: int = 32) -> Mesh:
    """A cushion-like block standing on z = 0, centred in x and y; sharpness 2 is an ellipsoid, more is boxier."""
    ball = sphere(1.0, around)
    unit = ball.normals / np.linalg.norm(ball.normals, ord=sharpness, axis=1, keepdims=True)
    half = np.array([size_x, size_y, size_z]) / 2
    normals = np.sign(unit) * np.abs(unit) ** (sharpness - 1) / half
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(unit * half + (0.0, 0.0, size_z / 2), normals, ball.uv, ball.faces)
