"""Sky, sun and ground of a place under the open sky."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats
from lookaway.worlds.colours import RGB
from lookaway.worlds.mesh import Mesh, grid, grid_faces
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.skies import HIGHEST_DEG, LOWEST_DEG, QUARTERS
from lookaway.worlds.rendering.light import Light, column
from lookaway.worlds.rendering.soup import dot

SUN_AWAY_M = 60.0
SUN_RADIUS_M = 1.6
SKY_AWAY_M = 90.0
SKY_GLOW = 0.6
FINE_M = 0.09
COARSER = 1.28
STAGE = ((-2.6, 2.6), (-2.0, 2.8))


@dataclass(frozen=True)
class Sun(Light):
    """So far away that it shines with the same strength everywhere; its colour is what a facing surface gets."""

    def strength(self, points: Floats, normals: Floats) -> Floats:
        to_sun = column(self.centre) - points
        facing: Floats = np.maximum(dot(normals, to_sun) / np.sqrt(dot(to_sun, to_sun)), 0)
        return facing


def direction(azimuth_deg: float, elevation_deg: float) -> tuple[float, float, float]:
    """Unit vector; azimuth 0 is straight ahead, 90 to the right."""
    azimuth, elevation = np.deg2rad(azimuth_deg), np.deg2rad(elevation_deg)
    return (
        float(np.sin(azimuth) * np.cos(elevation)),
        float(np.cos(azimuth) * np.cos(elevation)),
        float(np.sin(elevation)),
    )


def sun(towards: tuple[float, float, float], colour: RGB, ambient: RGB) -> Sun:
    """A sun in that direction."""
    x, y, z = (SUN_AWAY_M * part for part in towards)
    return Sun((x, y, z), (SUN_RADIUS_M, SUN_RADIUS_M), colour, ambient)


def sky_dome(panels: Sequence[Floats]) -> list[Part]:
    """A dome around everything, one panel to each quarter."""
    width = SKY_AWAY_M * np.pi / 2
    across, upward = 10, 10
    parts = []
    for quarter, panel in enumerate(panels):
        share_v, share_u = grid(np.linspace(0, 1, upward + 1), np.linspace(0, 1, across + 1))
        azimuth = (quarter + share_u) * 2 * np.pi / QUARTERS
        elevation = np.deg2rad(LOWEST_DEG + share_v * (HIGHEST_DEG - LOWEST_DEG))
        outward = np.stack(
            [np.sin(azimuth) * np.cos(elevation), np.cos(azimuth) * np.cos(elevation), np.sin(elevation)], axis=1
        )
        texel = 0.5 / len(panel)
        uv = (texel + np.stack([share_u, share_v], axis=1) * (1 - 2 * texel)) * width
        mesh = Mesh(SKY_AWAY_M * outward, outward, uv, grid_faces(across, upward))
        parts.append(Part("sky", mesh, Material(texture=panel, tile_m=width, glow=SKY_GLOW)))
    return parts


def ground(
    x: tuple[float, float],
    y: tuple[float, float],
    fine: tuple[tuple[float, float], tuple[float, float]] | None = STAGE,
    z: float = 0.0,
) -> Mesh:
    """A level patch; cut finely over the fine part (x and y from-to) and ever more coarsely away from it."""
    fine_x, fine_y = fine or ((0.0, 0.0), ((y[0] + y[1]) / 2,) * 2)
    lines_x, lines_y = cuts(*x, *fine_x), cuts(*y, *fine_y)
    place_y, place_x = grid(lines_y, lines_x)
    points = np.stack([place_x, place_y, np.full_like(place_x, z)], axis=1)
    normals = np.tile([0.0, 0.0, 1.0], (len(points), 1))
    return Mesh(points, normals, points[:, :2].copy(), grid_faces(len(lines_x) - 1, len(lines_y) - 1))


def cuts(low: float, high: float, fine_low: float, fine_high: float) -> FloatArray:
    """Places of cuts from low to high."""
    inner_low, inner_high = np.clip([fine_low, fine_high], low, high)
    middle = np.linspace(inner_low, inner_high, max(1, round((inner_high - inner_low) / FINE_M)) + 1)
    below, above = widening(inner_low - low), widening(high - inner_high)
    return np.concatenate([inner_low - below[::-1], middle, inner_high + above])


def widening(length: float) -> FloatArray:
    """Distances up to that length, each step wider than the last; none for no length."""
    steps = [0.0]
    width = FINE_M
    while steps[-1] < length - 1e-6:
        width *= COARSER
        steps.append(steps[-1] + width)
    distances = np.array(steps[1:])
    return distances * (length / steps[-1]) if len(distances) else distances


def daylight(rng: np.random.Generator, towards: tuple[float, float, float], warmth: float = 0.3) -> Sun:
    """A sun that lights the ground about as well as lamps light a room, and a bluish sky; warmth from 0 to 1."""
    power = min(rng.uniform(0.76, 0.9) / towards[2], 2.0)
    colour = (power, power * (1 - 0.22 * warmth), power * (1 - 0.5 * warmth))
    return sun(towards, colour, (0.5, 0.525, 0.56))
