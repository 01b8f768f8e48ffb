"""Angles between rotations, one by one or in arrays."""

from __future__ import annotations

import numpy as np

from lookaway.geometry.trajectory import Floats

UNTURNED = np.eye(3)


def turn_deg(a: Floats, b: Floats = UNTURNED) -> Floats:
    """How far rotation `a` is turned from `b`, in degrees; of 4x4 poses the rotation counts. Arrays are broadcast."""
    traces = np.einsum("...ij,...ij->...", a[..., :3, :3], b[..., :3, :3])
    return np.asarray(np.rad2deg(np.arccos(np.clip((traces - 1) / 2, -1, 1))))
