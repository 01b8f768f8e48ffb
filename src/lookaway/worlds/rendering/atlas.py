"""Square textures and their half-sized copies in one buffer, looked up with bilinear filtering."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import Floats, Ints

SIDE = 256
LEVELS = 8


def halved(image: Floats) -> Floats:
    """The image at half its size, each pixel the mean of four."""
    side = len(image) // 2
    smaller: Floats = image.reshape(side, 2, side, 2, 3).mean(axis=(1, 3), dtype=np.float32)
    return smaller


class Atlas:
    """Texture 0 is plain white; the others follow in the order given."""

    def __init__(self, images: Sequence[Floats]) -> None:
        pixels: list[Floats] = []
        starts: list[list[int]] = []
        filled = 0
        for image in [np.ones((SIDE, SIDE, 3), np.float32), *images]:
            level_image, level_starts = image, []
            for _ in range(LEVELS):
                level_starts.append(filled)
                pixels.append(level_image.reshape(-1, 3))
                filled += len(pixels[-1])
                level_image = halved(level_image)
            starts.append(level_starts)
        self._pixels = np.concatenate(pixels).astype(np.float32)
        self._starts = np.array(starts, np.int32)

    def sample(self, texture: Ints, uv: Floats, pixels_per_sample: Floats) -> Floats:
        """Colour at uv (one tile = 1) where a sample covers that many full-size texture pixels."""
        level = np.clip(np.rint(np.log2(pixels_per_sample + np.float32(1e-6))), 0, LEVELS - 1).astype(np.int32)
        side = np.right_shift(SIDE, level)
        start = self._starts[texture, level]
        place = uv * side[:, None] - np.float32(0.5)
        corner = np.floor(place).astype(np.int32)
        share = (place - corner).astype(np.float32)
        wrap = side - 1
        left, right = corner[:, 0] & wrap, (corner[:, 0] + 1) & wrap
        low = start + (corner[:, 1] & wrap) * side
        high = start + ((corner[:, 1] + 1) & wrap) * side
        across, upward = share[:, :1], share[:, 1:]
        below = self._mix(low + left, low + right, across)
        above = self._mix(high + left, high + right, across)
        colour: Floats = below + (above - below) * upward
        return colour

    def _mix(self, first: Ints, second: Ints, share: Floats) -> Floats:
        start = self._pixels[first]
        return start + (self._pixels[second] - start) * share
