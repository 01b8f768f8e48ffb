"""Things in a picture that look like the subject and should not be there."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers.replaying.stands import Flags, Stand

COLOURS = 32
LIKE_GREY = 26.0
CHANGED_GREY = 30.0
SPECK = np.ones((3, 3), np.uint8)

Picture = NDArray[np.float32]


def palette(stand: Stand, moment: int) -> Picture:
    """Some colours of the subject at that moment; its rim, where colours mix, left out."""
    mask = stand.masks[moment].astype(np.uint8)
    core = cv2.erode(mask, SPECK)
    rows, columns = np.nonzero(core if core.sum() >= COLOURS else mask)
    if not len(rows):
        return np.zeros((0, 3), np.float32)
    chosen = np.linspace(0, len(rows) - 1, COLOURS).astype(int)
    return np.asarray(stand.shown[moment, rows[chosen], columns[chosen]], np.float32)


def strange_area(seen: Picture, true: NDArray[np.uint8] | Picture, where: Flags, colours: Picture) -> float:
    """Pixels of the largest clump that differs from the true picture and has the subject's colours."""
    changed = where & (np.abs(seen - true).max(axis=2) > CHANGED_GREY)
    rows, columns = np.nonzero(changed)
    if not len(rows) or not len(colours):
        return 0.0
    mine = seen[rows, columns]
    apart = np.full(len(rows), np.inf, np.float32)
    for colour in colours:
        np.minimum(apart, np.abs(mine - colour).max(axis=1), out=apart)
    alike = np.zeros(where.shape, np.uint8)
    alike[rows, columns] = apart < LIKE_GREY
    clumps = cv2.morphologyEx(
        cv2.morphologyEx(alike, cv2.MORPH_OPEN, SPECK), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)
    )
    count, _, stats, _ = cv2.connectedComponentsWithStats(clumps)
    return float(stats[1:, cv2.CC_STAT_AREA].max()) if count > 1 else 0.0
