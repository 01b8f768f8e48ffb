"""Where the same thing is in two pictures: corners followed to the next frame, features recognised in any other.

Places are counted from the middle of the picture, in its widths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers import Floats

LONG_SIDE = 480
MOST_CORNERS = 350
CORNER_QUALITY, CORNER_APART_PX, CORNER_BLOCK_PX = 0.004, 9, 5
MIN_CORNERS = 12
BACK_PX = 1.0  # a corner that does not come back to its place was lost on the way
MOST_FEATURES = 600
CONTRAST = 0.02
DISTINCT = 0.8  # of the second-best feature's distance: a match nearer than that is the only one

Image = NDArray[np.uint8]
Indices = NDArray[np.int64]


class Matches(NamedTuple):
    """The same things in two pictures, (K, 2) each, and how many were looked for."""

    here: Floats
    there: Floats
    sought: int


@dataclass(frozen=True)
class Features:
    """What a picture can be recognised by."""

    places: Floats  # (K, 2)
    descriptors: Image  # (K, 128)

    def __len__(self) -> int:
        return len(self.places)


def grey(rgb: Image) -> Image:
    """The picture at the size that cameras are followed in."""
    shrunk = min(1.0, LONG_SIDE / max(rgb.shape[:2]))
    made = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    if shrunk < 1:
        made = cv2.resize(made, None, fx=shrunk, fy=shrunk, interpolation=cv2.INTER_AREA)
    return np.asarray(made, np.uint8)


def features(picture: Image) -> Features:
    """SIFT features of a grey picture; few where it is dark, blank or hazy."""
    sift = cv2.SIFT.create(nfeatures=MOST_FEATURES, contrastThreshold=CONTRAST)
    points, descriptors = sift.detectAndCompute(picture, None)
    if not points:
        return Features(np.zeros((0, 2)), np.zeros((0, 128), np.uint8))
    return Features(_places(np.array([p.pt for p in points]), picture), descriptors.astype(np.uint8))  # they are whole


def recognised(here: Features, there: Features) -> Matches:
    """Features that are each other's nearest, and nearer than any second one."""
    pairs = _mutual(here.descriptors, there.descriptors)
    return Matches(here.places[pairs[:, 0]], there.places[pairs[:, 1]], min(len(here), len(there)))


def corners_followed(here: Image, there: Image) -> Matches:
    """Corners of one grey picture found in the next one, and back again."""
    found = cv2.goodFeaturesToTrack(here, MOST_CORNERS, CORNER_QUALITY, CORNER_APART_PX, blockSize=CORNER_BLOCK_PX)
    if found is None or len(found) < MIN_CORNERS:
        return Matches(np.zeros((0, 2)), np.zeros((0, 2)), 0 if found is None else len(found))
    first = np.asarray(found, np.float32)
    moved, kept_there = _flow(here, there, first)
    again, kept_here = _flow(there, here, moved)
    kept = kept_there & kept_here & (np.linalg.norm(again - first, axis=2)[:, 0] < BACK_PX)
    return Matches(_places(first[kept, 0], here), _places(moved[kept, 0], there), len(first))


def _flow(here: Image, there: Image, places: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    enough = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 15, 0.03)
    moved, found, _ = cv2.calcOpticalFlowPyrLK(
        here, there, places, np.empty_like(places), winSize=(15, 15), maxLevel=4, criteria=enough
    )
    return np.asarray(moved, np.float32), np.asarray(found[:, 0] > 0)


def _places(pixels: NDArray[np.floating], picture: Image) -> Floats:
    height, width = picture.shape
    return np.asarray((pixels.astype(np.float64) + 0.5 - [width / 2, height / 2]) / width)


def _mutual(here: Image, there: Image) -> Indices:
    """Rows of two descriptors that belong together."""
    if min(len(here), len(there)) < 2:
        return np.zeros((0, 2), np.int64)
    a, b = here.astype(np.float32), there.astype(np.float32)
    apart = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * (a @ b.T)
    rows, back = np.arange(len(a)), apart.argmin(0)
    best = apart.argmin(1)
    nearest = apart[rows, best]
    apart[rows, best] = np.inf
    good = (nearest < DISTINCT**2 * apart.min(1)) & (back[best] == rows)
    return np.column_stack([rows[good], best[good]]).astype(np.int64)
