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


def yaw_pitch_deg(rotations: Floats) -> Floats:
    """(N, 2): how far each camera's view is turned to the right and tilted up, -180 to 180 and -90 to 90 degrees."""
    forward = rotations[..., :3, 2]
    yaw, pitch = np.arctan2(forward[..., 0], forward[..., 2]), np.arcsin(np.clip(-forward[..., 1], -1, 1))
    return np.asarray(np.rad2deg(np.stack([yaw, pitch], axis=-1)))


def turned_by(rotations: Floats, yaw_pitch_deg: Floats) -> Floats:
    """Cameras (N, 3, 3) turned further: about the first one's vertical to the right, and then tilted up."""
    yaw, pitch = np.moveaxis(np.deg2rad(np.broadcast_to(yaw_pitch_deg, (*rotations.shape[:-2], 2))), -1, 0)
    about, tilt = (np.tile(np.eye(3), (*rotations.shape[:-2], 1, 1)) for _ in range(2))
    about[..., 0, 0] = about[..., 2, 2] = np.cos(yaw)
    about[..., 0, 2], about[..., 2, 0] = np.sin(yaw), -np.sin(yaw)
    tilt[..., 1, 1] = tilt[..., 2, 2] = np.cos(pitch)
    tilt[..., 1, 2], tilt[..., 2, 1] = -np.sin(pitch), np.sin(pitch)
    return np.asarray(about @ rotations @ tilt)


def turns_scaled(rotations: Floats, factor: float) -> Floats:
    """A path (N, 3, 3) whose every step turns that much further; one that comes home by the way it went still does."""
    from scipy.spatial.transform import Rotation  # takes a third of a second to import

    steps = Rotation.from_matrix(np.swapaxes(rotations[:-1], -1, -2) @ rotations[1:]).as_rotvec()
    made = [rotations[0]]
    for step in Rotation.from_rotvec(factor * steps).as_matrix():
        made.append(made[-1] @ step)
    return np.array(made)
