"""Camera scripts: one line of text for one intent, such as `hold@0.75s, yaw:left:75@0.5s, hold@1s`.

Moves follow each other, separated by commas; `+` joins moves made at the same time: `dolly:forward:0.5+yaw:left:60@1s`.
A move lasts seconds (`@2s`) or frame intervals (`@40`: n intervals make n + 1 poses). The grammar, the presets and the
conventions are in docs/camera-scripts.md.
"""

from __future__ import annotations

import math

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.moves import Move, said
from lookaway.geometry.parsing import in_seconds, paced, parse
from lookaway.geometry.poses import angles_at, plain, poses_of
from lookaway.geometry.trajectory import Floats, Trajectory, pinhole

__all__ = [
    "Move",
    "duration",
    "frame_count",
    "in_seconds",
    "in_words",
    "paced",
    "parse",
    "poses_at",
    "trajectory",
    "yaw_at",
]


def duration(script: str, fps: float | None = None) -> float:
    return sum(move.seconds for move in parse(script, fps))


def frame_count(script: str, fps: float) -> int:
    """How many frames show the whole script: N frames at F fps span (N - 1) / F seconds."""
    return round(duration(script, fps) * fps) + 1


def yaw_at(script: str, seconds: Floats, pitch_deg: float = 0.0, fps: float | None = None) -> Floats:
    """Yaw in degrees at each second, one and a half turns being 540; held after the last move."""
    return angles_at(plain(parse(script, fps), pitch_deg), seconds)[:, 0]


def trajectory(
    script: str, frames: int, fps: float, size: tuple[int, int], hfov_deg: float, pitch_deg: float = 0.0
) -> Trajectory:
    """The script as poses, one per frame, first frame identity; yaw turns about gravity even when tilted.

    `size` is width and height in pixels, `pitch_deg` the tilt of the first camera.
    """
    if frames < 1 or not (math.isfinite(fps) and fps > 0):
        raise UsageError(
            f"a camera path needs at least one frame and a frame rate above 0, not {frames} at {fps:g} fps"
        )
    if min(size) < 1 or not 0 < hfov_deg < 180:
        raise UsageError(
            f"no camera has {size[0]}x{size[1]} pixels and a horizontal field of view of {hfov_deg:g} degrees"
        )
    seconds = np.arange(frames) / fps
    intrinsics = np.tile(pinhole(*size, hfov_deg), (frames, 1, 1))
    return Trajectory(poses_at(script, seconds, pitch_deg, fps), intrinsics, seconds)


def poses_at(script: str, seconds: Floats, pitch_deg: float = 0.0, fps: float | None = None) -> Floats:
    """Camera-to-world (N, 4, 4) at each second, in the axes of the first camera."""
    return poses_of(parse(script, fps), seconds, pitch_deg)


def in_words(script: str, fps: float | None = None) -> str:
    """The script as a sentence for models that take text only."""
    return "The camera " + ", then ".join(said(move) for move in parse(script, fps)) + "."
