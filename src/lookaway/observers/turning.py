"""How a camera turned from frame to frame, from matched features, under a given field of view.

SIFT matches between frames give view rays; the rotation between two views is found by 2-point RANSAC on those rays.
Each frame is tied to the first frame where they share enough view, else to the best anchor frame already placed, so
that returning closes the loop instead of adding drift. A frame that still looks like the last one placed needs no
matching: the camera is held.

A camera that also shifted leaves a pattern that no rotation explains: what is left between matches and rotation then
varies smoothly over the picture, where after a pure turn only noise is left. The size of that pattern, over all ties on
the way to the first frame, is the doubt about a frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.observers import Flags, Floats, ObservedArrays
from lookaway.observers.features import Descriptors, Small, held, matched, shrunk, sift

LONG_SIDE = 320
INLIER_DEG = 0.6
MIN_TURN_INLIERS = 14
TURN_SPREAD = (0.2, 0.15)  # of the frame's width, across and down: in a narrower strip a shift looks like a turn
ANCHOR_EVERY_DEG = 12.0
OVERLAP_DEG = 55.0  # views further apart than this share too little to match
SURE_TURN = 0.5  # confidence below it: the camera shifted as well as turned
PATTERN_PX = 0.3  # of LONG_SIDE: left after 95 % of turns below 0.1, after shifts that mislead by a degree above 0.35
REWEIGHED = 4  # times, against things that move by themselves
LEAST_PX = 0.1  # no match is weighed as nearer than that

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class Turns:
    """Per frame: this camera's rays to the first camera's (N, 3, 3), whether it could be placed, and how surely."""

    rotations: Floats
    trusted: Flags
    confidence: Floats  # 1 a turn leaves no pattern, SURE_TURN one of PATTERN_PX, towards 0 the camera shifted as well


class CameraTurns(ObservedArrays):
    """What every observer of the camera sees: one row per frame, turns counted from the first one."""

    seconds: Floats
    rotation: Floats  # (N, 3, 3)
    trusted: Flags  # could the frame be placed?
    confidence: Floats  # 0 to 1; below SURE_TURN the turn alone does not explain what is seen


@dataclass(frozen=True)
class Features:
    plane: Floats  # (K, 2) from the middle of the picture, in its widths
    descriptors: Descriptors

    def rays(self, hfov_deg: float) -> Floats:
        return rays(self.plane, hfov_deg)


def rays(plane: Floats, hfov_deg: float) -> Floats:
    """Unit view rays through places on the picture."""
    focal = 0.5 / np.tan(np.deg2rad(hfov_deg) / 2)
    ahead = np.column_stack([plane / focal, np.ones(len(plane))])
    return np.asarray(ahead / np.linalg.norm(ahead, axis=1, keepdims=True))


def features(rgb: Image) -> Features:
    scale = min(1.0, LONG_SIDE / max(rgb.shape[:2]))
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    if scale < 1:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    xy, descriptors = sift(np.asarray(grey, np.uint8))
    height, width = grey.shape
    return Features((xy - [width / 2, height / 2]) / width, descriptors)


@dataclass(frozen=True)
class _Placed:
    rotation: Floats  # this camera's rays to the first camera's
    pattern_px: float
    features: Features
    small: Small


@dataclass(frozen=True)
class Tie:
    """R with ray_there = R @ ray_here, and the size of the pattern that it leaves."""

    rotation: Floats
    pattern_px: float


def followed(frames: Image, first: Image, hfov_deg: float) -> Turns:
    """Every frame placed against a first picture of the same size."""
    home = _Placed(np.eye(3), 0.0, features(first), shrunk(first))
    rotations = np.tile(np.eye(3), (len(frames), 1, 1))
    trusted, confidence = np.zeros(len(frames), bool), np.zeros(len(frames))
    last, anchors = home, [home]
    for i in range(len(frames)):
        small = shrunk(frames[i])
        if not held(small, last.small):
            here = features(frames[i])
            found = _tied(here, [home, *_nearest(anchors, last.rotation), last], hfov_deg)
            if found is None:
                rotations[i] = last.rotation
                continue
            last = _Placed(found.rotation, found.pattern_px, here, small)
            if min(turn_deg(last.rotation, a.rotation) for a in anchors) > ANCHOR_EVERY_DEG:
                anchors.append(last)
        rotations[i], trusted[i], confidence[i] = last.rotation, True, confidence_of(last.pattern_px)
    return Turns(rotations, trusted, confidence)


def _nearest(anchors: list[_Placed], rotation: Floats) -> list[_Placed]:
    return sorted(anchors, key=lambda a: turn_deg(rotation, a.rotation))[:2]


def _tied(here: Features, candidates: list[_Placed], hfov_deg: float) -> Tie | None:
    """The rotation through the first candidate that shares enough view; far ones are not tried."""
    tried: list[_Placed] = []
    for other in candidates:
        if any(other is t for t in tried) or turn_deg(other.rotation, candidates[-1].rotation) > OVERLAP_DEG:
            continue
        tried.append(other)
        relative = tie(here, other.features, hfov_deg)
        if relative is not None:
            return Tie(other.rotation @ relative.rotation, float(np.hypot(other.pattern_px, relative.pattern_px)))
    return None


def tie(here: Features, there: Features, hfov_deg: float) -> Tie | None:
    """The turn between two views, or None when too little agrees on one."""
    if min(len(here.plane), len(there.plane)) < MIN_TURN_INLIERS:
        return None
    index = matched(here.descriptors, there.descriptors)
    if len(index) < MIN_TURN_INLIERS:
        return None
    a, b = here.rays(hfov_deg)[index[:, 0]], there.rays(hfov_deg)[index[:, 1]]
    rotation = rotation_between(a, b)
    if rotation is None:
        return None
    inliers = _agree(rotation[None], a, b)[0]
    if (np.ptp(here.plane[index[inliers, 0]], axis=0) < TURN_SPREAD).any():
        return None
    return Tie(rotation, pattern_px(rotation, a, b, hfov_deg))


def rotation_between(a: Floats, b: Floats) -> Floats | None:
    """R with b = R @ a for most pairs of rays, or None when too few agree."""
    inliers = _best_inliers(a, b)
    for _ in range(2):
        if inliers.sum() < MIN_TURN_INLIERS:
            return None
        rotation = _kabsch(a[inliers], b[inliers])
        inliers = _agree(rotation[None], a, b)[0]
    return rotation if inliers.sum() >= MIN_TURN_INLIERS else None


def confidence_of(left_px: float) -> float:
    return 1 / (1 + (left_px / PATTERN_PX) ** 2)


def pattern_px(rotation: Floats, a: Floats, b: Floats, hfov_deg: float) -> float:
    """How far, in the mean, what the rotation leaves of its matches follows a second-order pattern over the picture.

    As much of it as noise alone would make is taken off.
    """
    agreeing = _agree(rotation[None], a, b)[0]
    focal = LONG_SIDE / 2 / np.tan(np.deg2rad(hfov_deg) / 2)
    turned, there = (focal * r[:, :2] / r[:, 2:] for r in (a[agreeing] @ rotation.T, b[agreeing]))
    x, y = turned.T / (LONG_SIDE / 2)
    terms = np.column_stack([np.ones_like(x), x, y, x * y, x * x, y * y])
    left, weight = there - turned, np.ones((len(x), 1))
    for _ in range(REWEIGHED):
        pattern = terms @ np.linalg.lstsq(terms * weight, left * weight, rcond=None)[0]
        apart = np.linalg.norm(left - pattern, axis=1, keepdims=True)
        weight = 1 / np.sqrt(np.maximum(apart, LEAST_PX))
    count, fitted = terms.shape
    by_chance = (apart**2).mean() * fitted / (count - fitted)
    return float(np.sqrt(max(0.0, (pattern**2).sum(axis=1).mean() - by_chance)))


def _best_inliers(a: Floats, b: Floats, tries: int = 200) -> Flags:
    """The largest set of matches that one rotation explains; each try fits two of them."""
    pick = np.random.default_rng(0).integers(0, len(a), (tries, 2))
    frames_a, frames_b = _frames(a[pick[:, 0]], a[pick[:, 1]]), _frames(b[pick[:, 0]], b[pick[:, 1]])
    agreeing = _agree(frames_b @ frames_a.transpose(0, 2, 1), a, b)
    return np.asarray(agreeing[int(agreeing.sum(1).argmax())])


def _frames(first: Floats, second: Floats) -> Floats:
    """Orthonormal frames spanned by pairs of rays; degenerate pairs give frames nothing agrees with."""
    z = np.cross(first, second)
    z /= np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-9)
    return np.stack([first, np.cross(z, first), z], axis=2)


def _agree(rotations: Floats, a: Floats, b: Floats) -> Flags:
    turned = np.einsum("kij,nj->kni", rotations, a)
    return np.asarray(np.einsum("kni,ni->kn", turned, b) > np.cos(np.deg2rad(INLIER_DEG)))


def _kabsch(a: Floats, b: Floats) -> Floats:
    u, _, vt = np.linalg.svd(b.T @ a)
    return np.asarray(u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt)
