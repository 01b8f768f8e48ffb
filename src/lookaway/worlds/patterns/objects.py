"""Textures that make single objects nameable."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import srgb
from lookaway.worlds.patterns.canvas import light, noise, pixels, tinted
from lookaway.worlds.rendering.atlas import SIDE


def ball_panels() -> Floats:
    """Grey multipliers: light and dark panels in a checker, so that rolling shows and the hue stays one."""
    rows, columns = pixels()
    dark = (rows // 64 + columns // 43) % 2 == 1
    return light(np.where(dark[..., None], 0.55, 1.0) * np.ones(3))


def crate(rng: np.random.Generator, code: str) -> Floats:
    """One side of a crate: five slats in a frame with a diagonal brace."""
    rows, columns = pixels()
    brightness = 0.78 + 0.3 * noise(rng, 1.0, column_stretch=10.0)
    brightness[rows % 51 < 4] *= 0.35
    brace = np.abs(rows - columns) < 22
    inset = np.minimum(np.minimum(rows, SIDE - 1 - rows), np.minimum(columns, SIDE - 1 - columns))
    frame = (inset < 34) | brace
    brightness[frame] = (0.92 + 0.3 * (noise(rng, 1.0, row_stretch=8.0) - 0.5))[frame]
    brightness[(inset >= 33) & (inset < 36)] *= 0.5
    brightness[(np.abs(np.abs(rows - columns) - 22) < 2) & (inset > 34)] *= 0.5
    return light(tinted(srgb(code), brightness))


def carton(rng: np.random.Generator, code: str) -> Floats:
    """Cardboard with a strip of tape."""
    rows, columns = pixels()
    image = tinted(srgb(code), 0.9 + 0.2 * (noise(rng, 1.2) - 0.5))
    image[np.abs(columns - SIDE // 2) < 14] = srgb("#d6c7a4")
    image[(rows < 4) | (columns < 4) | (rows > SIDE - 5) | (columns > SIDE - 5)] *= 0.6
    return light(image)


def pegboard(rng: np.random.Generator, code: str) -> Floats:
    """Hardboard with a lattice of holes."""
    rows, columns = pixels()
    hole = np.hypot(rows % 32 - 16, columns % 32 - 16) < 4
    image = tinted(srgb(code), 0.94 + 0.12 * (noise(rng, 1.0) - 0.5))
    image[hole] *= 0.35
    return light(image)


def clock_face() -> Floats:
    """White dial, twelve marks, two hands."""
    rows, columns = pixels()
    x, y = columns - SIDE / 2, rows - SIDE / 2
    radius, turn = np.hypot(x, y), np.degrees(np.arctan2(y, x))
    image = np.tile(srgb("#ece8dc"), (SIDE, SIDE, 1))
    mark = (radius > 92) & (radius < 114) & (np.abs((turn + 15) % 30 - 15) < 3.5)
    hour = (np.abs(x - 0.4 * y) < 7) & (y > -6) & (radius < 62)
    minute = (np.abs(y - 0.25 * x) < 5) & (x > -6) & (radius < 96)
    image[mark | hour | minute] = srgb("#2c2a28")
    return light(image)
