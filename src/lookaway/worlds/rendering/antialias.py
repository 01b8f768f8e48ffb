"""Which pixels need more than one ray, and where those rays go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lookaway.worlds.arrays import Bytes, Floats, Ints, Mask
from lookaway.worlds.rendering.soup import Rows, dot, looked_up

Shorts: TypeAlias = npt.NDArray[np.int16]

SUBPIXELS = np.array([(0.125, 0.625), (0.375, 0.125), (0.625, 0.875), (0.875, 0.375)], np.float32)
CREASE_COSINE = 0.8
SAME_COLOUR = 10  # display steps; jags between colours this close are not seen
BRIGHTEST = np.float32(1.5)
LEFT, RIGHT, ABOVE, BELOW = range(4)


@dataclass(frozen=True)
class Centres:
    """Part (N,) and normal (3, N), with unit 127, at the centres of all pixels."""

    part: Ints
    normals: npt.NDArray[np.int8]

    def differ(self, pixels: Rows, part: Rows, normals: Floats) -> Mask:
        """Where another part or a bent surface was met than at the centre of that pixel."""
        differ: Mask = part != self.part.take(pixels)
        differ |= dot(normals, self.normals.take(pixels, axis=1).astype(np.float32)) < CREASE_COSINE * 127
        return differ


def edges(part: Ints, normals: npt.NDArray[np.int8], rgb: Bytes) -> Mask:
    """On which sides of each pixel another part or a crease begins that can be seen.

    Takes (H, W), (3, H, W) with unit 127, and (H, W, 3); gives (4, H, W): left, right, above, below.
    """
    sides = np.zeros((4, *part.shape), bool)
    wide = normals.astype(np.float32)
    colours = np.moveaxis(rgb, -1, 0).astype(np.int16, order="C")
    across = _differ(part[:, :-1], part[:, 1:], wide[:, :, :-1], wide[:, :, 1:], colours[:, :, :-1], colours[:, :, 1:])
    down = _differ(part[:-1], part[1:], wide[:, :-1], wide[:, 1:], colours[:, :-1], colours[:, 1:])
    sides[RIGHT, :, :-1] = sides[LEFT, :, 1:] = across
    sides[BELOW, :-1] = sides[ABOVE, 1:] = down
    return sides


def _differ(part: Ints, other: Ints, normal: Floats, bent: Floats, colour: Shorts, shown: Shorts) -> Mask:
    differ: Mask = part != other
    differ |= dot(normal, bent) < CREASE_COSINE * 127**2
    differ &= (np.abs(colour - shown) > SAME_COLOUR).any(axis=0)
    return differ


def subpixels_beside(sides: Mask) -> Mask:
    """Which of a pixel's rays may meet something else than the ray through its centre; (4, N) to (N, 4)."""
    across = np.where(SUBPIXELS[:, 0] < 0.5, LEFT, RIGHT)
    down = np.where(SUBPIXELS[:, 1] < 0.5, ABOVE, BELOW)
    asked: Mask = np.ascontiguousarray((sides[across] | sides[down]).T)
    return asked


def grown(mask: Mask) -> Mask:
    """The mask and its eight neighbours."""
    rows = mask.copy()
    rows[1:] |= mask[:-1]
    rows[:-1] |= mask[1:]
    wide = rows.copy()
    wide[:, 1:] |= rows[:, :-1]
    wide[:, :-1] |= rows[:, 1:]
    return wide


def subpixel_places(pixels: Rows, subpixel: Rows, width: int) -> tuple[Floats, Floats]:
    """Image x and y of the numbered rays of pixels given by their flat numbers."""
    row, column = np.divmod(pixels.astype(np.int32), np.int32(width))
    x, y = SUBPIXELS.T.take(subpixel, axis=1)
    return x + column.astype(np.float32), y + row.astype(np.float32)


def ray_places(asked: Mask) -> Rows:
    """Where the four rays of N pixels stand, (4, N), if those asked (N, 4) come first and all pixels' centres then.

    For a ray that was not asked the pixel's centre stands in.
    """
    count = asked.cumsum().reshape(asked.shape)
    stand_in = np.arange(len(asked)) + asked.sum()
    places: Rows = np.where(asked.T, count.T - 1, stand_in)
    return places


def pixel_means(colours: Floats, centre: Floats, places: Rows) -> Floats:
    """Mean colour (3, N) of pixels, from the colours of their rays and centres; very bright ones are capped."""
    known = np.minimum(np.concatenate([colours, centre], axis=1), BRIGHTEST)
    mean = looked_up(known, places[0])
    for rest in places[1:]:
        mean += looked_up(known, rest)
    mean *= np.float32(1 / len(SUBPIXELS))
    return mean
