"""Rugs, quilts and striped cloth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import srgb
from lookaway.worlds.patterns.canvas import light, noise, pixels
from lookaway.worlds.rendering.atlas import SIDE


def rug_pattern(rng: np.random.Generator, codes: Sequence[str]) -> Floats:
    """A bordered rug: bands around a field of stepped diamonds."""
    rows, columns = pixels()
    inset = np.minimum(np.minimum(rows, SIDE - 1 - rows), np.minimum(columns, SIDE - 1 - columns))
    step = (np.abs(rows % 64 - 32) // 6 + np.abs(columns % 64 - 32) // 6).astype(int)
    field = np.array([srgb(code) for code in codes])
    colour = field[(step // 2) % len(codes)]
    teeth = inset + 6 * ((rows + columns) // 10 % 2)
    band = [inset < 6, teeth < 20, inset < 30, inset < 36]
    for choice, index in zip(band[::-1], (1, 0, 2, 1), strict=True):
        colour = np.where(choice[..., None], field[index % len(codes)], colour)
    return light(colour * (0.86 + 0.28 * (noise(rng, 0.5)[..., None] - 0.2)))


def quilt(rng: np.random.Generator, codes: Sequence[str]) -> Floats:
    """Patchwork squares with stitched seams."""
    rows, columns = pixels()
    side = SIDE // 4
    pick = rng.integers(0, len(codes), (4, 4))[rows // side, columns // side]
    colour = np.array([srgb(code) for code in codes])[pick]
    cross = (rows // 8 + columns // 8) % 4 == 0
    plain = rng.random((4, 4)) < 0.5
    colour = np.where((cross & plain[rows // side, columns // side])[..., None], colour * 1.18, colour)
    seam = (rows % side < 3) | (columns % side < 3)
    return light(np.where(seam[..., None], colour * 0.7, colour) * (0.9 + 0.2 * noise(rng, 0.7)[..., None]))


def stripes(rng: np.random.Generator, code: str, other_code: str, pairs: int = 4) -> Floats:
    """Broad stripes along texture v, as on awnings and deck chairs."""
    _, columns = pixels()
    odd = columns * 2 * pairs // SIDE % 2 == 1
    colour = np.where(odd[..., None], srgb(code), srgb(other_code))
    return light(colour * (0.9 + 0.2 * noise(rng, 0.9)[..., None]))
