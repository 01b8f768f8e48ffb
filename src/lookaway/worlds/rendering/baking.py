"""Light that does not move, worked out once: lamp light and openness to the room on every static vertex."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.rendering.light import GOLDEN_ANGLE, LIFT_M, Light
from lookaway.worlds.rendering.soup import Soup

LAMP_SAMPLES = 12
OPENNESS_SAMPLES = 12
OPENNESS_REACH_M = 0.9
PULL_INWARD = np.float32(0.3)


def bake(soup: Soup, light: Light, rng: np.random.Generator) -> None:
    """Store (direct, openness) on the soup's vertices."""
    points = inner_points(soup)
    normals = soup.normals
    direct = light.strength(points, normals)
    lit = np.flatnonzero(direct > 1e-4)
    direct[lit] *= light.reach(points[lit], normals[lit], [soup], LAMP_SAMPLES)
    soup.keep_light(direct, smoothed(soup, openness(soup, points, normals, rng)))


def inner_points(soup: Soup) -> Floats:
    """Vertices pulled a little into their own surface, so that corners do not sample inside others."""
    centroids = soup.points[soup.faces].mean(axis=1)
    corners = soup.faces.ravel()
    sums = np.stack(
        [np.bincount(corners, np.repeat(centroids[:, axis], 3), len(soup.points)) for axis in range(3)],
        axis=1,
    )
    shares = np.bincount(corners, minlength=len(soup.points))[:, None]
    inward = (sums / np.maximum(shares, 1)).astype(np.float32)
    return soup.points + (inward - soup.points) * PULL_INWARD


def openness(soup: Soup, points: Floats, normals: Floats, rng: np.random.Generator) -> Floats:
    """Share of the half space above each point that is free within reach."""
    helper = np.where(np.abs(normals[:, 2:]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    side = np.cross(normals, helper)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(normals, side)
    spin = rng.uniform(0, 2 * np.pi, len(points))
    free = np.zeros(len(points), np.float32)
    for index in range(OPENNESS_SAMPLES):
        radius = np.sqrt((index + 0.5) / OPENNESS_SAMPLES)
        turn = spin + index * GOLDEN_ANGLE
        sideways = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * other
        direction = radius * sideways + np.sqrt(1 - radius**2) * normals
        free += ~soup.blocked(points + normals * LIFT_M, direction * OPENNESS_REACH_M)
    return free / np.float32(OPENNESS_SAMPLES)


def smoothed(soup: Soup, values: Floats, rounds: int = 3) -> Floats:
    """Values averaged with those of neighbouring vertices."""
    ends = soup.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    here, there = np.concatenate([ends, ends[:, ::-1]]).T
    count = len(soup.points)
    shares = np.bincount(here, minlength=count) + 1
    for _ in range(rounds):
        values = ((np.bincount(here, values[there], count) + values) / shares).astype(np.float32)
    return values
