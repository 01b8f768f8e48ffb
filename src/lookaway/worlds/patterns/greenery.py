"""Leaves, blossoms and bark."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import srgb
from lookaway.worlds.patterns.canvas import light, noise, tinted
from lookaway.worlds.rendering.atlas import SIDE

LEAVES = 360


def foliage(rng: np.random.Generator, code: str, blossoms: Sequence[str] = ()) -> Floats:
    """Overlapping leaves over a dark ground, some blossoms among them if any colours are given."""
    image = tinted(srgb(code), 0.42 + 0.35 * noise(rng, 0.9))
    for number in range(LEAVES):
        deep = 0.62 + 0.5 * number / LEAVES
        stamp(rng, image, srgb(code) * deep * rng.uniform(0.8, 1.25), rng.uniform(10, 16), rng.uniform(4, 6.5))
    for _ in range(70 if blossoms else 0):
        blossom = srgb(blossoms[int(rng.integers(len(blossoms)))])
        stamp(rng, image, blossom * rng.uniform(0.85, 1.1), rng.uniform(5, 8), rng.uniform(5, 8))
    return light(image)


def stamp(rng: np.random.Generator, image: Floats, colour: Floats, length: float, width: float) -> None:
    """One ellipse somewhere on a tile, turned at random and shaded along its length."""
    row, column, turn = rng.integers(SIDE), rng.integers(SIDE), rng.uniform(0, np.pi)
    reach = np.arange(-int(length) - 1, int(length) + 2)
    along = (reach[:, None] * np.sin(turn) + reach[None, :] * np.cos(turn)) / length
    across = (reach[:, None] * np.cos(turn) - reach[None, :] * np.sin(turn)) / width
    rows, columns = np.nonzero(along**2 + across**2 < 1)
    shade = 0.9 + 0.2 * along[rows, columns] - 0.16 * (np.abs(across[rows, columns]) < 0.2)
    image[(row + rows) % SIDE, (column + columns) % SIDE] = colour * shade[:, None]


def bark(rng: np.random.Generator, code: str) -> Floats:
    """Furrows along texture v."""
    furrows = noise(rng, 0.8, row_stretch=7.0)
    brightness = 0.5 + 0.75 * furrows + 0.3 * (noise(rng, 1.5) - 0.5)
    brightness[furrows < 0.3] *= 0.6
    return light(tinted(srgb(code), brightness))
