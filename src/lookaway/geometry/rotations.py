"""Angles between rotations, one by one or in arrays."""

from __future__ import annotations

import numpy as np

from lookaway.geometry.trajectory import Floats

UNTURNED = np.eye(3)


def turn_deg(a: Floats, b: Floats = UNTURNED) -> Floats:
    """How far rotation `a` is turned from `b`, in degrees; of 4x4 poses the rotation counts. Arrays are broadcast."""
    between = np.swapaxes(a[..., :3, :3], -1, -2) @ b[..., :3, :3]
    cosine = (np.trace(between, axis1=-2, axis2=-1) - 1) / 2
    sine = np.linalg.norm(between - np.swapaxes(between, -1, -2), axis=(-2, -1)) / np.sqrt(8)
    return np.asarray(np.rad2deg(np.arctan2(sine, cosine)))  # an arccos alone loses half its digits near 0


def turns_apart_deg(one: Floats, other: Floats) -> Floats:
    """Per frame: the angle between two accounts (N, 3, 3) of one camera's turns, each from its own first view."""
    return turn_deg(one[0].T @ one, other[0].T @ other)
