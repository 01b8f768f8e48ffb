"""Which colours are the subject's own, against all else in the clip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers import Floats
from lookaway.observers.tracking.pictures import LEVELS, Bins, Mask, Pictures, grown

SPREAD = (0.9, 0.8, 0.8)  # levels: compression and light move colours a little
RARE = 2e-5  # so likely is any colour, seen or not
MOST_ODDS = 5.0
ODDS_BLUR = 0.8  # pixels
FIRST_COUNTS = 3.0  # what is beside the subject in the first frame is surely not the subject
OWN = 0.4  # odds from which a pixel has the subject's colours

Evidence = NDArray[np.float32]


def density(counts: Floats) -> Floats:
    from scipy.ndimage import gaussian_filter

    smooth = gaussian_filter(counts.reshape(LEVELS), SPREAD, mode="nearest")
    return np.asarray(smooth / max(1e-9, smooth.sum())).ravel()


def colours(bins: Bins, mask: Mask) -> Floats:
    """How often each colour occurs in a mask."""
    return density(_counts(bins[mask]))


def alike(one: Floats, other: Floats) -> float:
    """Bhattacharyya coefficient of two densities: 1 the same colours, 0 none in common."""
    return float(np.sqrt(one * other).sum())


@dataclass(frozen=True)
class ColourOdds:
    """Log likelihood ratio subject : anything else, per colour; and the subject's own colours."""

    table: Evidence
    own: Floats

    def __call__(self, bins: Bins) -> Evidence:
        """The odds of each pixel."""
        return np.asarray(cv2.GaussianBlur(np.take(self.table, bins), (0, 0), ODDS_BLUR), np.float32)


def learned_odds(pictures: Pictures, first: Mask, masks: Callable[[int], Mask] | None) -> ColourOdds:
    """The subject in the first frame against what the whole clip shows beside it.

    Before anybody knows where it is later on, whole frames count as beside it.
    """
    core = np.asarray(cv2.erode(first.astype(np.uint8), np.ones((3, 3), np.uint8)), bool)
    core = core if core.sum() > 0.3 * first.sum() else first
    rest = FIRST_COUNTS * _counts(pictures.bins(0)[~grown(first, 5)])
    for i in range(3, len(pictures), 3):
        bins = pictures.bins(i)
        rest += _counts(bins.ravel() if masks is None else bins[~grown(masks(i), 9)])
    own = density(_counts(pictures.bins(0)[core]))
    table = np.clip(np.log((own + RARE) / (density(rest) + RARE)), -MOST_ODDS, MOST_ODDS)
    return ColourOdds(table.astype(np.float32), colours(pictures.bins(0), first))


def colour_precision(odds: ColourOdds, bins: Bins, first: Mask) -> float:
    """Of the pixels with its colours in the first frame, the share that is the subject; 1 nothing else has them."""
    own = odds(bins) > OWN
    return float((own & grown(first, 5)).sum() / max(1, own.sum()))


def _counts(bins: Bins) -> Floats:
    return np.bincount(bins, minlength=int(np.prod(LEVELS))).astype(float)
