"""Plants, lamps and ladders."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, sphere, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.surfaces import leaf

FOLIAGE = ("#5f8f4a", "#4f7a52", "#b89a5c")
LEAVES = 26


def plant(rng: np.random.Generator, palette: Palette, pot_code: str) -> list[Part]:
    """A potted plant of long arching leaves; straw-coloured where green belongs to the subject."""
    pot = lathe([(1e-4, 0), (0.13, 0), (0.18, 0.3), (0.2, 0.3), (0.2, 0.34), (0.16, 0.34), (0.15, 0.3), (1e-4, 0.3)])
    code = palette.choose(rng, FOLIAGE)
    leaves = []
    for number in range(LEAVES):
        turn = number * 137.5 + rng.uniform(-12, 12)
        lean = 8 + 40 * number / LEAVES
        leaves.append(leaf_blade(rng.uniform(0.46, 0.6)).moved(pose(0, 0, 0.3, turn) @ tilted(lean, 1)))
    foliage = Material(texture=leaf(rng, code), tile_m=0.3, shine=0.06)
    return [
        Part("potted plant", pot.at(0, -0.5, 0), Material(linear(pot_code), shine=0.08)),
        Part("potted plant", merged(leaves).at(0, -0.5, 0), foliage),
    ]


def leaf_blade(length: float) -> Mesh:
    """A flat ellipsoid that stands on z = 0."""
    stretch = np.diag([0.012, 0.062, length / 2, 1.0])
    stretch[2, 3] = length / 2
    return sphere(1.0, 12).moved(stretch)


def floor_lamp(shade_code: str) -> list[Part]:
    """A standing lamp with a lit cloth shade."""
    dark = Material(linear("#3a3532"), shine=0.3)
    stand = merged([cylinder(0.15, 0.03), cylinder(0.016, 1.3, around=12)]).at(0, -0.3, 0)
    shade = lathe([(0.22, 0), (0.13, 0.32)]).at(0, -0.3, 1.25)
    rims = merged([lathe([(0.223, 0), (0.223, 0.012)]), lathe([(0.132, 0.31), (0.132, 0.322)])]).at(0, -0.3, 1.25)
    return [
        Part("floor lamp", stand, dark),
        Part("floor lamp", shade, Material(linear(shade_code), glow=0.75)),
        Part("floor lamp", rims, Material(linear("#8d8272"))),
    ]


def ladder(texture: Floats) -> list[Part]:
    """A wooden ladder leaning on the wall."""
    rails = [box(0.06, 0.035, 2.3).at(side * 0.2, 0, 0) for side in (-1, 1)]
    rungs = [box(0.36, 0.03, 0.035).at(0, 0, 0.25 + 0.27 * number) for number in range(7)]
    lean = pose(0, -0.62, 0.01) @ tilted(-14, 0)
    return [Part("ladder", merged(rails + rungs).moved(lean), Material(texture=texture, tile_m=0.8))]
