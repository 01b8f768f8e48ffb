"""Camera scripts: one line of text for one intent, such as `hold@0.75s, yaw:left:75@0.5s, hold@1s`.

Moves follow each other, separated by commas; `+` joins moves made at the same time: `dolly:forward:0.5+yaw:left:60@1s`.
`hold@SECONDS` waits. Turns are in degrees: `yaw:left|right` about the vertical, `pitch:up|down`, `roll:left|right`
(clockwise is right). Shifts are in metres along the camera's own axes: `dolly:forward|back`, `truck:left|right`,
`crane:up|down`. Every move runs at constant speed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.trajectory import Floats, Trajectory, pinhole, pitch_matrix, roll_matrix, yaw_matrix

STEPS = 128  # per move, to add up shifts along axes that turn meanwhile
MOST_DEG, MOST_M = 720.0, 1000.0


@dataclass(frozen=True)
class Move:
    seconds: float
    yaw_deg: float = 0.0  # right is positive
    pitch_deg: float = 0.0  # up is positive
    roll_deg: float = 0.0  # clockwise is positive
    right_m: float = 0.0
    up_m: float = 0.0
    forward_m: float = 0.0

    @property
    def still(self) -> bool:
        return self == Move(self.seconds)


@dataclass(frozen=True)
class _Verb:
    field: str
    more: str  # the way that counts as positive
    less: str
    unit: str
    words: str  # for the text form: how far, which way

    @property
    def most(self) -> float:
        return MOST_DEG if self.unit == "degrees" else MOST_M


_VERBS = {
    "yaw": _Verb("yaw_deg", "right", "left", "degrees", "turns {size} to the {way}"),
    "pitch": _Verb("pitch_deg", "up", "down", "degrees", "tilts {size} {way}"),
    "roll": _Verb("roll_deg", "right", "left", "degrees", "rolls {size} to the {way}"),
    "dolly": _Verb("forward_m", "forward", "back", "metres", "moves {size} {way}"),
    "truck": _Verb("right_m", "right", "left", "metres", "slides {size} to the {way}"),
    "crane": _Verb("up_m", "up", "down", "metres", "moves {size} {way}"),
}
_PIECE = re.compile(r"(?P<verb>[a-z]+):(?P<way>[a-z]+):(?P<size>[^:]+)")


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

    pieces, at, duration_text = text.partition("@")
    if not at or not duration_text.endswith("s"):
        raise wrong(f"cannot read '{text}'; write hold@1s or yaw:left:60@2s")
    seconds = _number(duration_text[:-1])
    if seconds is None or seconds <= 0:
        raise wrong(f"'{duration_text[:-1]}' is not a positive number of seconds")
    move = Move(seconds)
    if pieces == "hold":
        return move
    for piece in pieces.split("+"):
        match = _PIECE.fullmatch(piece.strip())
        if match is None:
            raise wrong(f"cannot read '{text}'; write hold@1s or yaw:left:60@2s")
        name, way = match["verb"], match["way"]
        if name not in _VERBS:
            raise wrong(f"unknown move '{name}'; known: hold, {', '.join(_VERBS)}")
        verb = _VERBS[name]
        if way not in (verb.more, verb.less):
            raise wrong(f"a {name} goes {verb.less} or {verb.more}, not '{way}'")
        size = _number(match["size"])
        if size is None or not 0 < size <= verb.most:
            kind = "an angle" if verb.unit == "degrees" else "a distance"
            raise wrong(f"'{match['size']}' is not {kind} between 0 and {verb.most:g} {verb.unit}")
        if getattr(move, verb.field):
            raise wrong(f"'{name}' comes twice in one move")
        move = replace(move, **{verb.field: size if way == verb.more else -size})
    return move


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
    return _angles(parse(script), seconds)[:, 0]


def trajectory(
    script: str, frames: int, fps: float, size: tuple[int, int], hfov_deg: float, pitch_deg: float = 0.0
) -> Trajectory:
    """The script as poses, one per frame, first frame identity; yaw turns about gravity even when tilted.

    `pitch_deg` is the tilt of the first camera.
    """
    seconds = np.arange(frames) / fps
    intrinsics = np.tile(pinhole(*size, hfov_deg), (frames, 1, 1))
    return Trajectory(poses_at(script, seconds, pitch_deg), intrinsics, seconds)


def poses_at(script: str, seconds: Floats, pitch_deg: float = 0.0) -> Floats:
    """Camera-to-world (N, 4, 4) at each second, in the axes of the first camera."""
    moves = parse(script)
    poses = np.tile(np.eye(4), (len(seconds), 1, 1))
    poses[:, :3, :3] = _rotations(_angles(moves, seconds), pitch_deg)
    poses[:, :3, 3] = _places(moves, seconds, pitch_deg)
    return poses


def _angles(moves: list[Move], seconds: Floats) -> Floats:
    """Yaw, pitch and roll at each second."""
    times = np.cumsum([0.0, *(m.seconds for m in moves)])
    steps = np.array([(0.0, 0.0, 0.0), *((m.yaw_deg, m.pitch_deg, m.roll_deg) for m in moves)])
    sums = np.cumsum(steps, axis=0)
    return np.stack([np.interp(seconds, times, sums[:, axis]) for axis in range(3)], axis=1)


def _rotations(angles: Floats, pitch_deg: float) -> Floats:
    tilt = pitch_matrix(pitch_deg)
    return np.array(
        [tilt.T @ yaw_matrix(yaw) @ pitch_matrix(pitch_deg + pitch) @ roll_matrix(roll) for yaw, pitch, roll in angles]
    ).reshape(-1, 3, 3)


def _places(moves: list[Move], seconds: Floats, pitch_deg: float) -> Floats:
    """Where the camera is at each second: shifts added up along its own turning axes."""
    times, places = [0.0], [np.zeros(3)]
    for move in moves:
        start = times[-1]
        knots = start + np.linspace(0, move.seconds, STEPS + 1)
        shift = np.array([move.right_m, -move.up_m, move.forward_m])
        if shift.any():
            middles = (knots[:-1] + knots[1:]) / 2
            along = _rotations(_angles(moves, middles), pitch_deg) @ (shift / STEPS)
            places += list(places[-1] + np.cumsum(along, axis=0))
            times += knots[1:].tolist()
        else:
            times.append(start + move.seconds)
            places.append(places[-1])
    walked = np.array(places)
    return np.stack([np.interp(seconds, times, walked[:, axis]) for axis in range(3)], axis=1)


def in_words(script: str) -> str:
    """The script as a sentence for models that take text only."""
    return "The camera " + ", then ".join(_said(move) for move in parse(script)) + "."


def _said(move: Move) -> str:
    if move.still:
        return f"stays still for {move.seconds:g} seconds"
    doings = []
    for verb in _VERBS.values():
        if value := getattr(move, verb.field):
            size = f"{abs(value):g} {verb.unit}"
            doings.append(verb.words.format(size=size, way=verb.more if value > 0 else verb.less))
    return f"{' and '.join(doings)} within {move.seconds:g} seconds"
