"""What the subject looks like to DINOv2, in a few frames of every stretch in which it is seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from lookaway.observers import OBSERVERS, Flags, Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.learned import (
    IMAGENET_MEAN,
    IMAGENET_STD,
    LearnedSettings,
    in_batches,
    learned_settings,
    loaded_model,
)
from lookaway.observers.patch_features import MODEL, opened_dinov2
from lookaway.observers.stand_ins import stand_in
from lookaway.observers.subject_track import SubjectTrack
from lookaway.outcomes import Abstain

NAME = "subject_features"
SIDE = 224  # pixels of a crop: sixteen patches of fourteen
EACH = 12  # frames of a stretch in which it is seen
MARGIN = 0.1  # of the mask's bounding box, on each side
EDGE_PX = 3  # around the mask that are shown with it, in pixels of the tracker's picture


class SubjectFeatures(ObservedArrays):
    """One row per frame in which the subject was looked at; the first is the first frame."""

    seconds: Floats
    frames: Indices
    class_token: NDArray[np.float32]  # (E, size), of length 1
    likeness: Floats  # cosine to the first row: 1 the same


class FeatureSettings(LearnedSettings):
    """What `--set subject_features.NAME=VALUE` may say."""

    model: str = MODEL
    tracker: str = Field(
        "subject_track", description="whose masks are cut out; give it where subject_track.by is given"
    )


@observer(version=1, saw=SubjectFeatures, extra="torch", weights=MODEL)
def subject_features(look: Look) -> SubjectFeatures | Abstain:
    """Class tokens of the subject alone, cut out by its masks, in a few frames of each stretch that shows it."""
    settings = learned_settings(FeatureSettings, NAME, look)
    tracker = stand_in(OBSERVERS.get("subject_track"), {"by": settings.tracker})
    track = tracker.function(replace(look, settings={}))
    if isinstance(track, Abstain):
        return track
    assert isinstance(track, SubjectTrack)
    frames = chosen_sights(track)
    if not len(frames) or frames[0] != 0:
        return Abstain("the subject is not seen in the first frame")
    eyes = loaded_model(NAME, settings, opened_dinov2)
    crops = [subject_crop(look.frames.rgb[i], mask) for i, mask in zip(frames, track.unpacked(frames), strict=True)]
    tokens = in_batches(eyes, crops, settings.batch, _class_token)
    tokens /= np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-12)
    return SubjectFeatures(
        seconds=track.seconds[frames],
        frames=frames,
        class_token=tokens,
        likeness=(tokens @ tokens[0]).astype(np.float64),
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


def subject_crop(rgb: NDArray[np.uint8], mask: Flags) -> NDArray[np.float32]:
    """The subject alone in the middle of a square, normalised; all else is the models' mean colour, and so 0."""
    height, width = rgb.shape[:2]
    around = cv2.dilate(mask.astype(np.uint8), np.ones((EDGE_PX, EDGE_PX), np.uint8))
    shown = cv2.resize(around, (width, height), interpolation=cv2.INTER_NEAREST) > 0
    rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
    top, left, tall, wide = rows[0], columns[0], rows[-1] + 1 - rows[0], columns[-1] + 1 - columns[0]
    side = int(np.ceil((1 + 2 * MARGIN) * max(tall, wide)))
    pixels = (rgb.astype(np.float32) / 255 - IMAGENET_MEAN) / IMAGENET_STD * shown[..., None]
    square = np.zeros((side, side, 3), np.float32)
    down, across = (side - tall) // 2, (side - wide) // 2
    square[down : down + tall, across : across + wide] = pixels[top : top + tall, left : left + wide]
    how = cv2.INTER_AREA if side > SIDE else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(square, (SIDE, SIDE), interpolation=how).transpose(2, 0, 1), np.float32)


def _class_token(model: Any, pixels: Any) -> Any:
    return model(pixels).last_hidden_state[:, 0]
