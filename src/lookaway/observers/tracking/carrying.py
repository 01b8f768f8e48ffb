"""From frame to frame: where each pixel came from, and the subject with it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers.tracking.colours import Evidence
from lookaway.observers.tracking.pictures import Mask, Pictures, grown

FLOWS_KEPT = 400  # pairs of frames; about 100 MB
DISAGREE_PX, DISAGREE_SHARE = 1.5, 0.1  # forth and back: a pixel and a half, and a tenth of the way
NEAR_PX = 13  # across: no subject moves further against the flow
SURE, UNLIKELY = 0.9, 0.03  # chances that a pixel is the subject's, where a mask says so and where not
PRIOR_WEIGHT, COLOUR_WEIGHT = 0.8, 0.55  # of log odds
CRUMB = 0.06  # of the largest clump: smaller ones are doubted

Chance = NDArray[np.float32]
Flow = NDArray[np.float16]


class Origins(NamedTuple):
    """Per pixel of a frame: where it lies in another one, whether the way back disagrees, whether that is outside."""

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    doubtful: Mask
    outside: Mask


class FrameMotion:
    """Optical flow between the frames of a clip."""

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures
        self._flow = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_FAST)
        self._between = lru_cache(FLOWS_KEPT)(self._find)
        self.origins = lru_cache(4)(self._origins)  # tracking, looking again and age ask for the same
        width, height = pictures.size
        self._x, self._y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
        nowhere = np.zeros(pictures.shape, bool)
        self.none = Origins(self._x, self._y, nowhere, nowhere)  # everything stays where it is in the picture

    def _find(self, a: int, b: int) -> Flow:
        found = self._flow.calc(self._pictures.grey(a), self._pictures.grey(b), None)  # type: ignore[call-overload]
        return np.asarray(found, np.float16)

    def _origins(self, a: int, b: int) -> Origins:
        """Where each pixel of frame a lies in frame b."""
        go, back = self._between(a, b).astype(np.float32), self._between(b, a).astype(np.float32)
        height, width = go.shape[:2]
        x, y = self._x + go[..., 0], self._y + go[..., 1]
        home = go + cv2.remap(back, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        doubtful = cv2.magnitude(home[..., 0], home[..., 1]) > DISAGREE_PX + DISAGREE_SHARE * cv2.magnitude(
            go[..., 0], go[..., 1]
        )
        outside = (x < 0) | (y < 0) | (x > width - 1) | (y > height - 1)
        return Origins(x, y, np.asarray(doubtful), np.asarray(outside))


def chance_of(mask: Mask) -> Chance:
    return np.where(mask, SURE, UNLIKELY).astype(np.float32)


def carried(chance: Chance, evidence: Evidence, origins: Origins) -> Chance:
    """The chance of each pixel to be the subject's: that of where it came from, weighed with its colour."""
    prior = np.asarray(cv2.remap(chance, origins.x, origins.y, cv2.INTER_LINEAR), np.float32)
    near = grown(prior > 0.3, NEAR_PX)
    carried_to = np.zeros_like(prior)
    if not near.any():
        return carried_to
    rows, columns = np.flatnonzero(near.any(1)), np.flatnonzero(near.any(0))
    part = slice(max(0, rows[0] - 3), rows[-1] + 4), slice(max(0, columns[0] - 3), columns[-1] + 4)
    weighed = _weighed(prior[part], near[part], origins.doubtful[part], origins.outside[part], evidence[part])
    carried_to[part] = cv2.GaussianBlur(weighed, (0, 0), 0.8)
    return _without_crumbs(carried_to)


def _weighed(prior: Chance, near: Mask, doubtful: Mask, outside: Mask, evidence: Evidence) -> Chance:
    chance = np.where(doubtful, 0.5 * prior + 0.15 * near, prior)
    chance = np.where(outside, np.where(near, 0.4, 0.05), chance)
    chance = np.clip(np.maximum(chance, 0.12 * near), UNLIKELY, 1 - UNLIKELY)
    odds = PRIOR_WEIGHT * np.log(chance / (1 - chance)) + COLOUR_WEIGHT * evidence
    return np.where(near, 1 / (1 + np.exp(-odds)), 0).astype(np.float32)


def _without_crumbs(chance: Chance) -> Chance:
    count, labels, stats, _ = cv2.connectedComponentsWithStats((chance > 0.5).astype(np.uint8))
    areas = stats[1:, cv2.CC_STAT_AREA]
    small = 1 + np.flatnonzero(areas < CRUMB * areas.max(initial=0))
    if count > 1 and len(small):
        chance[np.isin(labels, small)] *= 0.3
    return chance


def came_in(age: Chance, origins: Origins) -> Chance:
    """For how many frames each pixel has been in the picture: one more than where it came from; 0 if from nowhere."""
    older = cv2.remap(age, origins.x, origins.y, cv2.INTER_NEAREST) + 1
    return np.where(origins.doubtful | origins.outside, 0, older).astype(np.float32)
