"""Which movement buttons a camera path holds down, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.trajectory import Floats, Trajectory

LEAST_M_PER_S = 0.05  # slower is standing
_WAYS = {  # along the camera's own axes: right, down, forward
    "w": (2, 1),
    "s": (2, -1),
    "a": (0, -1),
    "d": (0, 1),
    "forward": (2, 1),
    "back": (2, -1),
    "left": (0, -1),
    "right": (0, 1),
}


def pressed(path: Trajectory, names: Sequence[str]) -> Floats:
    """(N, buttons) of 0 and 1: held while the camera moves that way until the next frame."""
    if unknown := [name for name in names if name not in _WAYS]:
        raise UsageError(f"control_settings.buttons: no button '{unknown[0]}'; known: {', '.join(_WAYS)}")
    speed = _own_speed(path)
    return np.stack([speed[:, _WAYS[n][0]] * _WAYS[n][1] > LEAST_M_PER_S for n in names], axis=1).astype(float)


def _own_speed(path: Trajectory) -> Floats:
    """Metres per second along the camera's own axes; the last frame moves no more."""
    shifts = np.diff(path.camera_to_world[:, :3, 3], axis=0) / np.diff(path.seconds)[:, None]
    own = np.einsum("nji,nj->ni", path.camera_to_world[:-1, :3, :3], shifts)
    return np.concatenate([own, np.zeros((1, 3))])
