"""What one frame says, seen from a stand: which moments it looks like, and where the subject is in it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.trajectory import Floats
from lookaway.observers.replaying.stands import Flags, Image, Stand
from lookaway.observers.replaying.structure import correlation, structure
from lookaway.observers.replaying.tones import Picture, fitted

CLIP_GREY = np.uint8(30)  # differences above it count no more: an outlier is an outlier
AROUND_PX = (8, 24)  # from and to what distance of the subject
ALIKE_GREY = 22.0
BLOCK_PX = 20
PLAIN_GREY = 2.0  # structure below it is noise


@dataclass(frozen=True, eq=False)
class StandView:
    """A frame as seen from a stand, its tones fitted to the true picture there."""

    stand: Stand
    picture: Picture
    valid: Flags


def stand_view(stand: Stand, rgb: Image, pose: Floats, moment: int) -> StandView:
    picture, valid = stand.seen(rgb, pose)
    return StandView(stand, fitted(picture, stand.shown[moment], valid & ~stand.changing), valid)


def unlikeness(seen: StandView) -> NDArray[np.float32]:
    """Mean clipped difference from the true view at each moment, over the pixels that change; in grey levels."""
    rows, columns, true = seen.stand.samples
    known = seen.valid[rows, columns]
    if not known.any():
        return np.zeros(len(true), np.float32)
    if not known.all():
        rows, columns, true = rows[known], columns[known], true[:, known]
    mine = np.clip(seen.picture[rows, columns] + 0.5, 0, 255).astype(np.uint8)
    apart = np.maximum(true, mine)
    apart -= np.minimum(true, mine)  # bytes: the difference of larger and smaller never wraps
    np.minimum(apart, CLIP_GREY, out=apart)
    return np.asarray(apart.reshape(len(true), -1).sum(axis=1, dtype=np.uint32) / mine.size, np.float32)


def openness(seen: StandView, moment: int) -> float:
    """Share of the subject's surroundings that looks as the true scene does at some moment or other.

    Near 0 when something has come in between. The subject itself, missing, changed or grown, makes little difference.
    """
    stand = seen.stand
    own = stand.masks[moment].astype(np.uint8)
    inner, outer = (cv2.dilate(own, np.ones((2 * distance + 1,) * 2, np.uint8)) for distance in AROUND_PX)
    rows, columns = np.nonzero((outer > inner) & seen.valid)
    if not len(rows):
        return 0.0
    possible = np.concatenate([stand.shown[::8, rows, columns], stand.bare[:, rows, columns]]).astype(np.float32)
    apart = np.abs(possible - seen.picture[rows, columns]).max(axis=2).min(axis=0)
    return float((apart < ALIKE_GREY).mean())


def background(seen: StandView, picture: Image) -> float | None:
    """Median correlation of structure with the true picture, block by block, where the process changes nothing.

    None where nothing there has any structure.
    """
    mine, true = structure(seen.picture), structure(picture)
    fixed = seen.valid & ~seen.stand.changing
    height, width = fixed.shape
    found = []
    for top in range(0, height - BLOCK_PX + 1, BLOCK_PX):
        for left in range(0, width - BLOCK_PX + 1, BLOCK_PX):
            block = np.s_[top : top + BLOCK_PX, left : left + BLOCK_PX]
            inside = fixed[block]
            if inside.mean() < 0.6:
                continue
            if true[block][inside].std() > PLAIN_GREY:
                found.append(correlation(mine[block][inside], true[block][inside]))
    return float(np.median(found)) if found else None
