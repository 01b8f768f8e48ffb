"""Where is the subject in a frame, and does it look like itself? Searched over places and moments.

How well a moment explains the frame at a place: 1 when subject and surroundings are as rendered, 0 when the frame is no
nearer to the rendering than the room without the subject, below 0 when it is further away.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers.replaying.reading import StandView
from lookaway.observers.replaying.stands import Stand

HALF = 2  # the search runs at half the size
RING_PX = 3  # around the subject, at that size
FAINT = 6.0  # grey levels: noise that no rendering can explain
WORST = 90.0
FOUND = 0.3  # explained less than this, nothing was found
OUTSIDE = 0.3  # what a subject wholly outside the frame would lose
HALF_INSIDE = 0.5
SETTLED = 0.02  # a place further away must explain this much more

Picture = NDArray[np.float32]


@dataclass(frozen=True)
class Found:
    """A subject in a frame: the moment it looks like, how well that explains it, its middle in shares of the frame."""

    moment: int
    explained: float
    x: float
    y: float


@dataclass(frozen=True)
class _Template:
    moment: int
    left: int
    top: int
    picture: Picture
    mask: Picture  # (h, w, 3)
    ring: Picture  # (h, w)
    x: float  # middle of the subject, in pixels from the template's corner
    y: float
    bare: Picture  # the room without the subject
    own: Picture  # the subject's pixels inside the frame, for each place
    absent: Picture  # how far the room without the subject is from it, for each place

    @property
    def beyond(self) -> tuple[int, int]:
        """How far it may stick out of the frame: by half, down and across."""
        return self.ring.shape[0] // 2, self.ring.shape[1] // 2


def middle(stand: Stand, moment: int) -> tuple[float, float] | None:
    """The middle of the true subject in shares of the frame; None where it cannot be seen."""
    rows, columns = np.nonzero(stand.masks[moment])
    if not len(rows):
        return None
    height, width = stand.masks.shape[1:]
    return float((columns.mean() + 0.5) / width), float((rows.mean() + 0.5) / height)


def searched(seen: StandView, moments: Iterable[int]) -> list[Found]:
    """The best place for each moment's looks, moments without a visible subject left out."""
    frame = _halved(np.clip(seen.picture, 0, 255))
    templates = (_template(seen.stand, moment) for moment in moments)
    return [_best(frame, template) for template in templates if template is not None]


@lru_cache(maxsize=256)  # frames of one task look for much the same moments
def _template(stand: Stand, moment: int) -> _Template | None:
    mask = cv2.resize(
        stand.masks[moment].astype(np.float32), None, fx=1 / HALF, fy=1 / HALF, interpolation=cv2.INTER_AREA
    )
    inside = (mask > 0.5).astype(np.uint8)
    if inside.sum() < 6:
        return None
    wide = cv2.dilate(inside, np.ones((2 * RING_PX + 1,) * 2, np.uint8))
    rows, columns = np.flatnonzero(wide.any(axis=1)), np.flatnonzero(wide.any(axis=0))
    box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    own_rows, own_columns = np.nonzero(inside[box])
    ring = (wide[box] - cv2.dilate(inside, np.ones((3, 3), np.uint8))[box]).clip(0, 1)
    template = _Template(
        moment,
        int(columns[0]),
        int(rows[0]),
        np.ascontiguousarray(_halved(stand.shown[moment])[box]),
        np.repeat(inside[box][..., None], 3, axis=2).astype(np.float32),
        ring.astype(np.float32),
        float(own_columns.mean() + 0.5),
        float(own_rows.mean() + 0.5),
        bare := _halved(stand.bare_at(moment)),
        own=np.zeros(0, np.float32),
        absent=np.zeros(0, np.float32),
    )
    whole = _padded(np.ones(bare.shape, np.float32), template.beyond)
    own = np.maximum(cv2.matchTemplate(whole, template.mask, cv2.TM_CCORR) / 3, 1e-3).astype(np.float32)
    return replace(template, own=own, absent=_squared(_padded(bare, template.beyond), template))


def _best(frame: Picture, template: _Template) -> Found:
    """The place at which the template explains the frame best; up to half of the subject may be out of the frame."""
    beyond = template.beyond
    apart = _squared(_padded(frame, beyond), template)
    strange = np.minimum(((frame - template.bare) ** 2).sum(axis=2), WORST**2)
    around = cv2.matchTemplate(_padded(strange, beyond), template.ring, cv2.TM_CCORR)
    noise = 3 * template.own * FAINT**2
    inside = template.own / template.mask[..., 0].sum()
    explained = 1 - np.maximum(apart + around - noise, 0) / (template.absent + noise) - OUTSIDE * (1 - inside)
    height, width = frame.shape[:2]
    rows, columns = np.indices(explained.shape)
    rows, columns = rows - beyond[0], columns - beyond[1]
    away = np.hypot((columns - template.left) / width, (rows - template.top) / width)
    liked = np.where(inside >= HALF_INSIDE, explained - SETTLED * np.minimum(away, 1), -np.inf)
    at = np.unravel_index(int(liked.argmax()), explained.shape)
    return Found(
        template.moment,
        float(explained[at]),
        float((columns[at] + template.x) / width),
        float((rows[at] + template.y) / height),
    )


def _squared(picture: Picture, template: _Template) -> Picture:
    """Squared difference of a padded picture from the template's subject, over what lies inside the frame."""
    down, across = template.beyond
    height, width = picture.shape[:2]
    whole = np.zeros((height, width), np.float32)
    whole[down : height - down, across : width - across] = 1
    own = template.picture * template.mask
    grey = [(a * a).sum(axis=2) for a in (picture, own)]
    return np.asarray(
        cv2.matchTemplate(grey[0], np.ascontiguousarray(template.mask[..., 0]), cv2.TM_CCORR)
        - 2 * cv2.matchTemplate(picture, own, cv2.TM_CCORR)
        + cv2.matchTemplate(whole, grey[1], cv2.TM_CCORR),
        np.float32,
    )


def _padded(picture: Picture, beyond: tuple[int, int]) -> Picture:
    down, across = beyond
    return np.asarray(cv2.copyMakeBorder(picture, down, down, across, across, cv2.BORDER_CONSTANT), np.float32)


def _halved(picture: NDArray[np.uint8] | Picture) -> Picture:
    half = cv2.resize(picture, None, fx=1 / HALF, fy=1 / HALF, interpolation=cv2.INTER_AREA)
    return np.asarray(half, np.float32)
