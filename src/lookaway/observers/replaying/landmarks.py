"""Where in the known world was a frame taken? Features of the true clip have known places, so PnP tells.

Works for any camera motion, translation included, and for frames that differ in size, coding, tone and renderer. A
frame that shares too little with the true clip is not placed.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.trajectory import Floats
from lookaway.observers.features import held, matched, shrunk, sift
from lookaway.observers.replaying.structure import correlation, structure
from lookaway.truth import Truth

NEW_ANCHOR_DEG, NEW_ANCHOR_M = 8.0, 0.15
REACH_DEG = 50.0  # anchors turned further away than this share too little to match
MIN_PLACE_INLIERS = 12
PLACE_SPREAD = 0.2  # share of the frame's width that the inliers must span
REPROJECTION_PX = 1.5
SETTLE_DEG, SETTLE_M = 0.8, 0.05
FAR_DEG_PER_M = 20.0  # a metre aside changes a view about as much as this turn
LOST_IN_M = 3.0  # no camera of ours travels that far from the true one

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class Anchor:
    """A true frame: its pose, and the world points of its features."""

    pose: Floats
    descriptors: NDArray[np.float32]
    points: Floats  # (K, 3) in metres


@dataclass(frozen=True)
class Placed:
    """Camera-to-world per frame of a clip; where `trusted` is false it repeats the last trusted one."""

    poses: Floats
    trusted: NDArray[np.bool_]


class Landmarks:
    """The true clip as a map."""

    def __init__(self, truth: Truth) -> None:
        assert truth.world is not None
        world = truth.world
        self.intrinsics = world.intrinsics[0]
        depth, rgb = truth.depth(), truth.frames().rgb
        self.anchors: list[Anchor] = []
        for i, pose in enumerate(world.camera_to_world):
            if any(
                turn_deg(pose, a.pose) < NEW_ANCHOR_DEG and apart_m(pose, a.pose) < NEW_ANCHOR_M for a in self.anchors
            ):
                continue
            anchor = self._anchor(rgb[i], depth[i], world.masks[i], pose)
            if len(anchor.points) >= MIN_PLACE_INLIERS:
                self.anchors.append(anchor)
        self.home = world.camera_to_world[0]
        self._true, self._fine = world.camera_to_world, [structure(picture) for picture in rgb]

    def _anchor(self, rgb: Image, depth: NDArray[np.float32], mask: NDArray[np.bool_], pose: Floats) -> Anchor:
        pixels, descriptors = features(rgb)
        column, row = (pixels.astype(int).clip(0, [mask.shape[1] - 1, mask.shape[0] - 1])).T
        near_subject = cv2.dilate(mask.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool)
        fixed = ~near_subject[row, column]
        pixels, descriptors, z = pixels[fixed], descriptors[fixed], depth[row[fixed], column[fixed]]
        rays = np.column_stack([pixels, np.ones(len(pixels))]) @ np.linalg.inv(self.intrinsics).T
        points = rays * z[:, None] @ pose[:3, :3].T + pose[:3, 3]
        return Anchor(pose, descriptors, points)

    def placed(self, frames: NDArray[np.uint8], expected: Floats) -> Placed:
        """Poses of all frames; `expected` are the asked ones, tried first among others."""
        poses = np.tile(self.home, (len(frames), 1, 1))
        trusted = np.zeros(len(frames), bool)
        last, last_small = self.home, None
        for i, rgb in enumerate(frames):
            small = shrunk(rgb)
            if last_small is None or not held(small, last_small):
                pose = self._place(rgb, [last, expected[i], self.home])
                pose = pose if pose is None else self._settled(rgb, pose)
                if pose is None:
                    poses[i], last_small = last, None
                    continue
                last, last_small = pose, small
            poses[i], trusted[i] = last, True
        return Placed(poses, trusted)

    def _settled(self, rgb: Image, pose: Floats) -> Floats:
        """The pose, or that of the true frame next to it where the two frames lie on each other even better."""
        j = int((turn_deg(self._true, pose) + FAR_DEG_PER_M * apart_m(self._true, pose)).argmin())
        if turn_deg(pose, self._true[j]) > SETTLE_DEG or apart_m(pose, self._true[j]) > SETTLE_M:
            return pose
        mine, true = structure(rgb), self._fine[j]
        turn = self.intrinsics @ pose[:3, :3].T @ self._true[j, :3, :3] @ np.linalg.inv(self.intrinsics)
        turned = np.asarray(cv2.warpPerspective(true, turn, (true.shape[1], true.shape[0])), np.float32)
        return np.asarray(self._true[j]) if correlation(mine, true) >= correlation(mine, turned) else pose

    def _place(self, rgb: Image, guesses: list[Floats]) -> Floats | None:
        pixels, descriptors = features(rgb)
        if len(pixels) < MIN_PLACE_INLIERS:
            return None
        tried: list[Anchor] = []
        for guess in guesses:
            near = sorted(self.anchors, key=lambda a: turn_deg(guess, a.pose) + FAR_DEG_PER_M * apart_m(guess, a.pose))[
                :2
            ]
            for anchor in near:
                if any(anchor is t for t in tried) or turn_deg(guess, anchor.pose) > REACH_DEG:
                    continue
                tried.append(anchor)
                pose = self._seen_from(pixels, descriptors, anchor)
                if pose is not None:
                    return pose
        return None

    def _seen_from(self, pixels: Floats, descriptors: NDArray[np.float32], anchor: Anchor) -> Floats | None:
        good = matched(descriptors, anchor.descriptors)
        if len(good) < MIN_PLACE_INLIERS:
            return None
        here, there = pixels[good[:, 0]], anchor.points[good[:, 1]]
        cv2.setRNGSeed(0)
        found, turn, shift, inliers = cv2.solvePnPRansac(
            there,
            here,
            self.intrinsics,
            None,
            iterationsCount=150,
            reprojectionError=REPROJECTION_PX,
            flags=cv2.SOLVEPNP_AP3P,
        )
        if not found or inliers is None or len(inliers) < MIN_PLACE_INLIERS:
            return None
        chosen = inliers[:, 0]
        if np.ptp(here[chosen, 0]) < PLACE_SPREAD * 2 * self.intrinsics[0, 2]:
            return None
        turn, shift = cv2.solvePnPRefineLM(there[chosen], here[chosen], self.intrinsics, None, turn, shift)
        rotation = cv2.Rodrigues(turn)[0]
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = rotation.T, -rotation.T @ shift[:, 0]
        return pose if apart_m(pose, anchor.pose) < LOST_IN_M else None


def features(rgb: Image) -> tuple[Floats, NDArray[np.float32]]:
    return sift(np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), np.uint8))


def apart_m(a: Floats, b: Floats) -> Floats:
    """How far poses are from another, or arrays of them."""
    return np.asarray(np.linalg.norm(a[..., :3, 3] - b[..., :3, 3], axis=-1))
