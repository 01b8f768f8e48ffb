"""How far has each frame's view turned from the task's first frame, and what of the first view is still in it?"""

from __future__ import annotations

import numpy as np

from lookaway.geometry.framing import WHOLE
from lookaway.geometry.rotations import turned_by
from lookaway.geometry.sight import share_in_view
from lookaway.geometry.trajectory import Trajectory, pinhole
from lookaway.observers import Floats, Look, observer
from lookaway.observers.following import CameraTurns, Follow, follow
from lookaway.outcomes import Abstain
from lookaway.records import Box


class HomeView(CameraTurns):
    """The camera's turns, and what of the first view is in each frame."""

    overlap: Floats  # share of the first view
    home_in_view: Floats  # share of the subject's first box, of the first view where no subject is named
    overlap_bounds: Floats  # (N, 2): least and most that the camera's interval allows
    home_bounds: Floats  # (N, 2): the same of the subject's first box


@observer(version=3, saw=HomeView, seconds_per_frame=0.03)
def view(look: Look) -> HomeView | Abstain:
    """Rotation per frame against the first, and how much of the first view and of the subject's place is in view."""
    found = follow(look)
    if isinstance(found, Abstain):
        return found
    overlap = _shares(look, found, WHOLE)
    home = overlap if look.task.subject is None else _shares(look, found, look.task.subject.box)
    return HomeView(
        seconds=look.frames.seconds,
        rotation=found.rotations,
        trusted=found.trusted,
        confidence=found.confidence,
        half_width_deg=found.half_width_deg,
        overlap=overlap[0],
        home_in_view=home[0],
        overlap_bounds=np.stack([overlap.min(axis=0), overlap.max(axis=0)], axis=1),
        home_bounds=np.stack([home.min(axis=0), home.max(axis=0)], axis=1),
    )


def _shares(look: Look, found: Follow, box: Box) -> Floats:
    """(5, N) shares of a box of the first frame: as it was followed, and at the ends of yaw and of pitch."""
    height, width = look.frames.rgb.shape[1:3]
    intrinsics = pinhole(width, height, look.task.hfov_deg)
    wide = np.where(found.trusted[:, None], found.half_width_deg, 0.0)
    directions, shares = _directions(box, intrinsics), []
    for end in ENDS:
        poses = np.tile(np.eye(4), (len(look.frames), 1, 1))
        poses[:, :3, :3] = turned_by(found.rotations, wide * end)
        path = Trajectory(poses, np.tile(intrinsics, (len(poses), 1, 1)), look.frames.seconds)
        shares.append(share_in_view(directions, path, (width, height)))
    return np.array(shares)


ENDS = np.array([(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)])  # of yaw and pitch


def _directions(box: Box, intrinsics: Floats) -> Floats:
    """Where the middles of a grid of cells lie that fill a box of the first frame, see geometry/sight.py."""
    left, top, right, bottom = box
    across, down = (np.arange(24) + 0.5) / 24, (np.arange(14) + 0.5) / 14
    x, y = np.meshgrid(left + (right - left) * across, top + (bottom - top) * down)
    pixels = np.stack([2 * intrinsics[0, 2] * x, 2 * intrinsics[1, 2] * y, np.ones_like(x)], -1).reshape(-1, 3)
    return np.column_stack([pixels @ np.linalg.inv(intrinsics).T, np.zeros(len(pixels))])
