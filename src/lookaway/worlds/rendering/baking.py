"""Light that does not move, worked out once: lamp light and openness to the room on every static vertex."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.rendering.light import GOLDEN_ANGLE, LIFT_M, Lamp, Light
from lookaway.worlds.rendering.soup import Soup, Spread, dot

LAMP_SAMPLES = 12
OPENNESS_SAMPLES = 12
OPENNESS_REACH_M = 0.9
PULL_INWARD = np.float32(0.3)
UNLIT = 1e-4


def baked(soup: Soup, light: Light, lamp: Lamp | None, rng: np.random.Generator) -> Spread:
    """Direct light, ambient light and, if there is a lamp, its visibility, over the soup's triangles."""
    points, normals = inner_points(soup), soup.normals
    direct = light.strength(points, normals)
    lit = np.flatnonzero(direct > UNLIT)
    direct[lit] *= light.reach(points[:, lit], normals[:, lit], [soup], LAMP_SAMPLES)
    around = smoothed(soup, openness(soup, points, normals, rng)) * skylight(normals)
    values = [direct, around]
    if lamp is not None:
        values.append(smoothed(soup, lamp.seen_from(points, normals, soup), rounds=1))
    return Spread(np.stack(values).astype(np.float32), soup.faces)


def skylight(normals: Floats) -> Floats:
    """Ambient light by direction: a little more from above."""
    share: Floats = np.float32(0.88) + np.float32(0.12) * normals[2]
    return share


def inner_points(soup: Soup) -> Floats:
    """Vertices pulled a little into their own surface, so that corners do not sample inside others."""
    count = soup.points.shape[1]
    centroids = soup.points[:, soup.faces].mean(axis=2)
    corners = soup.faces.ravel()
    sums = np.stack([np.bincount(corners, np.repeat(centroids[axis], 3), count) for axis in range(3)])
    inward = (sums / np.maximum(np.bincount(corners, minlength=count), 1)).astype(np.float32)
    return soup.points + (inward - soup.points) * PULL_INWARD


def openness(soup: Soup, points: Floats, normals: Floats, rng: np.random.Generator) -> Floats:
    """Share of the half space above each point that is free within reach."""
    helper = np.where(np.abs(normals[2]) < 0.9, [[0.0], [0.0], [1.0]], [[1.0], [0.0], [0.0]]).astype(np.float32)
    side = np.cross(normals, helper, axis=0)
    side /= np.sqrt(dot(side, side))
    other = np.cross(normals, side, axis=0)
    spin = rng.uniform(0, 2 * np.pi, points.shape[1])
    lifted = points + normals * LIFT_M
    free = np.zeros(points.shape[1], np.float32)
    for index in range(OPENNESS_SAMPLES):
        radius = np.sqrt((index + 0.5) / OPENNESS_SAMPLES)
        turn = spin + index * GOLDEN_ANGLE
        sideways = np.cos(turn) * side + np.sin(turn) * other
        direction = radius * sideways + np.sqrt(1 - radius**2) * normals
        free += ~soup.blocked(lifted, (direction * OPENNESS_REACH_M).astype(np.float32))
    return free / np.float32(OPENNESS_SAMPLES)


def smoothed(soup: Soup, values: Floats, rounds: int = 3) -> Floats:
    """Values averaged with those of neighbouring vertices."""
    ends = soup.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    here, there = np.concatenate([ends, ends[:, ::-1]]).T
    count = soup.points.shape[1]
    shares = np.bincount(here, minlength=count) + 1
    for _ in range(rounds):
        values = ((np.bincount(here, values[there], count) + values) / shares).astype(np.float32)
    return values
