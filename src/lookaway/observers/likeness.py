"""How alike two pictures of one direction are, block by block: small warps and parallax are forgiven, plain blocks left
out."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.warp import homography
from lookaway.observers import Flags, Floats
from lookaway.video.resize import fitted_size

LONG_SIDE = 192
SOFT_PX = 0.8
BLOCKS = (10, 6)  # across and down
RIM_PX = 2  # of a block, left out of what is looked for
SLACK_PX = 4  # how far a block may have moved
PLAIN_GREY = 3.0  # standard deviation: a block with less tells nothing
KNOWN_SHARE = 0.95
FEWEST_BLOCKS = 3

Grey = NDArray[np.float32]


def small_grey(rgb: NDArray[np.uint8], long_side: int = LONG_SIDE) -> Grey:
    """The picture as it is compared."""
    size = fitted_size(rgb.shape[1], rgb.shape[0], long_side)
    grey = cv2.cvtColor(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), SOFT_PX), np.float32)


def likeness(here: Grey, there: Grey, rotation: Floats, hfov_deg: float) -> float:
    """Median correlation of blocks of `here` with `there` turned onto it; NaN where too little can be compared.

    `rotation` takes rays of `there` to rays of `here`. 1 is the same picture; other rooms have 0.5.
    """
    turned, known = _turned(there, rotation, hfov_deg)
    found = [
        float(cv2.matchTemplate(_around(turned, at), block, cv2.TM_CCOEFF_NORMED).max())
        for at, block in _blocks(here, known)
    ]
    return float(np.median(found)) if len(found) >= FEWEST_BLOCKS else float("nan")


def _turned(picture: Grey, rotation: Floats, hfov_deg: float) -> tuple[Grey, Flags]:
    """The picture as seen after a turn, and where it tells anything."""
    height, width = picture.shape
    onto = homography(rotation, (width, height), hfov_deg)
    ones = np.ones((height, width), np.uint8)
    known = cv2.warpPerspective(ones, onto, (width, height), flags=cv2.INTER_NEAREST).astype(bool)
    return np.asarray(cv2.warpPerspective(picture, onto, (width, height), borderMode=cv2.BORDER_REPLICATE)), known


def _blocks(picture: Grey, known: Flags) -> list[tuple[tuple[int, int, int, int], Grey]]:
    """Blocks with some texture that lie in what is known: top, bottom, left, right, and their middle part."""
    height, width = picture.shape
    found = []
    for row in range(BLOCKS[1]):
        for column in range(BLOCKS[0]):
            top, bottom = (n * height // BLOCKS[1] for n in (row, row + 1))
            left, right = (n * width // BLOCKS[0] for n in (column, column + 1))
            block = picture[top + RIM_PX : bottom - RIM_PX, left + RIM_PX : right - RIM_PX]
            if known[top:bottom, left:right].mean() >= KNOWN_SHARE and block.std() >= PLAIN_GREY:
                found.append(((top, bottom, left, right), block))
    return found


def _around(picture: Grey, at: tuple[int, int, int, int]) -> Grey:
    top, bottom, left, right = at
    return picture[max(0, top - SLACK_PX) : bottom + SLACK_PX, max(0, left - SLACK_PX) : right + SLACK_PX]
