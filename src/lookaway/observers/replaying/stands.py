"""Viewpoints from which the true process is rendered at every moment, for frames to be compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.trajectory import Floats
from lookaway.observers.replaying.landmarks import apart_m

if TYPE_CHECKING:
    from lookaway.worlds import World

MOMENTS_PER_S = 16
EMPTY_EVERY_S = 1.0
SOFTEN_PX = 1.0
CHANGE_GREY = 8.0  # of 255: less is no change
MOST_CHANGING = 0.6  # of the frame; the rest is left to fit tones on
MOST_SAMPLES = 5000
SAME_DEG, SAME_M = 2.0, 0.05
NEAR_DEG, NEAR_M = 22.0, 0.3  # a frame this far from a stand can still be compared there

Image = NDArray[np.uint8]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stand:
    """One viewpoint: the view at every moment of the process, and the view without the subject."""

    pose: Floats
    intrinsics: Floats
    moments: Floats  # (T,) seconds of the true clip
    shown: NDArray[np.uint8]  # (T, H, W, 3), softened
    masks: Flags  # (T, H, W) of the subject
    bare: NDArray[np.uint8]  # (B, H, W, 3), softened: without the subject, every EMPTY_EVERY_S
    depth: NDArray[np.float32]  # (H, W) without the subject

    @classmethod
    def kept(cls, arrays: Mapping[str, NDArray[Any]]) -> Stand:
        shown = arrays["shown"].copy()
        shown[1:] += shown[0]
        return cls(**{**arrays, "shown": shown})

    def arrays(self) -> dict[str, NDArray[Any]]:
        """To be kept; views but the first as changes from it, which are nothing in most pixels."""
        shown = self.shown.copy()
        shown[1:] -= shown[0]
        return {**{field.name: getattr(self, field.name) for field in fields(self)}, "shown": shown}

    def at(self, second: float) -> int:
        """The moment nearest to that second."""
        return int(np.clip(round(second * MOMENTS_PER_S), 0, len(self.moments) - 1))

    def bare_at(self, moment: int) -> Image:
        return np.asarray(self.bare[min(len(self.bare) - 1, round(self.moments[moment] / EMPTY_EVERY_S))])

    @cached_property
    def changing(self) -> Flags:
        """Pixels at which the process, or the subject's being there, makes a difference."""
        spread = (self.shown.max(axis=0).astype(np.int16) - self.shown.min(axis=0)).max(axis=-1)
        step = max(1, len(self.shown) // len(self.bare))
        presence = np.zeros(spread.shape, np.int16)
        for moment in range(0, len(self.shown), step):
            away = np.abs(self.shown[moment].astype(np.int16) - self.bare_at(moment))
            presence = np.maximum(presence, away.max(axis=-1))
        strength = np.maximum(spread, presence)
        least = max(CHANGE_GREY, float(np.quantile(strength, 1 - MOST_CHANGING)))
        wide = cv2.dilate((strength > least).astype(np.uint8), np.ones((5, 5), np.uint8))
        return np.asarray(wide, bool)

    @cached_property
    def samples(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Image]:
        """Rows and columns of some changing pixels, and what they show at every moment, (T, K, 3)."""
        rows, columns = np.nonzero(self.changing)
        every = max(1, -(-len(rows) // MOST_SAMPLES))
        rows, columns = rows[::every], columns[::every]
        return rows, columns, np.ascontiguousarray(self.shown[:, rows, columns])

    @cached_property
    def rays(self) -> Floats:
        """World points of every pixel of the bare view, (H*W, 3)."""
        height, width = self.depth.shape
        x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
        flat = np.stack([x, y, np.ones_like(x)], axis=-1).reshape(-1, 3) @ np.linalg.inv(self.intrinsics).T
        return np.asarray(flat * self.depth.reshape(-1, 1) @ self.pose[:3, :3].T + self.pose[:3, 3])

    def seen(self, rgb: Image, pose: Floats) -> tuple[NDArray[np.float32], Flags]:
        """A frame taken at `pose` as it would look from here, softened, and which pixels it really shows."""
        soft = cv2.GaussianBlur(rgb, (0, 0), SOFTEN_PX)
        if turn_deg(pose, self.pose) < 0.01 and apart_m(pose, self.pose) < 0.001:
            return soft.astype(np.float32), np.ones(soft.shape[:2], bool)
        height, width = self.depth.shape
        inside = (self.rays - pose[:3, 3]) @ pose[:3, :3]
        z = np.maximum(inside[:, 2], 1e-6)
        x = self.intrinsics[0, 0] * inside[:, 0] / z + self.intrinsics[0, 2] - 0.5
        y = self.intrinsics[1, 1] * inside[:, 1] / z + self.intrinsics[1, 2] - 0.5
        valid = (inside[:, 2] > 0.05) & (x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)
        across, down = (np.where(valid, a, -10).astype(np.float32).reshape(height, width) for a in (x, y))
        warped = cv2.remap(soft, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return warped.astype(np.float32), valid.reshape(height, width)


def near(stand: Stand, pose: Floats) -> bool:
    return bool(turn_deg(pose, stand.pose) <= NEAR_DEG and apart_m(pose, stand.pose) <= NEAR_M)


def viewpoints(poses: Floats) -> list[Floats]:
    """The first pose of a path, and the last where it is another one."""
    first, last = poses[0], poses[-1]
    same = turn_deg(first, last) <= SAME_DEG and apart_m(first, last) <= SAME_M
    return [first] if same else [first, last]


def stand_at(world: World, pose: Floats, until_s: float) -> Stand:
    """The process rendered from a viewpoint; a world in which nothing happens has one moment."""
    still = world.spec.variant == "still"
    moments = np.zeros(1) if still else np.arange(round(until_s * MOMENTS_PER_S) + 1) / MOMENTS_PER_S
    views = [world.render(pose, float(s)) for s in moments]
    gone = frozenset({world.subject})
    bare_s = np.arange(0.0, 1e-9 + (0.0 if still else until_s), EMPTY_EVERY_S)
    bare = [world.render(pose, float(s), without=gone) for s in bare_s]
    return Stand(
        pose=pose,
        intrinsics=np.asarray(world.intrinsics, np.float64),
        moments=moments,
        shown=np.stack([cv2.GaussianBlur(view.rgb, (0, 0), SOFTEN_PX) for view in views]),
        masks=np.stack([world.subject_mask(view.instances) for view in views]),
        bare=np.stack([cv2.GaussianBlur(view.rgb, (0, 0), SOFTEN_PX) for view in bare]),
        depth=np.asarray(bare[0].depth, np.float32),
    )
