"""The frames of a clip as the tracker looks at them: small, each made when it is asked for and kept for a while."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.trajectory import pinhole
from lookaway.observers import Flags, Floats

WIDTH = 320
KEPT = 200  # frames: most clips whole, and never more than about 80 MB
LIT = 0.3  # of the first frame's brightness: a darker frame shows nothing
PLATE_BLUR = 1.2  # pixels: places are compared through it, so that a pixel's shift is no change
LEVELS = (12, 28, 28)  # of Lab lightness and the two colour axes

Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Bins = NDArray[np.int16]


class Pictures:
    """A clip at 320 pixels across, and where its camera looked."""

    def __init__(self, rgb: Image, seconds: Floats, rotations: Floats, trusted: Flags, hfov_deg: float) -> None:
        height, width = rgb.shape[1:3]
        self.rgb, self.seconds, self.rotations, self.trusted = rgb, seconds, rotations, trusted
        self.size = WIDTH, max(8, round(height * WIDTH / width))
        self.lens = pinhole(*self.size, hfov_deg)
        self.fps = 1 / float(np.median(np.diff(seconds)))
        self.lab: Callable[[int], Image] = lru_cache(KEPT)(self._lab)
        self.grey: Callable[[int], Image] = lru_cache(KEPT)(self._grey)
        self.bins: Callable[[int], Bins] = lru_cache(KEPT)(self._bins)
        self.places: Callable[[int], Image] = lru_cache(KEPT)(self._places)

    def __len__(self) -> int:
        return len(self.rgb)

    @property
    def shape(self) -> tuple[int, int]:
        return self.size[1], self.size[0]

    def small(self, i: int) -> Image:
        if self.rgb.shape[1:3] == self.shape:
            return np.asarray(self.rgb[i])
        shrinking = self.rgb.shape[2] > WIDTH
        how = cv2.INTER_AREA if shrinking else cv2.INTER_LINEAR
        return np.asarray(cv2.resize(self.rgb[i], self.size, interpolation=how), np.uint8)

    def lit(self, i: int) -> bool:
        return float(self.grey(i).mean()) >= LIT * float(self.grey(0).mean())

    def turned(self, there: int, here: int) -> Floats:
        """The homography from pixels of one frame to pixels of another, by their cameras' turns alone."""
        turn = self.rotations[here].T @ self.rotations[there]
        return np.asarray(self.lens @ turn @ np.linalg.inv(self.lens))

    def direction(self, mask: Mask, i: int) -> Floats:
        """Unit ray to a mask's middle, in the first camera's axes."""
        rows, columns = np.nonzero(mask)
        ray = self.rotations[i] @ np.linalg.inv(self.lens) @ [columns.mean() + 0.5, rows.mean() + 0.5, 1.0]
        return np.asarray(ray / np.linalg.norm(ray))

    def _lab(self, i: int) -> Image:
        return np.asarray(cv2.cvtColor(self.small(i), cv2.COLOR_RGB2LAB), np.uint8)

    def _grey(self, i: int) -> Image:
        return np.asarray(cv2.cvtColor(self.small(i), cv2.COLOR_RGB2GRAY), np.uint8)

    def _places(self, i: int) -> Image:
        return np.asarray(cv2.GaussianBlur(self.lab(i), (0, 0), PLATE_BLUR), np.uint8)

    def _bins(self, i: int) -> Bins:
        """Each pixel's colour as one number; see LEVELS."""
        return np.asarray(sum(STEPS[k][self.lab(i)[..., k]] for k in range(3)), np.int16)


def _steps() -> list[Bins]:
    strides = (LEVELS[1] * LEVELS[2], LEVELS[2], 1)
    return [(np.arange(256) * n // 256 * stride).astype(np.int16) for n, stride in zip(LEVELS, strides, strict=True)]


STEPS = _steps()


def degrees_between(one: Floats, other: Floats) -> float:
    return float(np.rad2deg(np.arccos(np.clip(one @ other, -1, 1))))


def grown(mask: Mask, pixels: int) -> Mask:
    """A mask, larger by half that many pixels on each side."""
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((pixels, pixels), np.uint8)), bool)


def touches_border(mask: Mask) -> bool:
    return bool(mask[[0, -1]].any() or mask[:, [0, -1]].any())
