"""What tells frames apart: SIFT features and their matches, and whether two frames are as good as the same."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

MOST = 500
CONTRAST = 0.02
DISTINCT = 0.8  # of the second-best match's distance: a match nearer than that is the only one
HELD_SIZE = (160, 90)
HELD_GREY = 3.0  # of 255

Image = NDArray[np.uint8]
Places = NDArray[np.float64]
Descriptors = NDArray[np.float32]
Small = NDArray[np.float32]


def sift(grey: Image) -> tuple[Places, Descriptors]:
    """Places (K, 2) in pixels, the corner of the picture being 0, and descriptors (K, 128).

    Found once, however many observers ask for them.
    """
    return _sift(np.ascontiguousarray(grey).tobytes(), grey.shape[0], grey.shape[1])


@lru_cache(maxsize=200)  # the frames of one clip, as a rule
def _sift(pixels: bytes, height: int, width: int) -> tuple[Places, Descriptors]:
    grey = np.frombuffer(pixels, np.uint8).reshape(height, width)
    points, descriptors = cv2.SIFT.create(nfeatures=MOST, contrastThreshold=CONTRAST).detectAndCompute(grey, None)
    if not points:
        return np.zeros((0, 2)), np.zeros((0, 128), np.float32)
    return np.array([p.pt for p in points]) + 0.5, np.asarray(descriptors, np.float32)


def matched(here: Descriptors, there: Descriptors) -> NDArray[np.int64]:
    """Rows (K, 2) of descriptors that belong together beyond doubt."""
    pairs = [p for p in cv2.BFMatcher(cv2.NORM_L2).knnMatch(here, there, k=2) if len(p) == 2]
    good = [(a.queryIdx, a.trainIdx) for a, b in pairs if a.distance < DISTINCT * b.distance]
    return np.array(good, np.int64).reshape(-1, 2)


def shrunk(rgb: Image) -> Small:
    """A small grey picture, for `held`."""
    grey = cv2.cvtColor(cv2.resize(rgb, HELD_SIZE, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY)
    return grey.astype(np.float32)


def held(a: Small, b: Small) -> bool:
    """All but the busiest tenth of the picture, where something may move, is the same."""
    return float(np.percentile(np.abs(a - b), 90)) < HELD_GREY
