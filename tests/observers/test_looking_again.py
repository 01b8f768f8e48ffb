"""A subject that was lost and is looked for at its old place."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from lookaway.observers.tracking.colours import colours
from lookaway.observers.tracking.looking_again import SubjectSight, same_as_before
from lookaway.observers.tracking.pictures import Mask, Pictures
from tests.observers.panorama import ROOM, SIZE

Image = NDArray[np.uint8]
PLACE = np.ascontiguousarray(ROOM[: SIZE[1], : SIZE[0]])


def thin() -> Mask:
    """A cross: most of its box shows what is behind it."""
    drawn = np.zeros(PLACE.shape[:2], np.uint8)
    for start, end in (((140, 60), (180, 110)), ((180, 60), (140, 110))):
        cv2.line(drawn, start, end, 1, 3)
    return drawn.astype(bool)


def with_it() -> Image:
    return np.where(thin()[..., None], np.array([160, 150, 50]), PLACE).astype(np.uint8)


def hazy(picture: Image) -> Image:
    return (0.5 * picture + 90).astype(np.uint8)


@pytest.mark.parametrize(
    ("now", "found"), [(with_it(), True), (hazy(with_it()), True), (PLACE, False), (hazy(PLACE), False)]
)
def test_its_old_place_is_not_taken_for_the_subject_itself(now: Image, found: bool) -> None:
    pictures = Pictures(
        np.stack([with_it(), now]), np.arange(2) / 16, np.tile(np.eye(3), (2, 1, 1)), np.ones(2, bool), 60.0
    )
    any_colours = colours(pictures.bins(1), thin())
    again = same_as_before(pictures, 1, [SubjectSight(0, thin())], any_colours)
    assert (again is not None) == found
