"""Pinhole cameras in OpenCV axes (x right, y down, z forward); pixel centres at +0.5."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats, Mask
from lookaway.worlds.rendering.soup import Rows, dot, looked_up

NEAR_M = 0.05
MARGIN_PX = 3
SPAN = 1 << 16  # few enough rays that their arrays stay in the processor's cache


def intrinsics(size: tuple[int, int], hfov_deg: float) -> FloatArray:
    """3x3 pixel intrinsics with the principal point in the middle of the image."""
    width, height = size
    focal = width / 2 / np.tan(np.deg2rad(hfov_deg) / 2)
    return np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])


def aimed(position: tuple[float, float, float], yaw_deg: float, pitch_deg: float) -> FloatArray:
    """Camera-to-world: yaw 0 looks along +y, positive yaw turns right, positive pitch looks up."""
    yaw, pitch = np.deg2rad(yaw_deg), np.deg2rad(pitch_deg)
    forward = np.array([np.sin(yaw) * np.cos(pitch), np.cos(yaw) * np.cos(pitch), np.sin(pitch)])
    right = np.array([np.cos(yaw), -np.sin(yaw), 0.0])
    camera_to_world = np.eye(4)
    camera_to_world[:3, 0] = right
    camera_to_world[:3, 1] = np.cross(forward, right)
    camera_to_world[:3, 2] = forward
    camera_to_world[:3, 3] = position
    return camera_to_world


@dataclass(frozen=True)
class Window:
    """A rectangle of pixels; right and bottom are the first column and row outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        return self.right <= self.left or self.bottom <= self.top

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.top, self.bottom), slice(self.left, self.right)


@dataclass(frozen=True)
class Rays:
    """Rays from one point, (3,) and (3, N); a direction has z = 1 in the camera: a hit's distance is its z-depth."""

    origin: Floats
    directions: Floats

    @property
    def origins(self) -> Floats:
        return np.broadcast_to(self.origin[:, None], self.directions.shape)

    @cached_property
    def squared_lengths(self) -> Floats:
        return dot(self.directions, self.directions)

    def at(self, distance: Floats) -> Floats:
        """The points at that distance along each ray, (3, N)."""
        points: Floats = self.directions * distance
        points += self.origin[:, None]
        return points

    def pass_box(self, low: Floats, high: Floats) -> Mask:
        """Which rays meet an upright box."""
        with np.errstate(divide="ignore", invalid="ignore"):
            per_way = 1 / self.directions
        first, second = ((corner - self.origin)[:, None] * per_way for corner in (low, high))
        enters, leaves = np.minimum(first, second).max(axis=0), np.maximum(first, second).min(axis=0)
        return np.asarray((enters <= leaves) & (leaves > 0))

    def some(self, rows: Rows) -> Rays:
        return Rays(self.origin, looked_up(self.directions, rows))


@dataclass(frozen=True)
class Camera:
    """A posed camera that sends rays through image places."""

    intrinsics: FloatArray
    camera_to_world: FloatArray
    size: tuple[int, int]

    def rays(self, x: Floats, y: Floats) -> Rays:
        """Rays through image places given in pixels; x and y are broadcast against each other and flattened."""
        focal, centre_x, centre_y = self.intrinsics[[0, 0, 1], [0, 2, 2]].astype(np.float32)
        turn = self.camera_to_world[:3, :3].astype(np.float32)
        across, down = (x - centre_x) / focal, (y - centre_y) / focal
        shape = np.broadcast_shapes(x.shape, y.shape)
        directions = np.empty((3, *shape), np.float32)
        for axis in range(3):
            np.add(across * turn[axis, 0], down * turn[axis, 1] + turn[axis, 2], out=directions[axis])
        return Rays(self.camera_to_world[:3, 3].astype(np.float32), directions.reshape(3, -1))

    def centre_rays(self, pixels: Rows) -> Rays:
        """Rays through the centres of pixels given by their flat numbers."""
        row, column = np.divmod(pixels.astype(np.int32), np.int32(self.size[0]))
        half = np.float32(0.5)
        return self.rays(column.astype(np.float32) + half, row.astype(np.float32) + half)

    def bands(self) -> Iterator[tuple[slice, Rays]]:
        """All pixels in bands of whole rows: their flat numbers and the rays through their centres."""
        width, height = self.size
        rows = max(1, SPAN // width)
        for top in range(0, height, rows):
            bottom = min(top + rows, height)
            yield slice(top * width, bottom * width), self.window_rays(Window(0, top, width, bottom))

    def window_rays(self, window: Window) -> Rays:
        """Rays through the centres of a window's pixels, row by row."""
        half = np.float32(0.5)
        x = np.arange(window.left, window.right, dtype=np.float32) + half
        y = np.arange(window.top, window.bottom, dtype=np.float32) + half
        return self.rays(x[None, :], y[:, None])

    def project(self, points: FloatArray) -> FloatArray:
        """Image x, image y and z-depth of world points, one per row."""
        local = (points - self.camera_to_world[:3, 3]) @ self.camera_to_world[:3, :3]
        image = local @ self.intrinsics.T
        return np.concatenate([image[:, :2] / image[:, 2:], local[:, 2:]], axis=1)

    def window(self, points: FloatArray) -> Window:
        """The pixels that the convex hull of a few points can touch, and a margin."""
        local = (points - self.camera_to_world[:3, 3]) @ self.camera_to_world[:3, :3]
        front, behind = local[local[:, 2] > NEAR_M], local[local[:, 2] <= NEAR_M]
        share = (NEAR_M - behind[:, None, 2:]) / (front[None, :, 2:] - behind[:, None, 2:])
        cut = behind[:, None] + share * (front[None] - behind[:, None])
        image = np.concatenate([front, cut.reshape(-1, 3)]) @ self.intrinsics.T
        if not len(image):
            return Window(0, 0, 0, 0)
        places = np.clip(image[:, :2] / image[:, 2:], -MARGIN_PX, np.array(self.size) + MARGIN_PX)
        left, top = np.maximum(np.floor(places.min(axis=0)) - MARGIN_PX, 0).astype(int)
        right, bottom = np.minimum(np.ceil(places.max(axis=0)) + MARGIN_PX, self.size).astype(int)
        return Window(int(left), int(top), int(right), int(bottom))


def spans(count: int, size: int = SPAN) -> list[slice]:
    """Slices that walk through so many things."""
    return [slice(start, start + size) for start in range(0, count, size)]
