"""How far has each frame's view turned from the task's first frame, and what of the first view is still in it?"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from lookaway.geometry.trajectory import pinhole
from lookaway.observers import Arrays, Look, observer
from lookaway.observers.turning import MIN_INLIERS, Floats, Turns, features, followed
from lookaway.outcomes import Abstain
from lookaway.video import SharedFrames, resize


@observer(version=1, seconds_per_frame=0.01)
def view(look: Look) -> Arrays | Abstain:
    """Rotation per frame against the first, and how much of the first view and of the subject's place is in view."""
    turned = turns(look)
    if isinstance(turned, Abstain):
        return turned
    height, width = look.frames.rgb.shape[1:3]
    whole = _grid((0.0, 0.0, 1.0, 1.0), width, height, look.task.hfov_deg)
    place = _grid(look.task.subjects[0].box, width, height, look.task.hfov_deg)
    seen = turned.rotations
    return {
        "seconds": look.frames.seconds,
        "rotation": seen,
        "trusted": turned.trusted,
        "confidence": turned.confidence,
        "overlap": np.array([_share_in_view(r, whole, width, height, look.task.hfov_deg) for r in seen]),
        "home_in_view": np.array([_share_in_view(r, place, width, height, look.task.hfov_deg) for r in seen]),
    }


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
    if points < MIN_INLIERS:
        return Abstain(f"the first frame has only {points} features to follow; it is blank or dark")
    found = followed(look.frames.rgb, first, look.task.hfov_deg)
    if not found.trusted[0]:
        return Abstain("the video does not start at the task's first frame: another task's video?")
    for array in (found.rotations, found.trusted, found.confidence):
        array.flags.writeable = False
    return found


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
