"""One soft area light near the ceiling and an even ambient glow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import RGB
from lookaway.worlds.rendering.soup import Soup

GOLDEN_ANGLE = 2.39996
LIFT_M = np.float32(3e-3)


@dataclass(frozen=True)
class Light:
    """An elliptic lamp that faces down; colours are linear."""

    centre: tuple[float, float, float]
    radii: tuple[float, float]
    colour: RGB
    ambient: RGB

    def sample_points(self, count: int) -> Floats:
        """Points spread evenly over the lamp."""
        index = np.arange(count)
        radius, turn = np.sqrt((index + 0.5) / count), index * GOLDEN_ANGLE
        offsets = np.stack(
            [radius * np.cos(turn) * self.radii[0], radius * np.sin(turn) * self.radii[1], 0 * turn], axis=1
        )
        return (offsets + self.centre).astype(np.float32)

    def strength(self, points: Floats, normals: Floats) -> Floats:
        """Unshadowed light that reaches a surface, as a factor of the lamp's colour."""
        to_lamp = np.asarray(self.centre, np.float32) - points
        squared = np.einsum("ij,ij->i", to_lamp, to_lamp)
        distance = np.sqrt(squared)
        facing = np.clip(np.einsum("ij,ij->i", normals, to_lamp) / distance, 0, 1)
        downward = np.clip(0.35 + 0.65 * to_lamp[:, 2] / distance, 0, 1)
        factor: Floats = (facing * downward / squared).astype(np.float32)
        return factor

    def reach(self, points: Floats, normals: Floats, blockers: Sequence[Soup], count: int) -> Floats:
        """Share of the lamp each point sees past the blockers: 0 full shadow, 1 fully lit."""
        lifted = points + normals * LIFT_M
        seen = np.zeros(len(points), np.float32)
        for target in self.sample_points(count):
            hidden = np.zeros(len(points), bool)
            for soup in blockers:
                hidden |= soup.blocked(lifted, target - lifted)
            seen += ~hidden
        return seen / np.float32(count)
