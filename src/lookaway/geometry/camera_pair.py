"""The asked camera path and the one a video has, made comparable: checked, from their first views, at one clock."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from lookaway.errors import UsageError
from lookaway.geometry.resampling import resampled_poses
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.trajectory import Floats

OFF_ROTATION = 1e-3  # by which entries may miss a rotation, for poses that were rounded or stored as float32
WEAK_DEG, STILL_M = 2.0, 0.05  # less is no motion


@dataclass(frozen=True)
class CameraPath:
    """One camera path: (N, 4, 4) in the axes of its first camera."""

    poses: Floats
    seconds: Floats | None  # None where nothing tells
    placed: bool  # its places are known, not its turns alone


@dataclass(frozen=True)
class CameraPair:
    """Asked and got (N, 4, 4), both in the axes of their first camera and at the same moments."""

    asked: Floats
    got: Floats
    seconds: Floats | None
    placed: bool  # the places of both are known

    @cached_property
    def apart_deg(self) -> Floats:
        """Per frame: the angle between the asked view and the one that was got."""
        return turn_deg(self.asked, self.got)

    @cached_property
    def asked_deg(self) -> Floats:
        """Per frame: the angle between the asked view and the first, what a static camera would be off by."""
        return turn_deg(self.asked)

    @cached_property
    def got_deg(self) -> Floats:
        return turn_deg(self.got)

    @cached_property
    def asked_turn(self) -> Floats:
        """Degrees turned so far about x, y and z of the first camera (N, 3); goes on beyond half a circle."""
        return _turned(self.asked)

    @cached_property
    def got_turn(self) -> Floats:
        return _turned(self.got)

    @cached_property
    def farthest(self) -> Floats:
        """The asked turn where it first is as far as it gets."""
        far = np.linalg.norm(self.asked_turn, axis=1)
        return np.asarray(self.asked_turn[int(np.argmax(far > far.max() - 1e-6))])

    @property
    def peak_deg(self) -> float:
        return float(np.linalg.norm(self.farthest))

    @cached_property
    def along_deg(self) -> Floats:
        """Per frame: how far the camera has turned the asked way; negative is the other way."""
        return np.asarray(self.got_turn @ (self.farthest / max(self.peak_deg, 1e-12)))

    @cached_property
    def asked_along_deg(self) -> Floats:
        """The same of the request; negative where it goes on to the other side."""
        return np.asarray(self.asked_turn @ (self.farthest / max(self.peak_deg, 1e-12)))

    @property
    def turns(self) -> bool:
        return self.peak_deg >= WEAK_DEG

    @property
    def travels(self) -> bool:
        return bool(self.asked_m.max() > STILL_M)

    @property
    def asked_m(self) -> Floats:
        """Per frame: the asked distance from the first place."""
        return np.asarray(np.linalg.norm(self.asked[:, :3, 3], axis=1))

    @property
    def got_m(self) -> Floats:
        return np.asarray(np.linalg.norm(self.got[:, :3, 3], axis=1))


def camera_path(poses: ArrayLike, where: str, seconds: ArrayLike | None = None) -> CameraPath:
    """Camera-to-world (N, 4, 4) or (N, 3, 4), or rotations (N, 3, 3), checked and seen from the first camera."""
    given = _numbers(poses, where)
    if given.ndim != 3 or given.shape[1:] not in ((4, 4), (3, 4), (3, 3)):
        raise UsageError(f"{where}: poses are (N, 4, 4), (N, 3, 4) or (N, 3, 3), not {given.shape}")
    if not len(given):
        raise UsageError(f"{where}: holds no pose")
    if not np.isfinite(given).all():
        raise UsageError(f"{where}: frame {_first(~np.isfinite(given).all(axis=(1, 2)))} holds NaN or infinity")
    rotations = given[:, :3, :3]
    off = np.abs(rotations @ rotations.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    if (wrong := (off > OFF_ROTATION) | (np.linalg.det(rotations) < 0)).any():
        raise UsageError(f"{where}: frame {_first(wrong)} holds no rotation; give camera-to-world without a scale")
    if given.shape[1] == 4 and (wrong := (given[:, 3] != (0, 0, 0, 1)).any(axis=1)).any():
        raise UsageError(f"{where}: frame {_first(wrong)} has a last row other than 0 0 0 1")
    from_first = np.tile(np.eye(4), (len(given), 1, 1))
    from_first[:, :3, :3] = rotations[0].T @ rotations
    placed = given.shape[2] == 4
    if placed:
        from_first[:, :3, 3] = (given[:, :3, 3] - given[0, :3, 3]) @ rotations[0]
    return CameraPath(from_first, None if seconds is None else _clock(seconds, len(given), where), placed)


def paired(asked: CameraPath, got: CameraPath) -> CameraPair:
    """What was got, read at the asked moments; a clip that ends early is held.

    Where only one path has seconds, or none, both last equally long.
    """
    if len(asked.poses) < 2:
        raise UsageError("the asked path has a single pose; two or more make a motion")
    known = [path.seconds for path in (asked, got) if path.seconds is not None]
    if len(known) == 2:
        at, made = known
    else:
        length = float(np.ptp(known[0])) if known else 0.0
        at, made = (np.linspace(0, length or 1.0, len(path.poses)) for path in (asked, got))
    return CameraPair(
        asked=asked.poses,
        got=resampled_poses(got.poses, made, at),
        seconds=at if known else None,
        placed=asked.placed and got.placed,
    )


def _numbers(values: ArrayLike, where: str) -> Floats:
    try:
        given = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise UsageError(f"{where}: holds no regular array") from error
    if given.dtype.kind not in "fiu":
        raise UsageError(f"{where}: holds something other than real numbers")
    return given.astype(np.float64)


def _clock(seconds: ArrayLike, frames: int, where: str) -> Floats:
    given = _numbers(seconds, where)
    if given.shape != (frames,):
        raise UsageError(f"{where}: seconds are ({frames},), one per pose, not {given.shape}")
    if not np.isfinite(given).all() or (np.diff(given) <= 0).any():
        raise UsageError(f"{where}: seconds must be finite and grow from pose to pose")
    return given


def _first(flags: ArrayLike) -> int:
    return int(np.argmax(flags))


def _turned(poses: Floats) -> Floats:
    steps = poses[1:, :3, :3] @ poses[:-1, :3, :3].transpose(0, 2, 1)
    from scipy.spatial.transform import Rotation  # takes a third of a second to import

    vectors = Rotation.from_matrix(steps).as_rotvec(degrees=True)
    return np.concatenate([np.zeros((1, 3)), np.cumsum(vectors, axis=0)])
