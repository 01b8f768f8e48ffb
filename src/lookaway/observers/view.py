"""How far has each frame's view turned from the task's first frame?

SIFT matches between frames give view rays; the rotation between two views is found by 2-point RANSAC on those rays
under the task's field of view. Each frame is tied to the first frame where they share enough view, else to the best
anchor frame already placed, so that returning closes the loop instead of adding drift. A frame that still looks like
the last one placed needs no matching: the camera is held.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.trajectory import pinhole
from lookaway.observers import Arrays, Look, observer
from lookaway.observers.features import held, matched, shrunk, sift
from lookaway.outcomes import Abstain
from lookaway.video import SharedFrames, resize

LONG_SIDE = 320
INLIER_DEG = 0.6
MIN_INLIERS = 14
MIN_SPREAD = 0.2  # share of the frame's width that the inliers must span
ANCHOR_EVERY_DEG = 12.0
OVERLAP_DEG = 55.0  # views further apart than this share too little to match

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Features:
    rays: Floats  # (K, 3) unit vectors
    across: Floats  # (K,) horizontal position as a share of the width
    descriptors: NDArray[np.float32]


@observer(version=1, seconds_per_frame=0.01)
def view(look: Look) -> Arrays | Abstain:
    """Rotation per frame against the first, and how much of the first view and of the subject's place is in view."""
    turned = turns(look)
    if isinstance(turned, Abstain):
        return turned
    rotations, trusted = turned
    height, width = look.frames.rgb.shape[1:3]
    whole = _grid((0.0, 0.0, 1.0, 1.0), width, height, look.task.hfov_deg)
    place = _grid(look.task.subjects[0].box, width, height, look.task.hfov_deg)
    return {
        "seconds": look.frames.seconds,
        "rotation": rotations,
        "trusted": trusted,
        "overlap": np.array([_share_in_view(r, whole, width, height, look.task.hfov_deg) for r in rotations]),
        "home_in_view": np.array([_share_in_view(r, place, width, height, look.task.hfov_deg) for r in rotations]),
    }


Turns = tuple[Floats, NDArray[np.bool_]]

_KNOWN: WeakKeyDictionary[SharedFrames, tuple[tuple[float, int, bytes], Turns | Abstain]] = WeakKeyDictionary()


def turns(look: Look) -> Turns | Abstain:
    """Per frame: this camera's rays to the first camera's (N, 3, 3), and whether the frame could be placed.

    Kept as long as the frames are, so that several observers of one clip share the work.
    """
    asked = (look.task.hfov_deg, len(look.frames), look.first_frame.tobytes())
    if look.frames not in _KNOWN or _KNOWN[look.frames][0] != asked:
        _KNOWN[look.frames] = asked, _turns(look)
    return _KNOWN[look.frames][1]


def _turns(look: Look) -> Turns | Abstain:
    if len(look.frames) < 2:
        return Abstain("a single frame has no camera motion")
    height, width = look.frames.rgb.shape[1:3]
    asked = resize(look.first_frame, (width, height))
    first = _features(asked, look.task.hfov_deg)
    if len(first.rays) < MIN_INLIERS:
        return Abstain(f"the first frame has only {len(first.rays)} features to follow; it is blank or dark")
    rotations, trusted = _place(look.frames.rgb, _Placed(np.eye(3), first, shrunk(asked)), look.task.hfov_deg)
    if not trusted[0]:
        return Abstain("the video does not start at the task's first frame: another task's video?")
    rotations.flags.writeable = trusted.flags.writeable = False
    return rotations, trusted


def turns_from(rgb: NDArray[np.uint8], hfov_deg: float) -> Turns:
    """The same for frames that share nothing with the first view, against the first of them."""
    return _place(rgb, _Placed(np.eye(3), _features(rgb[0], hfov_deg), shrunk(rgb[0])), hfov_deg)


def turn_between(here: NDArray[np.uint8], there: NDArray[np.uint8], hfov_deg: float) -> Floats | None:
    """R with ray_there = R @ ray_here, from these two frames alone; None when too little agrees on one."""
    return _rotation_between(_features(here, hfov_deg), _features(there, hfov_deg))


def _features(rgb: NDArray[np.uint8], hfov_deg: float) -> _Features:
    scale = min(1.0, LONG_SIDE / max(rgb.shape[:2]))
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    if scale < 1:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    xy, descriptors = sift(np.asarray(grey, np.uint8))
    height, width = grey.shape
    focal = pinhole(width, height, hfov_deg)[0, 0]
    rays = np.column_stack([(xy - [width / 2, height / 2]) / focal, np.ones(len(xy))])
    unit = rays / np.linalg.norm(rays, axis=1, keepdims=True)
    return _Features(unit, xy[:, 0] / width, descriptors)


