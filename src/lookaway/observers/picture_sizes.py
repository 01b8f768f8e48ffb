"""Pictures as models want to be shown them: sized, cut and toned, the way the publishers' own processors do it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lookaway.observers.learned import IMAGENET_MEAN, IMAGENET_STD

Picture = NDArray[np.uint8]
Pixels = NDArray[np.float32]  # (3, height, width)


class Tones(NamedTuple):
    """What is subtracted from RGB of 0 to 1, and what the rest is divided by."""

    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]


IMAGENET = Tones(IMAGENET_MEAN, IMAGENET_STD)
CLIP = Tones(
    np.array([0.48145466, 0.4578275, 0.40821073], np.float32),
    np.array([0.26862954, 0.26130258, 0.27577711], np.float32),
)


def middle_square(rgb: Picture, short_side: int, side: int, tones: Tones) -> Pixels:
    """The middle of a picture whose shorter side was scaled to `short_side` pixels."""
    height, width = rgb.shape[:2]
    shorter = min(height, width)
    sized = _sized(rgb, short_side * width // shorter, short_side * height // shorter)
    top, left = (sized.shape[0] - side) // 2, (sized.shape[1] - side) // 2
    return toned(sized[top : top + side, left : left + side], tones)


def whole_view(rgb: Picture, short_side: int, patch: int, tones: Tones) -> Pixels:
    """All of a picture, its shorter side about `short_side` pixels, both sides in whole patches; nothing is cut off."""
    height, width = rgb.shape[:2]
    scale = short_side / min(height, width)
    rows, columns = (max(1, round(side * scale / patch)) for side in (height, width))
    return toned(_sized(rgb, columns * patch, rows * patch), tones)


def depth_view(rgb: Picture, side: int, patch: int, tones: Tones) -> Pixels:
    """All of a picture, scaled as little as makes one of its sides `side` pixels long, both in whole patches."""
    height, width = rgb.shape[:2]
    scale = min(side / height, side / width, key=lambda scale: abs(1 - scale))
    rows, columns = (round(each * scale / patch) for each in (height, width))
    return toned(_sized(rgb, columns * patch, rows * patch), tones)


def toned(rgb: Picture, tones: Tones) -> Pixels:
    pixels = (rgb.astype(np.float32) / 255 - tones.mean) / tones.deviation
    return np.ascontiguousarray(pixels.transpose(2, 0, 1), np.float32)


def _sized(rgb: Picture, width: int, height: int) -> Picture:
    return np.asarray(Image.fromarray(rgb).resize((width, height), Image.Resampling.BICUBIC))
