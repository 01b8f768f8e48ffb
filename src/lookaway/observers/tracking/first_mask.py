"""The subject's mask in the first frame, from its box."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from lookaway.observers import Floats
from lookaway.observers.tracking.pictures import Image, Mask
from lookaway.records import Box

SEED = 0  # GrabCut draws at random
MARGIN = (0.6, 0.35)  # of the box, across and down: how much of what is not the subject is looked at beside it
BOX_PX = 160.0  # to which the box is scaled,
MOST_SCALE = 4.0  # but no further than this
FILLS = (0.15, 0.93)  # of its box: less or more is not a thing in a box
ROUNDS = 5
CERTAIN, DOUBTFUL, ROUND = 0.04, 0.75, 0.8  # squared radii in the box: surely inside, perhaps outside, the ellipse


class _Crop(NamedTuple):
    """Around the box, scaled; `box` and the window in the picture are in pixels: left, top, right, bottom."""

    rgb: Image
    box: tuple[float, float, float, float]
    window: tuple[int, int, int, int]


def first_mask(rgb: Image, box: Box, size: tuple[int, int]) -> Mask:
    """What in the box is one thing, as GrabCut has it; an ellipse where it finds none."""
    crop = _cropped(rgb, box)
    inside, radius = _inside(crop)
    found = _cut(crop.rgb, np.where(inside, cv2.GC_PR_FGD, cv2.GC_BGD), inside)
    if found is None:
        careful = np.where(inside, np.where(radius > DOUBTFUL, cv2.GC_PR_BGD, cv2.GC_PR_FGD), cv2.GC_BGD)
        found = _cut(crop.rgb, np.where(inside & (radius < CERTAIN), cv2.GC_FGD, careful), inside)
    return _placed(inside & (radius < ROUND) if found is None else found, crop, rgb.shape[:2], size)


def _cropped(rgb: Image, box: Box) -> _Crop:
    height, width = rgb.shape[:2]
    x0, y0, x1, y1 = box[0] * width, box[1] * height, box[2] * width, box[3] * height
    across, down = MARGIN[0] * (x1 - x0), MARGIN[1] * (y1 - y0)
    left, top = max(0, int(x0 - across)), max(0, int(y0 - down))
    right, bottom = min(width, int(np.ceil(x1 + across))), min(height, int(np.ceil(y1 + down)))
    scale = min(MOST_SCALE, BOX_PX / max(x1 - x0, y1 - y0))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    crop = cv2.resize(rgb[top:bottom, left:right], None, fx=scale, fy=scale, interpolation=how)
    placed = (x0 - left) * scale, (y0 - top) * scale, (x1 - left) * scale, (y1 - top) * scale
    return _Crop(np.asarray(crop, np.uint8), placed, (left, top, right, bottom))


def _inside(crop: _Crop) -> tuple[Mask, Floats]:
    """Which pixels lie in the box, and the square of how far out, 1 being where an ellipse touches its sides."""
    y, x = np.mgrid[: crop.rgb.shape[0], : crop.rgb.shape[1]] + 0.5
    x0, y0, x1, y1 = crop.box
    inside = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    return inside, ((2 * x - x0 - x1) / (x1 - x0)) ** 2 + ((2 * y - y0 - y1) / (y1 - y0)) ** 2


def _cut(rgb: Image, labels: object, inside: Mask) -> Mask | None:
    """What GrabCut makes of these labels, or None where that cannot be a thing in a box."""
    cv2.setRNGSeed(SEED)
    marked = np.array(labels, np.uint8)
    if min((marked % 2 == k).sum() for k in (0, 1)) == 0:  # all of one kind; odd labels are the subject's
        return None
    bgr, models = np.ascontiguousarray(rgb[..., ::-1]), (np.zeros((1, 65)), np.zeros((1, 65)))
    cv2.grabCut(bgr, marked, None, *models, ROUNDS, cv2.GC_INIT_WITH_MASK)  # type: ignore[call-overload]
    found = marked % 2 == 1
    return found if FILLS[0] < found.sum() / inside.sum() < FILLS[1] else None


def _placed(found: Mask, crop: _Crop, shape: tuple[int, int], size: tuple[int, int]) -> Mask:
    left, top, right, bottom = crop.window
    whole = np.zeros(shape, np.float32)
    sized = cv2.resize(found.astype(np.float32), (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    whole[top:bottom, left:right] = sized
    return np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA) > 0.5)
