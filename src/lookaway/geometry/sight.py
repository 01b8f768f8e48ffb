"""How much of a thing a moving camera has in view.

A thing is a cloud of points (K, 4) in the axes of the first camera: x, y, z and 1; or a direction and 0, for what is
so far away, or at such an unknown distance, that only turns count. What stands in between is not considered.
"""

from __future__ import annotations

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.trajectory import Floats, Trajectory, pinhole
from lookaway.records import Box

SIDE_POINTS = 9  # of a box or ball, along each of its sides
SLACK_PX = 1e-6  # so that what touches the border of the picture is in view


def box_points(box: Box, size: tuple[int, int], hfov_deg: float, distance_m: float | None = None) -> Floats:
    """What fills a box of the first frame: directions, or points on a plane at a known distance ahead."""
    left, top, right, bottom = box
    width, height = size
    x, y = np.meshgrid(np.linspace(left, right, SIDE_POINTS), np.linspace(top, bottom, SIDE_POINTS))
    pixels = np.stack([x * width, y * height, np.ones_like(x)], axis=-1).reshape(-1, 3)
    rays = pixels @ np.linalg.inv(pinhole(width, height, hfov_deg)).T
    if distance_m is None:
        return np.column_stack([rays, np.zeros(len(rays))])
    return np.column_stack([rays * _positive(distance_m), np.ones(len(rays))])


def ball_points(place_m: tuple[float, float, float], radius_m: float) -> Floats:
    """A ball whose middle lies that many metres right, up and forward of the first camera."""
    right, up, forward = place_m
    side = np.linspace(-1, 1, SIDE_POINTS)
    cube = np.stack(np.meshgrid(side, side, side), axis=-1).reshape(-1, 3)
    ball = cube[np.linalg.norm(cube, axis=1) <= 1] * _positive(radius_m)
    return np.column_stack([ball + np.array([right, -up, forward]), np.ones(len(ball))])


def share_in_view(points: Floats, path: Trajectory, size: tuple[int, int]) -> Floats:
    """Per pose: which share of the points lies in the picture; 1 is all of them."""
    width, height = size
    seen = points @ np.linalg.inv(path.camera_to_world).transpose(0, 2, 1)
    x, y, depth = np.moveaxis(seen[..., :3] @ path.intrinsics.transpose(0, 2, 1), -1, 0)
    inside_x = (x >= -SLACK_PX * depth) & (x <= (width + SLACK_PX) * depth)
    inside_y = (y >= -SLACK_PX * depth) & (y <= (height + SLACK_PX) * depth)
    return np.asarray(((depth > 0) & inside_x & inside_y).mean(axis=1))


def look_at(box: Box, size: tuple[int, int], hfov_deg: float, distance_m: float) -> str:
    """The camera script's piece that turns to the middle of a box of the first frame: `look-at:-0.4:0:3`."""
    x, y, z, _ = box_points(box, size, hfov_deg, distance_m).mean(axis=0)
    return f"look-at:{x:.6g}:{-y:.6g}:{z:.6g}"


def _positive(metres: float) -> float:
    if not (np.isfinite(metres) and metres > 0):
        raise UsageError(f"a thing in view needs a distance or radius above 0 metres, not {metres:g}")
    return metres
