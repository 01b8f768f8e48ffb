"""After the subject was lost: what in a frame could be it, come back?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.observers import Floats
from lookaway.observers.tracking.carrying import Chance
from lookaway.observers.tracking.colours import OWN, ColourOdds, Evidence, alike, colours
from lookaway.observers.tracking.pictures import Bins, Image, Mask, Pictures, degrees_between, grown
from lookaway.observers.tracking.plate import PlaceChange

LEAST_CLUMP_PX = 12
LARGEST = 12  # first areas, and 400 pixels
MOST_CLUMPS = 4
DIFFERS = 16  # from the plate: another thing is there now
NOVEL = 0.35  # of a clump must differ where its place is known
KNOWN_SHARE = 0.3  # of a clump: from there on its place is known
YOUNG_S = 0.8  # what has been in the picture for longer did not just come back,
SURELY_NEW = 0.8  # unless so much of its place is known and differs: flow may carry the age of what is behind it,
STILL_DEG = 1.0  # and no parallax is taken for novelty: the camera turned less in the last second
KNOWN_REACH, NEW_REACH = (25.0, 25.0), (15.0, 10.0)  # degrees, and more per second: how far it may have gone
GROWTH = (1.7, 4.0)  # of its area, and more per second
SIGHTS_BACK = 8  # frames before it was lost: then it was whole
SAME_PICTURE = 0.72  # correlation with a sight from before
TINGE = 0.4  # likeness of its colours: something else of the same outline has less
SEARCH_PX = 10
RIM_PX = 3  # its outline counts, and nothing beyond: else a place is like itself without the subject


class ClumpRule(NamedTuple):
    """What a clump of the subject's colours must have."""

    area: float  # of the first one
    odds: float  # mean
    alike: float
    fill: float  # of its bounding box


FOUND = ClumpRule(area=0.10, odds=1.0, alike=0.52, fill=0.18)


class Clump(NamedTuple):
    mask: Mask
    score: float
    alike: float


class SubjectSight(NamedTuple):
    """Where it was seen."""

    frame: int
    mask: Mask


class LostSubject(NamedTuple):
    """What is known of the subject when it was lost."""

    gap_s: float
    usual_area: float
    last: Floats  # direction
    home: Floats


