"""Lamps under the ceiling: what shines, and what is seen of it."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.colours import linear
from lookaway.worlds.mesh import lathe, merged, pose
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.rendering.light import Light

BELOW_CEILING_M = 0.1


def ceiling_light(rng: np.random.Generator, height: float, power: tuple[float, float] = (5.0, 5.8)) -> Light:
    """A round lamp somewhere over the middle of a room of that height, warm to neutral."""
    warmth = rng.uniform(0, 1)
    strength = rng.uniform(*power)
    return Light(
        centre=(rng.uniform(-0.9, 0.9), rng.uniform(-1.1, -0.2), height - BELOW_CEILING_M),
        radii=(0.26, 0.26),
        colour=(strength, strength * (0.97 - 0.05 * warmth), strength * (0.92 - 0.14 * warmth)),
        ambient=(0.46, 0.46, 0.46 - 0.02 * warmth),
    )


def ceiling_lamp(light: Light, height: float) -> list[Part]:
    """The shade of that light: a bright disc in a rim that hangs from a ceiling of that height."""
    x, y, z = light.centre
    disc = lathe([(1e-4, 0.0), (1.0, 0.0)])
    rim = lathe([(1.1, 0.0), (1.1, (height - z) * 0.6), (0.4, height - z)])
    ring = lathe([(1.0, 0.0), (1.1, 0.0)])
    stretch = pose(x, y, z + 0.008) @ np.diag([*light.radii, 1.0, 1.0])
    return [
        Part("ceiling lamp", disc.moved(stretch), Material(linear("#fff4dc"), glow=1.2)),
        Part("ceiling lamp", merged([rim, ring]).moved(stretch), Material(linear("#b9b2a4"))),
    ]
