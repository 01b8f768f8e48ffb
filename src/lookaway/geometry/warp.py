"""Pictures as a camera that is turned would see them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.trajectory import Floats, pinhole

NEGLIGIBLE_DEG = 0.05


def homography(rotation: Floats, size: tuple[int, int], hfov_deg: float) -> Floats:
    """Where the pixels of a picture go when its rays are turned; they count from the middle of the first one."""
    lens = pinhole(*size, hfov_deg)
    lens[:2, 2] -= 0.5
    return np.asarray(lens @ rotation @ np.linalg.inv(lens))


def turned_home(mask: NDArray[np.bool_], rotation: Floats, hfov_deg: float) -> NDArray[np.bool_]:
    """`mask` as the unturned camera would see it; `rotation` takes this camera's rays to the first camera's."""
    if turn_deg(rotation) < NEGLIGIBLE_DEG:
        return mask
    height, width = mask.shape
    intrinsics = pinhole(width, height, hfov_deg)
    homography = intrinsics @ rotation @ np.linalg.inv(intrinsics)
    turned = cv2.warpPerspective(mask.astype(np.float32), homography, (width, height), flags=cv2.INTER_LINEAR)
    return np.asarray(turned > 0.5)
