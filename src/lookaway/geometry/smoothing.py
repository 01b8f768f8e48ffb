"""A camera path that was estimated frame by frame, smoothed; and how far smoothing moved it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.trajectory import Floats
from lookaway.outcomes import Abstain
from lookaway.stats.correlations import pearson

WINDOW = 9  # frames: a seventh of a second at 60 fps, a third at 30
DEGREE = 2  # of the polynomial in a window: a steady turn, and one that speeds up steadily, stay as they are


@dataclass(frozen=True)
class PoseIntegrity:
    """How alike a path and its smoothed form are, by how far each is turned from its first view."""

    r: float | None  # Pearson's, 1 where they rise and fall together; None where the camera stands still
    largest_deg: float  # between the two at any frame; 0 where smoothing changed nothing

    def __str__(self) -> str:
        told = "r not defined, the camera stands still" if self.r is None else f"r = {self.r:.4f}"
        return f"{told}, at most {self.largest_deg:.2f} degrees apart"


def smoothed_poses(poses: Floats, window: int = WINDOW) -> Floats:
    """Camera-to-world (N, 4, 4) smoothed over `window` frames, an odd number; a shorter path is left as it is.

    Each rotation is moved along the rotations around it: their turns from it, as rotation vectors, are fitted by a
    polynomial (Savitzky-Golay on SO(3)). Places are fitted in the same way. Nothing drifts, and ends are not pulled in.
    """
    if window % 2 == 0 or window <= DEGREE:
        raise UsageError(f"window of {window} frames: give an odd number above {DEGREE}")
    if not np.isfinite(poses).all():
        raise UsageError("poses that are not finite numbers cannot be smoothed")
    if len(poses) < window:
        return poses.copy()
    from scipy.signal import savgol_filter

    made = poses.copy()
    made[:, :3, 3] = savgol_filter(poses[:, :3, 3], window, DEGREE, axis=0)
    made[:, :3, :3] = _smoothed_rotations(poses[:, :3, :3], window)
    return made


def _smoothed_rotations(rotations: Floats, window: int) -> Floats:
    from scipy.signal import savgol_coeffs
    from scipy.spatial.transform import Rotation  # takes a third of a second to import

    frames = np.arange(len(rotations))
    first = np.clip(frames - window // 2, 0, len(rotations) - window)
    fits = np.array([savgol_coeffs(window, DEGREE, pos=place, use="dot") for place in range(window)])
    around = rotations[first[:, None] + np.arange(window)]
    turns = np.swapaxes(rotations, 1, 2)[:, None] @ around
    vectors = Rotation.from_matrix(turns.reshape(-1, 3, 3)).as_rotvec().reshape(len(rotations), window, 3)
    moved = np.einsum("fw,fwk->fk", fits[frames - first], vectors)
    return np.asarray(rotations @ Rotation.from_rotvec(moved).as_matrix())


def pose_integrity(raw: Floats, smoothed: Floats) -> PoseIntegrity:
    """Of two forms (N, 4, 4) of one path."""
    linked = pearson(turn_deg(raw, raw[:1]), turn_deg(smoothed, smoothed[:1]))
    apart = turn_deg(raw, smoothed)
    return PoseIntegrity(None if isinstance(linked, Abstain) else linked.value, float(apart.max()))
