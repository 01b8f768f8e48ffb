"""How far a turn may be wrong: the half-width of its nominal 90 % interval, in degrees of yaw and of pitch.

Noise makes it as wide as its standard deviation says, and two sets of ties that disagree as wide as they do. Warps
and shifts of the camera err all over the picture alike, which no deviation tells. Their witnesses are the pattern that
the turn leaves and the turn that a shift would explain instead: both small in clean video, where they are nearly all
that is wrong, and both large in warped video, where they hardly matter. Hence a power well below 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.geometry.rotations import yaw_pitch_deg
from lookaway.observers import Floats
from lookaway.observers.following.paths import Paths

FLOOR_DEG = 0.1
PER_SD = 2.0
# Fitted by benchmarks/real_camera.py to rendered clips of five layouts, disturbed as generated clips are.
PER_SHIFT = 2.6
POWER = 0.35


@dataclass(frozen=True)
class Doubts:
    """About every picture, along its path in each set of ties (S): yaw and pitch."""

    sd_deg: Floats  # (S, N, 2)
    pattern_deg: Floats  # (S, N, 1) that the turns leave
    shift_deg: Floats  # (S, N, 2) that a shift of the camera would explain
    apart_deg: Floats  # (N, 2) from the middle of the sets

    @classmethod
    def of(cls, paths: Sequence[Paths]) -> Doubts:
        read = np.stack([yaw_pitch_deg(path.rotations) for path in paths])
        shifted = np.stack([yaw_pitch_deg(path.if_shifted) for path in paths])
        return cls(
            sd_deg=np.stack([path.sd_deg for path in paths]),
            pattern_deg=np.stack([path.pattern_deg for path in paths])[..., None],
            shift_deg=np.abs(_half_circle(shifted - read)),
            apart_deg=np.ptp(_half_circle(read - read[0]), axis=0) / 2,
        )

    def half_width_deg(self, per_shift: float = PER_SHIFT, power: float = POWER) -> Floats:
        """(N, 2); 0.1 where nothing is left to doubt."""
        astray = per_shift * (self.pattern_deg * self.shift_deg) ** power
        widest = (PER_SD * self.sd_deg + astray).max(axis=0)
        return np.asarray(FLOOR_DEG + self.apart_deg + widest)


def _half_circle(degrees: Floats) -> Floats:
    return np.asarray((degrees + 180) % 360 - 180)
