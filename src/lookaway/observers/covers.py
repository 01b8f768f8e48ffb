"""How much detail each frame of a clip shows: next to none where something covers the view, in haze and in the dark."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers import Flags, Floats
from lookaway.video import SharedFrames

COVERED_SHARE = 0.35  # of the first frame's contrast and sharpness: less of both is a cover, haze or the dark


class Details(NamedTuple):
    """One row per frame, over what the first frame shows."""

    contrast: Floats  # local
    sharpness: Floats

    @property
    def covered(self) -> Flags:
        return np.asarray((self.contrast < COVERED_SHARE) & (self.sharpness < COVERED_SHARE))


_KNOWN: WeakKeyDictionary[SharedFrames, Details] = WeakKeyDictionary()


def details(frames: SharedFrames) -> Details:
    """Kept as long as the frames are, so that all observers of one clip share the work."""
    if frames not in _KNOWN:
        contrast, sharpness = (np.array(part) for part in zip(*map(detail, frames.rgb), strict=True))
        _KNOWN[frames] = Details(contrast / max(contrast[0], 1e-6), sharpness / max(sharpness[0], 1e-6))
    return _KNOWN[frames]


def detail(rgb: NDArray[np.uint8]) -> tuple[float, float]:
    """Local contrast and sharpness of a picture, in grey levels."""
    coarse = cv2.cvtColor(cv2.resize(rgb, (160, 90), interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY)
    grey = coarse.astype(np.float32)
    mean = cv2.blur(grey, (7, 7))
    local = np.sqrt(np.maximum(cv2.blur(grey * grey, (7, 7)) - mean * mean, 0))
    fine = cv2.cvtColor(cv2.resize(rgb, (320, 180), interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY)
    edges = np.abs(cv2.Laplacian(fine, cv2.CV_32F))
    return float(np.percentile(local, 75)), float(np.percentile(edges, 90))