def clumps(
    evidence: Evidence, bins: Bins, own: Floats, area: int, rule: ClumpRule, barred: Mask | None = None
) -> list[Clump]:
    """Clumps of the subject's colours, the likest first."""
    blurred = cv2.GaussianBlur(evidence, (0, 0), max(0.8, 0.04 * float(np.sqrt(area))))
    mask = cv2.morphologyEx((blurred > OWN).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    if barred is not None:
        mask[barred] = 0
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    found = []
    for k in range(1, count):
        _, _, width, height, size = stats[k]
        if max(LEAST_CLUMP_PX, rule.area * area, rule.fill * width * height) <= size <= LARGEST * area + 400:
            clump = _clump(labels == k, evidence, bins, own, rule)
            found += [clump] if clump is not None else []
    return sorted(found, key=lambda c: -c.score * np.sqrt(min(1, c.mask.sum() / (0.5 * area))))[:MOST_CLUMPS]


def _clump(mask: Mask, evidence: Evidence, bins: Bins, own: Floats, rule: ClumpRule) -> Clump | None:
    odds = float(evidence[mask].mean())
    likeness = alike(colours(bins, mask), own) if odds >= rule.odds else 0.0
    return Clump(mask, likeness * min(1, odds / 2.5), likeness) if likeness >= rule.alike else None


class SearchResult(NamedTuple):
    """What a search in one frame found, and all that could have been it had it been younger."""

    found: Clump | None
    plausible: Mask


def looked_again(
    pictures: Pictures,
    i: int,
    evidence: Evidence,
    change: PlaceChange,
    age: Chance,
    odds: ColourOdds,
    area: int,
    lost: LostSubject,
) -> SearchResult:
    """The likest clump of its colours, not too large, that was not there before, within reach, and just came in."""
    plausible = np.zeros(pictures.shape, bool)
    for clump in clumps(evidence, pictures.bins(i), odds.own, area, FOUND):
        if clump.mask.sum() > (GROWTH[0] + GROWTH[1] * lost.gap_s) * lost.usual_area:
            continue
        known = change.known_share(clump.mask) > KNOWN_SHARE
        if known and change.of(clump.mask, DIFFERS) < NOVEL:
            continue
        if pictures.trusted[i] and _away_deg(pictures, i, clump, lost) > _reach(known, lost.gap_s):
            continue
        plausible |= clump.mask
        if np.median(age[clump.mask]) <= YOUNG_S * pictures.fps or _surely_new(pictures, i, clump, change):
            return SearchResult(clump, plausible)
    return SearchResult(None, plausible)


def _surely_new(pictures: Pictures, i: int, clump: Clump, change: PlaceChange) -> bool:
    """Is it where something else was, before a camera that stands still?"""
    if change.known_share(clump.mask) < SURELY_NEW:
        return False
    second = slice(max(0, i - round(pictures.fps)), i + 1)
    still = pictures.trusted[i] and turn_deg(pictures.rotations[second], pictures.rotations[i]).max() < STILL_DEG
    return bool(still and change.of(clump.mask, DIFFERS) >= SURELY_NEW)


def _away_deg(pictures: Pictures, i: int, clump: Clump, lost: LostSubject) -> float:
    """From where it was last, or at first."""
    way = pictures.direction(clump.mask, i)
    return min(degrees_between(way, lost.last), degrees_between(way, lost.home))


def _reach(known: bool, gap_s: float) -> float:
    least, per_s = KNOWN_REACH if known else NEW_REACH
    return least + per_s * gap_s


class PlaceBefore(NamedTuple):
    """A sight from before, and the part of another frame where it would be had it not moved; corners are x, y."""

    before: Image
    part: Image
    box_corner: tuple[int, int]
    part_corner: tuple[int, int]


def placed_as_before(pictures: Pictures, i: int, sight: SubjectSight) -> PlaceBefore | None:
    """The same place of the world in another frame, a little larger; None where it is not in the picture."""
    height, width = sight.mask.shape
    rows, columns = np.nonzero(sight.mask)
    x0, x1 = max(0, int(columns.min()) - 3), min(width, int(columns.max()) + 4)
    y0, y1 = max(0, int(rows.min()) - 3), min(height, int(rows.max()) + 4)
    x, y, ahead = pictures.turned(sight.frame, i) @ [(x0 + x1) / 2, (y0 + y1) / 2, 1.0]
    if ahead <= 0:
        return None
    left, top = int(x / ahead - (x1 - x0) / 2 - SEARCH_PX), int(y / ahead - (y1 - y0) / 2 - SEARCH_PX)
    wide, high = x1 - x0 + 2 * SEARCH_PX, y1 - y0 + 2 * SEARCH_PX
    if min(left, top) < -SEARCH_PX or left + wide > width + SEARCH_PX or top + high > height + SEARCH_PX:
        return None
    part = pictures.grey(i)[max(0, top) : top + high, max(0, left) : left + wide]
    before = pictures.grey(sight.frame)[y0:y1, x0:x1]
    if part.shape[0] < before.shape[0] or part.shape[1] < before.shape[1]:
        return None
    return PlaceBefore(before, part, (x0, y0), (max(0, left), max(0, top)))


def same_as_before(pictures: Pictures, i: int, sights: Sequence[SubjectSight], own: Floats) -> Clump | None:
    """A sight from shortly before the loss, found again at the same place of the world; stands haze and light."""
    sight = sights[max(0, len(sights) - SIGHTS_BACK)]
    window = placed_as_before(pictures, i, sight)
    if window is None or window.before.std() < 4 or window.part.std() < 2:
        return None
    (x, y), (height, width) = window.box_corner, window.before.shape
    own_part = grown(sight.mask, RIM_PX)[y : y + height, x : x + width].astype(np.float32)
    alike_at = cv2.matchTemplate(
        window.part.astype(np.float32), window.before.astype(np.float32), cv2.TM_CCOEFF_NORMED, mask=own_part
    )
    _, best, _, found = cv2.minMaxLoc(np.nan_to_num(alike_at, posinf=0.0, neginf=0.0))
    if best < SAME_PICTURE:
        return None
    across, down = (
        at + here - there for at, here, there in zip(found, window.part_corner, window.box_corner, strict=True)
    )
    moved = _shifted(sight.mask, across, down)
    if not moved.any() or alike(colours(pictures.bins(i), moved), own) < TINGE:
        return None
    return Clump(moved, 0.6 * best, 0.6 * best)


def _shifted(mask: Mask, across: int, down: int) -> Mask:
    shift = np.array([[1, 0, across], [0, 1, down]], np.float32)
    return np.asarray(cv2.warpAffine(mask.astype(np.uint8), shift, mask.shape[::-1], flags=cv2.INTER_NEAREST), bool)
