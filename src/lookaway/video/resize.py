"""Scale a picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray


def resize(rgb: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    """The picture at (width, height): area average when it shrinks, cubic when it grows."""
    height, width = rgb.shape[:2]
    if (width, height) == size:
        return rgb
    shrinks = size[0] * size[1] < width * height
    scaled = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC)
    return np.asarray(scaled, dtype=np.uint8)


def fitted_size(width: int, height: int, long_side: int | None) -> tuple[int, int]:
    """(width, height) with the longer side at most `long_side`; never larger than the original."""
    longer = max(width, height)
    if long_side is None or longer <= long_side:
        return width, height
    return max(1, round(width * long_side / longer)), max(1, round(height * long_side / longer))
