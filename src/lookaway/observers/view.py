"""How far has each frame's view turned from the task's first frame, and what of the first view is still in it?"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from lookaway.geometry.framing import WHOLE
from lookaway.geometry.sight import share_in_view
from lookaway.geometry.trajectory import Trajectory, pinhole
from lookaway.observers import Floats, Look, observer
from lookaway.observers.turning import MIN_TURN_INLIERS, CameraTurns, Turns, features, followed
from lookaway.outcomes import Abstain
from lookaway.records import Box
from lookaway.video import SharedFrames, resize


class HomeView(CameraTurns):
    """The camera's turns, and what of the first view is in each frame."""

    overlap: Floats  # share of the first view
    home_in_view: Floats  # share of the subject's first box, of the first view where no subject is named


@observer(version=2, saw=HomeView, seconds_per_frame=0.012)
def view(look: Look) -> HomeView | Abstain:
    """Rotation per frame against the first, and how much of the first view and of the subject's place is in view."""
    turned = turns(look)
    if isinstance(turned, Abstain):
        return turned
    height, width = look.frames.rgb.shape[1:3]
    intrinsics = pinhole(width, height, look.task.hfov_deg)
    poses = np.tile(np.eye(4), (len(look.frames), 1, 1))
    poses[:, :3, :3] = turned.rotations
    path = Trajectory(poses, np.tile(intrinsics, (len(poses), 1, 1)), look.frames.seconds)
    return HomeView(
        seconds=look.frames.seconds,
        rotation=turned.rotations,
        trusted=turned.trusted,
        confidence=turned.confidence,
        overlap=share_in_view(_directions(WHOLE, intrinsics), path, (width, height)),
        home_in_view=share_in_view(
            _directions(look.task.subject.box if look.task.subject else WHOLE, intrinsics), path, (width, height)
        ),
    )


_KNOWN: WeakKeyDictionary[SharedFrames, tuple[tuple[float, int, bytes], Turns | Abstain]] = WeakKeyDictionary()


def turns(look: Look) -> Turns | Abstain:
    """The camera's turns from the task's first frame, under its field of view.

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
    first = resize(look.first_frame, (width, height))
    points = len(features(first).plane)
    if points < MIN_TURN_INLIERS:
        return Abstain(f"the first frame has only {points} features to follow; it is blank or dark")
    found = followed(look.frames.rgb, first, look.task.hfov_deg)
    if not found.trusted[0]:
        return Abstain("the video does not start at the task's first frame: another task's video?")
    for array in (found.rotations, found.trusted, found.confidence):
        array.flags.writeable = False
    return found


def _directions(box: Box, intrinsics: Floats) -> Floats:
    """Where the middles of a grid of cells lie that fill a box of the first frame, see geometry/sight.py."""
    left, top, right, bottom = box
    across, down = (np.arange(24) + 0.5) / 24, (np.arange(14) + 0.5) / 14
    x, y = np.meshgrid(left + (right - left) * across, top + (bottom - top) * down)
    pixels = np.stack([2 * intrinsics[0, 2] * x, 2 * intrinsics[1, 2] * y, np.ones_like(x)], -1).reshape(-1, 3)
    return np.column_stack([pixels @ np.linalg.inv(intrinsics).T, np.zeros(len(pixels))])
