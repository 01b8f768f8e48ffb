"""From the moves of a camera script to poses at any second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.moves import Easing, Move, Point
from lookaway.geometry.trajectory import Floats, pitch_matrix, roll_matrix, yaw_matrix

STEPS = 128  # per move, to add up shifts along axes that turn meanwhile
NEAR_M = 1e-6  # a point closer than this has no direction


def poses_of(moves: Sequence[Move], seconds: Floats, pitch_deg: float) -> Floats:
    """Camera-to-world (N, 4, 4) at each second, in the axes of the first camera, which is tilted by `pitch_deg`."""
    moves = plain(moves, pitch_deg)
    paced = _paced(moves, seconds)
    poses = np.tile(np.eye(4), (len(seconds), 1, 1))
    poses[:, :3, :3] = _rotations(_steady_angles(moves, paced), pitch_deg)
    poses[:, :3, 3] = _walked(moves, paced, pitch_deg) + _circled(moves, paced, pitch_deg)
    return poses


def angles_at(moves: Sequence[Move], seconds: Floats) -> Floats:
    """Yaw, pitch and roll at each second, never wrapped; for moves without look-at."""
    return _steady_angles(moves, _paced(moves, seconds))


def plain(moves: Sequence[Move], pitch_deg: float) -> list[Move]:
    """The same moves, each look-at as the yaw and pitch that it takes from where the camera is by then."""
    found: list[Move] = []
    for move in moves:
        found.append(move if move.look_at is None else _facing(move.look_at, move, found, pitch_deg))
    return found


def _facing(point: Point, move: Move, before: list[Move], pitch_deg: float) -> Move:
    """The short way round to the point; the camera stands still meanwhile."""
    start = np.array([sum(earlier.seconds for earlier in before)])
    right, up, forward = point
    place = _walked(before, start, pitch_deg)[0] + _circled(before, start, pitch_deg)[0]
    away = np.array([right, -up, forward]) - place
    if np.linalg.norm(away) < NEAR_M:
        raise UsageError(f"{move.where}: the camera already is where it should look at; name another point")
    yaw, pitch, _ = _steady_angles(before, start)[0]
    x, y, z = pitch_matrix(pitch_deg) @ away  # seen level
    level = float(np.hypot(x, z))
    to_yaw = np.rad2deg(np.arctan2(x, z)) - yaw if level > NEAR_M else 0.0  # straight up is up from any side
    to_pitch = np.rad2deg(np.arctan2(-y, level)) - pitch_deg - pitch
    return replace(move, look_at=None, yaw_deg=_short_way(to_yaw), pitch_deg=_short_way(to_pitch))


def _short_way(degrees: float) -> float:
    return float((degrees + 180) % 360 - 180)


def _paced(moves: Sequence[Move], seconds: Floats) -> Floats:
    """The second at which a camera without easing is where this one is."""
    paced, start = np.array(seconds, float), 0.0
    for move in moves:
        if move.easing != "steady":
            within = (paced > start) & (paced < start + move.seconds)
            share = (paced[within] - start) / move.seconds
            paced[within] = start + move.seconds * eased(move.easing, share)
        start += move.seconds
    return paced


def eased(easing: Easing, share: Floats) -> Floats:
    """Share of the way at each share of the time: pieces of a sine, so that gentle ends meet steady middles."""
    if easing == "slow-start":
        return np.asarray(1 - np.cos(np.pi / 2 * share))
    if easing == "slow-end":
        return np.asarray(np.sin(np.pi / 2 * share))
    return np.asarray((1 - np.cos(np.pi * share)) / 2)


def _steady_angles(moves: Sequence[Move], seconds: Floats) -> Floats:
    times = np.cumsum([0.0, *(m.seconds for m in moves)])
    turns = [(m.yaw_deg - m.orbit_deg, m.pitch_deg, m.roll_deg) for m in moves]
    sums = np.cumsum(np.array([(0.0, 0.0, 0.0), *turns]), axis=0)
    return np.stack([np.interp(seconds, times, sums[:, axis]) for axis in range(3)], axis=1)


def _rotations(angles: Floats, pitch_deg: float) -> Floats:
    tilt = pitch_matrix(pitch_deg)
    return np.array(
        [tilt.T @ yaw_matrix(yaw) @ pitch_matrix(pitch_deg + pitch) @ roll_matrix(roll) for yaw, pitch, roll in angles]
    ).reshape(-1, 3, 3)


def _walked(moves: Sequence[Move], seconds: Floats, pitch_deg: float) -> Floats:
    """Where dolly, truck and crane bring the camera by each second: shifts added up along its own turning axes."""
    times, places = [0.0], [np.zeros(3)]
    for move in moves:
        start = times[-1]
        knots = start + np.linspace(0, move.seconds, STEPS + 1)
        shift = np.array([move.right_m, -move.up_m, move.forward_m])
        if shift.any():
            middles = (knots[:-1] + knots[1:]) / 2
            along = _rotations(_steady_angles(moves, middles), pitch_deg) @ (shift / STEPS)
            places += list(places[-1] + np.cumsum(along, axis=0))
            times += knots[1:].tolist()
        else:
            times.append(start + move.seconds)
            places.append(places[-1])
    walked = np.array(places)
    return np.stack([np.interp(seconds, times, walked[:, axis]) for axis in range(3)], axis=1)


def _circled(moves: Sequence[Move], seconds: Floats, pitch_deg: float) -> Floats:
    """Where orbits bring the camera by each second: round the vertical through a point ahead, on an exact circle."""
    tilt, start = pitch_matrix(pitch_deg), 0.0
    circled = np.zeros((len(seconds), 3))
    for move in moves:
        if move.orbit_deg:
            facing = _rotations(_steady_angles(moves, np.array([start])), pitch_deg)[0]
            to_centre = facing @ np.array([0, 0, move.radius_m])
            share = np.clip((seconds - start) / move.seconds, 0, 1)
            turns = np.array([tilt.T @ yaw_matrix(-move.orbit_deg * part) @ tilt for part in share]).reshape(-1, 3, 3)
            circled += to_centre - turns @ to_centre
        start += move.seconds
    return circled
