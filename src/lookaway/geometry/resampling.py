"""Camera paths read at other moments: geodesic between two rotations, straight between two places."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from lookaway.geometry.trajectory import Floats


def resampled(poses: Floats, seconds: Floats, at: Floats) -> Floats:
    """Camera-to-world (N, 4, 4) at `seconds`, read at the moments `at`; held before the first and after the last."""
    if len(poses) == 1:
        return np.tile(poses, (len(at), 1, 1))
    inside = np.clip(at, seconds[0], seconds[-1])
    read = np.tile(np.eye(4), (len(at), 1, 1))
    read[:, :3, :3] = Slerp(seconds, Rotation.from_matrix(poses[:, :3, :3]))(inside).as_matrix()
    for axis in range(3):
        read[:, axis, 3] = np.interp(inside, seconds, poses[:, axis, 3])
    return read
