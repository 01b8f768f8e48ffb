"""When the subject should be back: is there another one like it, or something else in its place?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from lookaway.observers import Flags, Floats, Indices
from lookaway.observers.tracking.colours import colours
from lookaway.observers.tracking.following import Followed, evidence_of
from lookaway.observers.tracking.looking_again import DIFFERS, Rule, clumps
from lookaway.observers.tracking.pictures import Mask, grown
from lookaway.observers.tracking.plate import Change, KeptFrame

EACH = 7  # frames that are examined after each look-away
SETTLE = 4  # frames after the subject was lost from which on something else may be in its place
HOME_BACK = 0.9  # of its first place in view: then it is due
EARLY = slice(0, 6, 2)  # of the frames kept from before the first look-away
ANOTHER = Rule(area=0.12, odds=0.8, alike=0.45, fill=0.18)
ANOTHER_NOVEL = 0.5  # of it must differ from what was there before
NEW_APART = 20  # from the plate: something else is there
NEW_FILL = 0.25  # of its bounding box


class Examined(NamedTuple):
    """A row for each frame that was examined; areas are in first areas of the subject, and 0 where there is none."""

    frames: Indices
    another_share: Floats
    another_likeness: Floats
    new_share: Floats


def due_frames(hidden: Sequence[tuple[int, int]], visible: Flags, home: Floats, trusted: Flags) -> list[int]:
    """A few frames after each time hidden (from a frame up to another) that show the subject or its first place.

    Where it never was hidden: of the last third.
    """
    count = len(visible)
    if not hidden:
        spans = [(2 * count // 3, count)]
    else:
        ends = [start for start, _ in hidden[1:]] + [count]
        spans = [(start + SETTLE, end) for (start, _), end in zip(hidden, ends, strict=True)]
    frames: list[int] = []
    for start, end in spans:
        due = [i for i in range(start, end) if trusted[i] and (visible[i] or home[i] > HOME_BACK)]
        frames += due[:: max(1, len(due) // EACH)]
    return frames


def examined(followed: Followed, frames: Sequence[int], visible: Flags, first_hidden: int) -> Examined:
    """What is in those frames beside the subject that was not there before the first time it was hidden."""
    rows = [_row(followed, i, bool(visible[i]), _early(followed, i, first_hidden)) for i in frames]
    table = np.array(rows, float).reshape(-1, 3)
    return Examined(np.array(frames, np.int64), *table.T)


def _early(followed: Followed, i: int, first_hidden: int) -> list[KeptFrame]:
    return [k for k in followed.plate.kept if k.index < min(first_hidden, i - 3)][EARLY]


def _row(followed: Followed, i: int, visible: bool, early: list[KeptFrame]) -> tuple[float, float, float]:
    change = followed.plate.change(i, early, slack=False)
    if visible:
        return *_another(followed, i, change), 0.0
    return 0.0, 0.0, _something_new(change) / followed.track.masks[0].sum()


def _another(followed: Followed, i: int, change: Change) -> tuple[float, float]:
    """The likest second thing of the subject's looks where something else was seen before: its area and likeness."""
    pictures, mask = followed.plate.pictures, followed.track.masks[i]
    evidence = evidence_of(followed.odds, pictures, i, followed.plate.change(i, followed.plate.near(i)))
    own, area = colours(pictures.bins(i), mask), int(followed.track.masks[0].sum())
    for clump in clumps(evidence, pictures.bins(i), own, area, ANOTHER, barred=grown(mask, 3)):
        known = clump.mask & change.known
        if known.sum() > 0.5 * clump.mask.sum() > 0.1 * mask.sum() and change.of(known, DIFFERS) > ANOTHER_NOVEL:
            return float(clump.mask.sum()) / area, clump.alike
    return 0.0, 0.0


def _something_new(change: Change) -> float:
    """Pixels of the largest clump that differs from what was there before."""
    new: Mask = (change.apart > NEW_APART) & change.known
    opened = cv2.morphologyEx(new.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    stats = cv2.connectedComponentsWithStats(opened)[2][1:]
    filled = [size for _, _, width, height, size in stats if size > NEW_FILL * width * height]
    return float(max(filled, default=0))
