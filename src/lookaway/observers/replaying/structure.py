"""The fine structure of pictures, and how well that of two agrees whatever their tones."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

COARSE_PX = 6.0

Structure = NDArray[np.float32]


def structure(rgb: NDArray[np.uint8] | NDArray[np.float32]) -> Structure:
    """The grey picture without what is coarser than a few pixels."""
    bytes_ = np.clip(rgb, 0, 255).astype(np.uint8)
    grey = cv2.cvtColor(bytes_, cv2.COLOR_RGB2GRAY).astype(np.float32)
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), COARSE_PX), np.float32)


def correlation(a: Structure, b: Structure) -> float:
    """1 where they rise and fall together, 0 where they have nothing in common."""
    a, b = a - a.mean(), b - b.mean()
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum() + 1e-6))
