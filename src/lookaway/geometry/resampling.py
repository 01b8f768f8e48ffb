"""A camera path at other moments, so that paths of different lengths and frame rates can be compared."""

from __future__ import annotations

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.trajectory import Floats, Trajectory


def resampled(trajectory: Trajectory, seconds: Floats) -> Trajectory:
    """The path at those seconds: rotations on the geodesic between neighbours, the rest linear, ends held."""
    given = trajectory.seconds
    poses = resampled_poses(trajectory.camera_to_world, given, seconds)
    within = np.clip(seconds, given[0], given[-1])
    return Trajectory(poses, _between(given, trajectory.intrinsics, within), np.asarray(seconds, float))


def resampled_poses(poses: Floats, given: Floats, seconds: Floats) -> Floats:
    """Camera-to-world (N, 4, 4) of the `given` seconds, read at others.

    Neighbours must be less than half a turn apart: from two poses nobody can tell which way round a camera went.
    """
    if len(given) == 0 or not (np.isfinite(given).all() and (np.diff(given) > 0).all()):
        raise UsageError("a camera path can be resampled only if its seconds rise from pose to pose")
    if not np.isfinite(seconds).all():
        raise UsageError("a camera path has no pose at a second that is not a finite number")
    within = np.clip(seconds, given[0], given[-1])
    read = _between(given, poses, within)
    if len(given) > 1:
        from scipy.spatial.transform import Rotation, Slerp  # takes a third of a second to import

        read[:, :3, :3] = Slerp(given, Rotation.from_matrix(poses[:, :3, :3]))(within).as_matrix()
    return read


def _between(given: Floats, values: Floats, seconds: Floats) -> Floats:
    """Matrices (N, ...) interpolated entry by entry."""
    entries = values.reshape(len(given), -1)
    columns = [np.interp(seconds, given, entries[:, entry]) for entry in range(entries.shape[1])]
    return np.stack(columns, axis=1).reshape(len(seconds), *values.shape[1:])
