"""What places look like without the subject: frames of the clip with the subject cut out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers.tracking.pictures import Image, Mask, Pictures, grown

EVERY = 4  # frames: one of so many is kept
BACK = 5  # frames: what is more recent shows the subject where it still is
NEAREST = 4  # kept frames that are compared, by direction, beside the first one
WEIGHT = np.array([[0.6, 1.2, 1.2]])  # of differences in Lab: light changes sooner than colour
SLACK_PX = (3, 2)  # across and down, for parallax
FREE = 250  # of 255: less of a turned pixel may be the subject's
UNLIKE = 255

Difference = NDArray[np.uint8]


class KeptFrame(NamedTuple):
    frame: int
    places: Image
    free: Image  # 255 where the subject is not


class PlaceChange(NamedTuple):
    """Per pixel: how much it differs from the likest earlier look of that place, and whether any is known."""

    apart: Difference
    known: Mask

    def of(self, mask: Mask, least: float) -> float:
        """The share of a mask that differs by more than `least`, where it is known."""
        return float((self.apart[mask & self.known] > least).mean())

    def known_share(self, mask: Mask) -> float:
        return float(self.known[mask].mean())


class Plate:
    """Kept frames of a clip, up to the one that is looked at."""

    def __init__(self, pictures: Pictures) -> None:
        self.pictures, self.kept = pictures, list[KeptFrame]()

    def add(self, i: int, subject: Mask) -> None:
        due = not self.kept or i - self.kept[-1].frame >= EVERY
        if due and self.pictures.trusted[i] and self.pictures.lit(i):
            free = 255 * (~grown(subject, 7)).astype(np.uint8)
            self.kept.append(KeptFrame(i, self.pictures.places(i), free))

    def near(self, i: int) -> list[KeptFrame]:
        """The first kept frame and those whose cameras looked most nearly as this one's did."""
        kept = [k for k in self.kept if i - k.frame >= BACK]
        if not kept or not self.pictures.trusted[i]:
            return []
        turns = self.pictures.rotations[[k.frame for k in kept]]
        order = np.argsort(-np.einsum("nij,ij->n", turns, self.pictures.rotations[i]), kind="stable")
        return [kept[k] for k in sorted({0, *order[:NEAREST].tolist()})]

    def change(self, i: int, kept: Sequence[KeptFrame], slack: bool = True) -> PlaceChange:
        """What of a frame is otherwise than its place was in all of these kept frames."""
        least = np.full(self.pictures.shape, UNLIKE, np.uint8)
        known = np.zeros(self.pictures.shape, bool)
        for earlier in kept:
            turn, size = self.pictures.turned(earlier.frame, i), self.pictures.size
            there = np.asarray(cv2.warpPerspective(earlier.places, turn, size), np.uint8)
            free = np.asarray(cv2.warpPerspective(earlier.free, turn, size) > FREE)
            apart = _apart(there, self.pictures.places(i), SLACK_PX if slack else (0, 0))
            apart[~free] = UNLIKE
            cv2.min(least, apart, dst=least)
            known |= free
        return PlaceChange(least, known)


def _apart(there: Image, here: Image, slack: tuple[int, int]) -> Difference:
    """Weighted difference of two pictures, the least over small shifts of one of them."""
    across, down = slack
    height, width = here.shape[:2]
    wide = cv2.copyMakeBorder(there, down, down, across, across, cv2.BORDER_REPLICATE)
    least: Difference | None = None
    for dx, dy in {(0, 0), (across, 0), (-across, 0), (0, down), (0, -down)}:
        part = wide[down + dy : down + dy + height, across + dx : across + dx + width]
        apart = np.asarray(cv2.transform(cv2.absdiff(part, here), WEIGHT), np.uint8)
        least = apart if least is None else np.asarray(cv2.min(least, apart), np.uint8)
    assert least is not None  # a shift by nothing is always among them
    return least