@dataclass(frozen=True)
class _Placed:
    rotation: Floats  # this camera's rays to the first camera's
    features: _Features
    small: NDArray[np.float32]


def _place(frames: NDArray[np.uint8], home: _Placed, hfov_deg: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Camera-to-home rotations, and which frames could be tied to something already placed."""
    rotations = np.tile(np.eye(3), (len(frames), 1, 1))
    trusted = np.zeros(len(frames), bool)
    last, anchors = home, [home]
    for i in range(len(frames)):
        small = shrunk(frames[i])
        if not held(small, last.small):
            features = _features(frames[i], hfov_deg)
            rotation = _tied(features, [home, *_nearest(anchors, last.rotation), last])
            if rotation is None:
                rotations[i] = last.rotation
                continue
            last = _Placed(rotation, features, small)
            if min(turn_deg(rotation, a.rotation) for a in anchors) > ANCHOR_EVERY_DEG:
                anchors.append(last)
        rotations[i], trusted[i] = last.rotation, True
    return rotations, trusted


def _nearest(anchors: list[_Placed], rotation: Floats) -> list[_Placed]:
    return sorted(anchors, key=lambda a: turn_deg(rotation, a.rotation))[:2]


def _tied(features: _Features, candidates: list[_Placed]) -> Floats | None:
    """The rotation through the first candidate that shares enough view; far ones are not tried."""
    tried: list[_Placed] = []
    for other in candidates:
        if any(other is t for t in tried) or turn_deg(other.rotation, candidates[-1].rotation) > OVERLAP_DEG:
            continue
        tried.append(other)
        relative = _rotation_between(features, other.features)
        if relative is not None:
            return np.asarray(other.rotation @ relative)
    return None


def _rotation_between(here: _Features, there: _Features) -> Floats | None:
    """R with ray_there = R @ ray_here, or None when too little agrees on one."""
    if min(len(here.rays), len(there.rays)) < MIN_INLIERS:
        return None
    index = matched(here.descriptors, there.descriptors)
    if len(index) < MIN_INLIERS:
        return None
    a, b = here.rays[index[:, 0]], there.rays[index[:, 1]]
    inliers = _best_inliers(a, b)
    across = here.across[index[inliers, 0]]
    if inliers.sum() < MIN_INLIERS or np.ptp(across) < MIN_SPREAD:
        return None
    for _ in range(2):
        rotation = _kabsch(a[inliers], b[inliers])
        inliers = _agree(rotation[None], a, b)[0]
        if inliers.sum() < MIN_INLIERS:
            return None
    return rotation


def _best_inliers(a: Floats, b: Floats, tries: int = 200) -> NDArray[np.bool_]:
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


def _agree(rotations: Floats, a: Floats, b: Floats) -> NDArray[np.bool_]:
    turned = np.einsum("kij,nj->kni", rotations, a)
    return np.asarray(np.einsum("kni,ni->kn", turned, b) > np.cos(np.deg2rad(INLIER_DEG)))


def _kabsch(a: Floats, b: Floats) -> Floats:
    u, _, vt = np.linalg.svd(b.T @ a)
    return np.asarray(u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt)


def _grid(box: tuple[float, float, float, float], width: int, height: int, hfov_deg: float) -> Floats:
    """Rays through the middles of a grid of cells that fill the box."""
    left, top, right, bottom = box
    across, down = (np.arange(24) + 0.5) / 24, (np.arange(14) + 0.5) / 14
    x, y = np.meshgrid(left + (right - left) * across, top + (bottom - top) * down)
    focal = pinhole(width, height, hfov_deg)[0, 0]
    return np.stack([(x - 0.5) * width / focal, (y - 0.5) * height / focal, np.ones_like(x)], -1).reshape(-1, 3)


def _share_in_view(rotation: Floats, rays: Floats, width: int, height: int, hfov_deg: float) -> float:
    """Share of first-frame rays that fall inside a frame turned by `rotation`."""
    seen = rays @ rotation
    focal = pinhole(width, height, hfov_deg)[0, 0]
    ahead = seen[:, 2] > 1e-6
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = np.abs(seen[:, 0] / seen[:, 2]), np.abs(seen[:, 1] / seen[:, 2])
    return float((ahead & (x <= width / 2 / focal) & (y <= height / 2 / focal)).mean())
