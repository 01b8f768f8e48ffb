"""Roof tiles and boarded walls."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import srgb
from lookaway.worlds.patterns.canvas import light, noise, pixels, tinted
from lookaway.worlds.rendering.atlas import SIDE


def roof_tiles(rng: np.random.Generator, code: str) -> Floats:
    """Eight rows of rounded tiles, each row over the next."""
    rows, columns = pixels()
    side = SIDE // 8
    row = rows // side
    along = (columns + (row % 2) * side // 2) % SIDE
    tone = rng.uniform(0.74, 1.1, (8, 8))[row, along // side]
    down = 1 - rows % side / side
    beside = np.abs(along % side / side - 0.5) * 2
    edge = down > 1.02 - 0.42 * beside**2
    brightness = tone * (0.82 + 0.3 * noise(rng, 0.9)) * (0.72 + 0.34 * down)
    return light(tinted(srgb(code), np.where(edge, brightness * 0.5, brightness)))


def boarding(rng: np.random.Generator, code: str, boards: int = 6) -> Floats:
    """Upright boards along texture v with dark gaps and knots, as on a shed or fence."""
    _, columns = pixels()
    width = SIDE / boards
    tone = rng.uniform(0.8, 1.1, boards)[(columns / width).astype(int)]
    brightness = tone * (0.72 + 0.42 * noise(rng, 1.0, row_stretch=12.0))
    brightness *= np.where(noise(rng, 1.1) > 0.9, 0.6, 1.0)
    brightness[columns % width < 3] *= 0.42
    return light(tinted(srgb(code), brightness))
