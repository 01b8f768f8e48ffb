"""Camera scripts: one line of text for one intent, such as `hold@0.75s, yaw:left:75@0.5s, hold@1s`.

Moves follow each other, separated by commas. `hold@SECONDS` waits; `yaw:left:DEGREES@SECONDS` and
`yaw:right:DEGREES@SECONDS` turn about the vertical at constant speed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.trajectory import Floats, Trajectory, pinhole, pitch_matrix, yaw_matrix

_MOVE = re.compile(r"(?P<verb>[a-z]+)(?::(?P<way>[a-z]+):(?P<degrees>[^@:]+))?@(?P<seconds>[^@]+)s")


@dataclass(frozen=True)
class Move:
    seconds: float
    yaw_deg: float = 0.0  # right is positive


def parse(script: str) -> list[Move]:
    """The moves of a script, or an error that points at the place."""
    moves = []
    position = 0
    for part in script.split(","):
        moves.append(_move(part.strip(), script, position + len(part) - len(part.lstrip())))
        position += len(part) + 1
    return moves


def _move(text: str, script: str, position: int) -> Move:
    def wrong(what: str) -> UsageError:
        return UsageError(f"camera script, character {position + 1} of '{script}': {what}")

    match = _MOVE.fullmatch(text)
    if match is None:
        raise wrong(f"cannot read '{text}'; write hold@1s or yaw:left:60@2s")
    seconds = _number(match["seconds"])
    if seconds is None or seconds <= 0:
        raise wrong(f"'{match['seconds']}' is not a positive number of seconds")
    if match["verb"] == "hold" and match["way"] is None:
        return Move(seconds)
    if match["verb"] != "yaw":
        raise wrong(f"unknown move '{match['verb']}'; known: hold, yaw")
    if match["way"] not in ("left", "right"):
        raise wrong(f"a yaw goes left or right, not '{match['way']}'")
    degrees = _number(match["degrees"])
    if degrees is None or not 0 < degrees <= 360:
        raise wrong(f"'{match['degrees']}' is not an angle between 0 and 360 degrees")
    return Move(seconds, degrees if match["way"] == "right" else -degrees)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def duration(script: str) -> float:
    return sum(move.seconds for move in parse(script))


def yaw_at(script: str, seconds: Floats) -> Floats:
    """Yaw in degrees at each second; held after the last move."""
    moves = parse(script)
    times = np.cumsum([0.0, *(m.seconds for m in moves)])
    yaws = np.cumsum([0.0, *(m.yaw_deg for m in moves)])
    return np.asarray(np.interp(seconds, times, yaws))


def trajectory(
    script: str, frames: int, fps: float, size: tuple[int, int], hfov_deg: float, pitch_deg: float = 0.0
) -> Trajectory:
    """The script as poses, one per frame, first frame identity; yaw turns about gravity even when tilted."""
    seconds = np.arange(frames) / fps
    tilt = pitch_matrix(pitch_deg)
    poses = np.tile(np.eye(4), (frames, 1, 1))
    poses[:, :3, :3] = [tilt.T @ yaw_matrix(yaw) @ tilt for yaw in yaw_at(script, seconds)]
    return Trajectory(poses, np.tile(pinhole(*size, hfov_deg), (frames, 1, 1)), seconds)


def in_words(script: str) -> str:
    """The script as a sentence for models that take text only."""
    said = []
    for move in parse(script):
        if move.yaw_deg == 0:
            said.append(f"stays still for {move.seconds:g} seconds")
        else:
            side = "right" if move.yaw_deg > 0 else "left"
            said.append(f"turns {abs(move.yaw_deg):g} degrees to the {side} within {move.seconds:g} seconds")
    return "The camera " + ", then ".join(said) + "."
