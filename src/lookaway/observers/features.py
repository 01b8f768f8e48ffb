"""SIFT features of a grey picture, found once however many observers ask for them."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

MOST = 500
CONTRAST = 0.02

Places = NDArray[np.float64]
Descriptors = NDArray[np.float32]


def sift(grey: NDArray[np.uint8]) -> tuple[Places, Descriptors]:
    """Places (K, 2) in pixels, the corner of the picture being 0, and descriptors (K, 128)."""
    return _sift(np.ascontiguousarray(grey).tobytes(), grey.shape[0], grey.shape[1])


@lru_cache(maxsize=200)  # the frames of one clip, as a rule
def _sift(pixels: bytes, height: int, width: int) -> tuple[Places, Descriptors]:
    grey = np.frombuffer(pixels, np.uint8).reshape(height, width)
    points, descriptors = cv2.SIFT.create(nfeatures=MOST, contrastThreshold=CONTRAST).detectAndCompute(grey, None)
    if not points:
        return np.zeros((0, 2)), np.zeros((0, 128), np.float32)
    return np.array([p.pt for p in points]) + 0.5, np.asarray(descriptors, np.float32)
