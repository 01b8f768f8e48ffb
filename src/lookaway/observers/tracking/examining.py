"""When the subject should be back: is there another one like it, or something else in its place?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from lookaway.observers import Flags, Floats, Indices
from lookaway.observers.tracking.colours import Evidence, colours
from lookaway.observers.tracking.following import Followed, evidence_of
from lookaway.observers.tracking.looking_again import DIFFERS, ClumpRule, SubjectSight, clumps, placed_as_before
from lookaway.observers.tracking.pictures import Image, Mask, Pictures, grown, touches_border
from lookaway.observers.tracking.plate import KeptFrame, PlaceChange

EACH = 7  # frames that are examined after each look-away
SETTLE = 4  # frames after the subject was lost from which on something else may be in its place
HOME_BACK = 0.9  # of its first place in view: then it is due
EARLY = slice(0, 6, 2)  # of the frames kept from before the first look-away
ANOTHER = ClumpRule(area=0.12, odds=0.8, alike=0.45, fill=0.18)
ANOTHER_NOVEL = 0.5  # of it must differ from what was there before
NEW_APART = 20  # from the plate: something else is there
NEW_FILL = 0.25  # of its bounding box
SAME_OUTLINE = 0.5  # correlation of edges with those of a sight of it: another thing stands just where it stood


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
    sights = [last_whole(followed.track.masks[:first_hidden]), SubjectSight(0, followed.track.masks[0])]
    rows = [_row(followed, i, bool(visible[i]), _early(followed, i, first_hidden), sights) for i in frames]
    table = np.array(rows, float).reshape(-1, 3)
    return Examined(np.array(frames, np.int64), *table.T)


def _early(followed: Followed, i: int, first_hidden: int) -> list[KeptFrame]:
    return [k for k in followed.plate.kept if k.frame < min(first_hidden, i - 3)][EARLY]


def last_whole(masks: Flags) -> SubjectSight:
    """The last sight that touches no border of the picture; the first one if all do."""
    inner = [i for i in range(len(masks)) if masks[i].any() and not touches_border(masks[i])]
    index = inner[-1] if inner else 0
    return SubjectSight(index, masks[index])


def _row(
    followed: Followed, i: int, visible: bool, early: list[KeptFrame], sights: list[SubjectSight]
) -> tuple[float, float, float]:
    change = followed.plate.change(i, early, slack=False)
    if visible:
        return *_another(followed, i, change, _was_there(followed, i)), 0.0
    stays = [float(sight.mask.sum()) for sight in sights if same_outline(followed.plate.pictures, i, sight)]
    return 0.0, 0.0, max(_something_new(change), *stays, 0.0) / followed.track.masks[0].sum()


def _was_there(followed: Followed, i: int) -> Mask:
    """Where the subject itself was in the first frame, as this frame sees it: one that is there now is new as well."""
    pictures, first = followed.plate.pictures, followed.track.masks[0].astype(np.uint8)
    return np.asarray(cv2.warpPerspective(first, pictures.turned(0, i), pictures.size) > 0)


def _another(followed: Followed, i: int, change: PlaceChange, was_there: Mask) -> tuple[float, float]:
    """The likest second thing of the subject's looks where something else was seen before: its area and likeness.

    Where the subject was at first counts too, if it is elsewhere now: the tracked one may be the copy.
    """
    pictures, mask = followed.plate.pictures, followed.track.masks[i]
    evidence = evidence_of(followed.odds, pictures, i, followed.plate.change(i, followed.plate.near(i)))
    own, area = colours(pictures.bins(i), mask), int(followed.track.masks[0].sum())
    for clump in clumps(evidence, pictures.bins(i), own, area, ANOTHER, barred=grown(mask, 3)):
        known = clump.mask & (change.known | was_there)
        new = known & (was_there | (change.apart > DIFFERS))
        if known.sum() > 0.5 * clump.mask.sum() > 0.1 * mask.sum() and new.sum() > ANOTHER_NOVEL * known.sum():
            return float(clump.mask.sum()) / area, clump.alike
    return 0.0, 0.0


def _something_new(change: PlaceChange) -> float:
    """Pixels of the largest clump that differs from what was there before."""
    new: Mask = (change.apart > NEW_APART) & change.known
    opened = cv2.morphologyEx(new.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    stats = cv2.connectedComponentsWithStats(opened)[2][1:]
    filled = [size for _, _, width, height, size in stats if size > NEW_FILL * width * height]
    return float(max(filled, default=0))


def same_outline(pictures: Pictures, i: int, sight: SubjectSight) -> bool:
    """Are there edges where the subject's were, at the same place of the world?"""
    window = placed_as_before(pictures, i, sight)
    if window is None:
        return False
    (x, y), (height, width) = window.box_corner, window.before.shape
    around = grown(sight.mask, 5)[y : y + height, x : x + width].astype(np.float32)
    before, part = _edges(window.before), _edges(window.part)
    alike = cv2.matchTemplate(part, before, cv2.TM_CCOEFF_NORMED, mask=around)
    return float(np.nan_to_num(alike, posinf=0.0, neginf=0.0).max()) > SAME_OUTLINE


def _edges(grey: Image) -> Evidence:
    """Steepness of a picture, the faint and the hard edges brought nearer to each other."""
    across, down = (cv2.Sobel(grey, cv2.CV_32F, *step, ksize=3) for step in ((1, 0), (0, 1)))
    return np.asarray(np.sqrt(cv2.GaussianBlur(cv2.magnitude(across, down), (0, 0), 1.0)), np.float32)
