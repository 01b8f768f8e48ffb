"""Which pixels need more than one ray, and where those rays go."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats, Ints, Mask

SUBPIXELS = np.array([(0.125, 0.625), (0.375, 0.125), (0.625, 0.875), (0.875, 0.375)], np.float32)
CREASE_COSINE = 0.8


def edges(part: Ints, normals: Floats) -> Mask:
    """Pixels beside a change of part or a crease; (H, W) and (H, W, 3) in, (H, W) out."""
    found = np.zeros(part.shape, bool)
    for axis in (0, 1):
        before = tuple(slice(None, -1) if which == axis else slice(None) for which in (0, 1))
        after = tuple(slice(1, None) if which == axis else slice(None) for which in (0, 1))
        bend = np.einsum("ijk,ijk->ij", normals[before], normals[after]) < CREASE_COSINE
        change = (part[before] != part[after]) | bend
        found[before] |= change
        found[after] |= change
    return found


def grown(mask: Mask) -> Mask:
    """The mask and its eight neighbours."""
    rows = mask.copy()
    rows[1:] |= mask[:-1]
    rows[:-1] |= mask[1:]
    wide = rows.copy()
    wide[:, 1:] |= rows[:, :-1]
    wide[:, :-1] |= rows[:, 1:]
    return wide


def subpixel_places(pixels: Ints, width: int) -> tuple[Floats, Floats]:
    """Image x and y of four rays for each flat pixel number, pixel after pixel."""
    x = (pixels % width)[:, None] + SUBPIXELS[:, 0]
    y = (pixels // width)[:, None] + SUBPIXELS[:, 1]
    return x.ravel().astype(np.float32), y.ravel().astype(np.float32)


def pixel_mean(colours: Floats) -> Floats:
    """Mean over each pixel's rays; very bright ones are capped so that they cannot drown the others."""
    mean: Floats = np.clip(colours, 0, 1.5).reshape(-1, len(SUBPIXELS), 3).mean(axis=1)
    return mean
