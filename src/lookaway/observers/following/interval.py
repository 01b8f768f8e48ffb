"""How far a turn may be wrong: the half-width of its nominal 90 % interval, in degrees of yaw and of pitch.

Three numbers, fitted by benchmarks/real_camera.py to rendered clips that were disturbed as generated ones are.
"""

from __future__ import annotations

import numpy as np

from lookaway.geometry.rotations import yaw_pitch_deg
from lookaway.observers import Floats
from lookaway.observers.following.paths import Paths

FLOOR_DEG = 0.1
PER_SD = 8.0
PER_SHIFT = 1.0


def half_width_deg(paths: Paths) -> Floats:
    """(N, 2), of the pictures along their paths; 0.1 where nothing is left to doubt."""
    return np.asarray(FLOOR_DEG + PER_SD * paths.sd_deg + PER_SHIFT * shift_deg(paths))


def shift_deg(paths: Paths) -> Floats:
    """(N, 2): how much of yaw and of pitch a shift of the camera would explain."""
    apart = yaw_pitch_deg(paths.if_shifted) - yaw_pitch_deg(paths.rotations)
    return np.asarray(np.abs((apart + 180) % 360 - 180))
