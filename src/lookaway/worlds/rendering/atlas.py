"""Square textures and their half-sized copies in one picture, looked up with bilinear filtering."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.rendering.soup import Rows, looked_up

SIDE = 256
LEVELS = 8
BORDER = 1  # repeats the opposite side, so that bilinear lookups wrap
STRIP = SIDE + 2 * BORDER
STRIP_WIDTH = sum((SIDE >> level) + 2 * BORDER for level in range(LEVELS))
STRIPS_HIGH = 100  # OpenCV wants pictures below 32768 rows
ROW = 256
HALF_OCTAVE = np.float32(np.sqrt(2))


def halved(image: Floats) -> Floats:
    """The image at half its size, each pixel the mean of four."""
    side = len(image) // 2
    smaller: Floats = image.reshape(side, 2, side, 2, 3).mean(axis=(1, 3), dtype=np.float32)
    return smaller


class Atlas:
    """Texture 0 is plain white; the others follow in the order given. A strip holds one texture at every size."""

    def __init__(self, images: Sequence[Floats]) -> None:
        textures = [np.ones((SIDE, SIDE, 3), np.float32), *images]
        columns, rows = -(-len(textures) // STRIPS_HIGH), min(len(textures), STRIPS_HIGH)
        number = np.arange(len(textures))
        self._left = (number // STRIPS_HIGH * STRIP_WIDTH).astype(np.float32)
        self._top = (number % STRIPS_HIGH * STRIP).astype(np.float32)
        self._sides = np.right_shift(SIDE, np.arange(LEVELS)).astype(np.float32)
        self._level_left = np.concatenate([[0], np.cumsum(self._sides[:-1] + 2 * BORDER)]).astype(np.float32)
        self._picture = np.zeros((rows * STRIP, columns * STRIP_WIDTH, 3), np.float32)
        for texture, image in enumerate(textures):
            self._paste(texture, image.astype(np.float32))

    def _paste(self, texture: int, image: Floats) -> None:
        top = int(self._top[texture])
        for level_left in self._level_left:
            left, side = int(self._left[texture] + level_left), len(image) + 2 * BORDER
            wrapped = np.pad(image, ((BORDER, BORDER), (BORDER, BORDER), (0, 0)), mode="wrap")
            self._picture[top : top + side, left : left + side] = wrapped
            image = halved(image)

    def sample(self, texture: Rows, uv: Floats, pixels_per_sample: Floats) -> Floats:
        """Colour (3, N) at uv (2, N; one tile = 1) where a sample covers that many full-size texture pixels."""
        import cv2

        count = len(texture)
        level = nearest_octave(pixels_per_sample)
        side = looked_up(self._sides, level)
        places = np.empty((2, (count // ROW + 1) * ROW), np.float32)
        places[:, count:] = 0
        within = places[:, :count]
        np.subtract(uv, np.floor(uv, out=within), out=within)
        within *= side
        within += np.float32(BORDER - 0.5)
        within[0] += looked_up(self._level_left, level)
        within[0] += looked_up(self._left, texture)
        within[1] += looked_up(self._top, texture)
        x, y = places.reshape(2, -1, ROW)
        found = cv2.remap(self._picture, x, y, cv2.INTER_LINEAR)
        return np.ascontiguousarray(found.reshape(-1, 3)[:count].T, np.float32)


def nearest_octave(ratio: Floats) -> Rows:
    """The texture level whose pixels come nearest to that size: log2, rounded, read off the float's exponent."""
    exponent = np.right_shift((np.maximum(ratio, 1) * HALF_OCTAVE).view(np.int32), 23) - 127
    level: Rows = np.minimum(exponent, LEVELS - 1).astype(np.intp)
    return level
