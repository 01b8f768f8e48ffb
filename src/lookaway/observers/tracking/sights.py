"""The subject alone, cut out by its masks, in a few frames of every stretch in which it is seen, for any descriptor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.observers import OBSERVERS, Flags, Floats, Indices, Look, ObservedArrays
from lookaway.observers.learned import IMAGENET_MEAN, IMAGENET_STD
from lookaway.observers.stand_ins import stand_in
from lookaway.observers.subject_track import SubjectTrack
from lookaway.outcomes import Abstain

EACH = 12  # frames of a stretch in which it is seen
MARGIN = 0.1  # of the mask's bounding box, on each side
EDGE_PX = 3  # around the mask that are shown with it, in pixels of the tracker's picture

Image = NDArray[np.uint8]
Crop = NDArray[np.float32]  # (3, side, side)
Tones = tuple[Sequence[float], Sequence[float]]  # subtracted from RGB of 0 to 1, and what the rest is divided by
IMAGENET: Tones = (IMAGENET_MEAN.tolist(), IMAGENET_STD.tolist())


class SubjectSights(ObservedArrays):
    """One row per frame in which the subject was looked at; the first is the first frame."""

    seconds: Floats
    frames: Indices
    class_token: NDArray[np.float32]  # (E, size), of length 1
    likeness: Floats  # cosine to the first row: 1 the same


S = TypeVar("S", bound=SubjectSights)


def sights(
    kind: type[S],
    look: Look,
    tracker: str,
    crop: Callable[[Image, Flags], Crop],
    describe: Callable[[list[Crop]], NDArray[np.float32]],
) -> S | Abstain:
    """One vector per crop of the subject as that tracker follows it, and its likeness to the first."""
    track = stand_in(OBSERVERS.get("subject_track"), {"by": tracker}).function(replace(look, settings={}))
    if isinstance(track, Abstain):
        return track
    assert isinstance(track, SubjectTrack)
    frames = chosen_sights(track)
    if not len(frames) or frames[0] != 0:
        return Abstain("the subject is not seen in the first frame")
    masks = track.unpacked(frames)
    vectors = describe([crop(look.frames.rgb[i], mask) for i, mask in zip(frames, masks, strict=True)])
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return kind(
        seconds=track.seconds[frames],
        frames=frames,
        class_token=vectors,
        likeness=(vectors @ vectors[0]).astype(np.float64),
    )


def chosen_sights(track: SubjectTrack) -> Indices:
    """The first frame and, of each stretch in which it is seen, a few that show it whole, or any if none does."""
    seen = np.flatnonzero(track.visible)
    picked = {0} if track.visible[0] else set()
    for run in np.split(seen, np.flatnonzero(np.diff(seen) > 1) + 1):
        inner = run[~track.touches_border[run]]
        inner = inner if len(inner) else run
        picked |= set(inner[np.linspace(0, len(inner) - 1, min(EACH, len(inner))).astype(int)].tolist())
    return np.array(sorted(picked), np.int64)


def subject_crop(rgb: Image, mask: Flags, side: int, tones: Tones = IMAGENET) -> Crop:
    """The subject alone in the middle of a square, its tones as the model wants them; all else is 0."""
    height, width = rgb.shape[:2]
    around = cv2.dilate(mask.astype(np.uint8), np.ones((EDGE_PX, EDGE_PX), np.uint8))
    shown = cv2.resize(around, (width, height), interpolation=cv2.INTER_NEAREST) > 0
    rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
    top, left, tall, wide = rows[0], columns[0], rows[-1] + 1 - rows[0], columns[-1] + 1 - columns[0]
    whole = int(np.ceil((1 + 2 * MARGIN) * max(tall, wide)))
    mean, deviation = (np.array(each, np.float32) for each in tones)
    pixels = (rgb.astype(np.float32) / 255 - mean) / deviation * shown[..., None]
    square = np.zeros((whole, whole, 3), np.float32)
    down, across = (whole - tall) // 2, (whole - wide) // 2
    square[down : down + tall, across : across + wide] = pixels[top : top + tall, left : left + wide]
    how = cv2.INTER_AREA if whole > side else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(square, (side, side), interpolation=how).transpose(2, 0, 1), np.float32)
