"""The subject searched for in one frame: what is found, what was due, and what else looks like it."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers.replaying.reading import StandView, background, unlikeness
from lookaway.observers.replaying.search import FOUND, Found, middle, searched
from lookaway.observers.replaying.stands import Stand
from lookaway.observers.replaying.strangers import palette, strange_area

LIKELY = 6  # moments
EVERY = 8  # moments, searched however unlikely they are


class Find(NamedTuple):
    """One searched frame; places are shares of the frame."""

    due: float  # the moment that was due
    explained: float  # by the true looks at the moment that fits best
    place_x: float
    place_y: float
    due_x: float
    due_y: float
    due_explained: float  # by the true looks at the moment that was due
    extra: float  # area of further things that look like the subject, in areas of the subject
    background: float  # NaN where nothing there has any structure


def find_subject(seen: StandView, due: int) -> Find:
    stand = seen.stand
    finds = searched(seen, sorted({*_likely(seen), *range(0, len(stand.moments), EVERY), due}))
    best = max(finds, key=lambda f: f.explained, default=None)
    asked = next((f for f in finds if f.moment == due), None)
    same = background(seen, stand.shown[due])
    return Find(
        float(stand.moments[due]),
        best.explained if best is not None else 0.0,
        best.x if best is not None else 0.5,
        best.y if best is not None else 0.5,
        *(middle(stand, due) or (0.5, 0.5)),
        asked.explained if asked is not None else 0.0,
        _extra(seen, best, due),
        np.nan if same is None else same,
    )


def shown_share(seen: StandView) -> float:
    """How well the true looks explain the subject before the look-away: how like ours this clip draws it at all."""
    return max((found.explained for found in searched(seen, _likely(seen))), default=0.0)


def _likely(seen: StandView) -> list[int]:
    """The moments that a frame looks most like."""
    return [int(moment) for moment in np.argsort(unlikeness(seen))[:LIKELY]]


def _extra(seen: StandView, best: Found | None, due: int) -> float:
    stand = seen.stand
    taken = np.zeros(seen.valid.shape, np.uint8)
    if best is not None and best.explained >= FOUND:
        taken = _moved(stand, best)
    elsewhere = seen.valid & ~cv2.dilate(taken, np.ones((11, 11), np.uint8)).astype(bool)
    area = max(1, int(stand.masks[due].sum()))
    colours = palette(stand, best.moment if best is not None else due)
    return strange_area(seen.picture, stand.shown[due], elsewhere, colours) / area


def _moved(stand: Stand, found: Found) -> NDArray[np.uint8]:
    """The mask of the found moment at the found place."""
    mask = stand.masks[found.moment].astype(np.uint8)
    x, y = middle(stand, found.moment) or (found.x, found.y)
    height, width = mask.shape
    shift = np.array([[1, 0, (found.x - x) * width], [0, 1, (found.y - y) * height]], np.float64)
    return np.asarray(cv2.warpAffine(mask, shift, (width, height)), np.uint8)
