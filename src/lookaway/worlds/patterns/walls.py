"""Walls and ceilings with a pattern of their own."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import srgb
from lookaway.worlds.patterns.canvas import light, noise, pixels, tinted
from lookaway.worlds.patterns.surfaces import plaster
from lookaway.worlds.rendering.atlas import SIDE


def wall_tiles(rng: np.random.Generator, code: str, accent_code: str) -> Floats:
    """Glazed square tiles, eight to a side; some carry a small diamond."""
    rows, columns = pixels()
    side = SIDE // 8
    row, column = rows // side, columns // side
    tone = rng.uniform(0.9, 1.06, (8, 8))[row, column] * (0.94 + 0.12 * noise(rng, 1.4))
    colour = tinted(srgb(code), tone)
    diamond = np.abs(rows % side - side // 2) + np.abs(columns % side - side // 2) < 9
    adorned = (rng.random((8, 8)) < 0.25)[row, column]
    colour = np.where((diamond & adorned)[..., None], srgb(accent_code), colour)
    joint = (rows % side < 2) | (columns % side < 2)
    return light(np.where(joint[..., None], srgb("#8f8b82"), colour))


def panelled(rng: np.random.Generator, code: str) -> Floats:
    """Painted square panels with a moulding, two to a side."""
    rows, columns = pixels()
    side = SIDE // 2
    inset = np.minimum(
        np.minimum(rows % side, side - 1 - rows % side), np.minimum(columns % side, side - 1 - columns % side)
    )
    shade = np.select([inset < 3, inset < 14, inset < 18, inset < 24, inset < 27], [0.8, 0.98, 0.87, 1.02, 0.9], 1.0)
    return plaster(rng, code) * (shade[..., None] ** 2.2).astype(np.float32)


def ceiling_panels(rng: np.random.Generator, code: str) -> Floats:
    """Speckled panels in a metal grid, as in offices and schools, two to a side."""
    rows, columns = pixels()
    side = SIDE // 2
    brightness = 0.93 + 0.16 * (noise(rng, 0.3) - 0.5)
    brightness[noise(rng, 0.2) > 0.84] *= 0.82
    brightness[(rows % side < 4) | (columns % side < 4)] = 0.7
    return light(tinted(srgb(code), brightness))


def dotted(rng: np.random.Generator, code: str, motif_code: str) -> Floats:
    """Nursery wallpaper: stars and dots in staggered rows."""
    rows, columns = pixels()
    side = SIDE // 4
    row = rows // side
    x, y = (columns + (row % 2) * side // 2) % side - side / 2, rows % side - side / 2
    number = ((columns + (row % 2) * side // 2) % SIDE) // side
    radius, turn = np.hypot(x, y), np.arctan2(y, x)
    star = radius < 12 + 5 * np.cos(5 * turn)
    dot = radius < 8
    motif = np.where((row + number) % 2 == 0, star, dot)
    colour = np.where(motif[..., None], srgb(motif_code), srgb(code))
    return light(colour * (0.95 + 0.1 * (noise(rng, 0.8)[..., None] - 0.5)))
