"""From the text of a camera script to its moves. Every error says at which character."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn

from lookaway.errors import UsageError
from lookaway.geometry import presets
from lookaway.geometry.moves import EASINGS, MOST_M, MOST_S, ORBIT, VERBS, Easing, Move, Verb

RADIUS_M = 2.0  # of an orbit that names none
PAN = "pan"  # to film makers a turn, and so it is here; others mean a shift by it, so it names its unit: pan:left:60deg
_TIMED = re.compile(r"(?P<doing>[^@~]+)@(?P<lasts>[^@~]+)(?:~(?P<easing>[^@~]*))?")


def parse(script: str, fps: float | None = None) -> list[Move]:
    """The moves of a script, or an error that points at the place; `@40`, 40 frame intervals, needs a frame rate."""
    return [_move(text, fps, where) for text, where in _parts(script, fps)]


def in_seconds(script: str, fps: float) -> str:
    """The same script with frame intervals said in seconds and presets written out, for use at any frame rate."""
    parse(script, fps)
    written = [_lasting(text, fps, where) for text, where in _parts(script, fps)]
    return script if written == [part.strip() for part in script.split(",")] else ", ".join(written)


def paced(script: str, pace: float, fps: float | None = None) -> str:
    """The same moves, made that many times as fast; presets are written out."""
    moves = []
    for text, where in _parts(script, fps):
        doing, lasts, *easing = re.split("[@~]", text)
        moves.append("~".join([f"{doing}@{presets.number(_seconds(lasts, fps, where) / pace)}s", *easing]))
    return ", ".join(moves)


def _parts(script: str, fps: float | None) -> Iterator[tuple[str, str]]:
    """Each move as text, presets written out, and where it stands."""
    position = 0
    for part in script.split(","):
        where = f"camera script, character {position + len(part) - len(part.lstrip()) + 1} of '{script}'"
        position += len(part) + 1
        text = part.strip()
        if text.startswith("preset:"):
            yield from ((written, where) for written in _written_out(text, fps, where))
        else:
            yield text, where


def _written_out(text: str, fps: float | None, where: str) -> list[str]:
    doing, seconds, easing = _timed(text, fps, where)
    name, *values = doing.split(":")[1:]
    try:
        moves = presets.script(name, seconds, *values).split(", ")
    except UsageError as error:
        _wrong(where, str(error))
    return moves if easing == "steady" else [move if "hold@" in move else f"{move}~{easing}" for move in moves]


def _lasting(text: str, fps: float, where: str) -> str:
    """The text of a move with its duration in seconds."""
    doing, lasts, *easing = re.split("[@~]", text)
    if lasts.strip().endswith("s"):
        return text
    return "~".join([f"{doing}@{presets.number(_seconds(lasts, fps, where))}s", *easing])


def _move(text: str, fps: float | None, where: str) -> Move:
    doing, seconds, easing = _timed(text, fps, where)
    move = Move(seconds, where=where)
    if doing == "hold":
        return move if easing == "steady" else _wrong(where, "a hold has no speed to ease")
    pieces = [piece.strip().split(":") for piece in doing.split("+")]
    for name, *values in pieces:
        if name in ("orbit", "look-at") and len(pieces) > 1:
            _wrong(where, f"'{name}' stands alone: make it a move of its own, without '+'")
        if name == "orbit":
            move = _orbit(move, values, where)
        elif name == "look-at":
            move = _look_at(move, values, where)
        elif name not in (*VERBS, PAN, "hold"):
            _wrong(where, f"unknown move '{name}'; known: hold, {', '.join(VERBS)}, {PAN}, orbit, look-at, preset")
        elif len(values) != 2 or name == "hold":
            _wrong(where, f"cannot read '{text}'; write hold@1s or yaw:left:60@2s")
        else:
            move = _sized(move, name, values, where)
    return replace(move, easing=easing)


def _timed(text: str, fps: float | None, where: str) -> tuple[str, float, Easing]:
    """What is done, for how many seconds, and how the speed changes meanwhile."""
    match = _TIMED.fullmatch(text)
    if match is None:
        _wrong(where, f"cannot read '{text}'; write hold@1s or yaw:left:60@2s")
    name = "steady" if match["easing"] is None else match["easing"]
    easing = next((known for known in EASINGS if known == name), None)
    if easing is None:
        _wrong(where, f"unknown easing '{name}'; known: {', '.join(EASINGS)}")
    return match["doing"], _seconds(match["lasts"], fps, where), easing


def _seconds(lasts: str, fps: float | None, where: str) -> float:
    if lasts.strip().endswith("s"):
        text = lasts.strip()[:-1]
        seconds = _number(text)
        if seconds is None or not 0 < seconds <= MOST_S:
            _wrong(where, f"'{text}' is not a positive number of seconds, of at most {MOST_S:g}")
        return seconds
    intervals = _number(lasts)
    if intervals is None or intervals <= 0 or intervals % 1:
        _wrong(where, f"'{lasts}' is neither seconds, such as 2s, nor a whole number of frame intervals, such as 40")
    if fps is None:
        _wrong(where, f"'@{lasts}' counts frame intervals, which needs a frame rate; write seconds, such as @2s")
    if not (math.isfinite(fps) and fps > 0):
        _wrong(where, f"'@{lasts}' counts frame intervals, but the frame rate is {fps:g}")
    if intervals / fps > MOST_S:
        _wrong(where, f"'@{lasts}' at {fps:g} frames a second lasts more than {MOST_S:g} s")
    return intervals / fps


def _sized(move: Move, name: str, values: list[str], where: str) -> Move:
    verb = VERBS["yaw" if name == PAN else name]
    hint = "; a pan turns the camera, truck:left and truck:right slide it sideways" if name == PAN else ""
    if getattr(move, verb.field):
        _wrong(where, f"'{name}' comes twice in one move")
    way, text = values
    if name == PAN and way in (verb.more, verb.less):
        text = _pan_degrees(way, text, where)
    sized: dict[str, Any] = {verb.field: _amount(verb, name, way, text, where, hint)}
    return replace(move, **sized)


def _pan_degrees(way: str, text: str, where: str) -> str:
    """`60deg` -> `60`; without its unit a pan of 0.5 may be half a degree or half a metre."""
    if not text.endswith("deg"):
        size = text.removesuffix("m")
        turn, slide = f"pan:{way}:{size}deg (degrees)", f"truck:{way}:{size} (metres)"
        _wrong(where, f"does a pan of '{text}' turn or slide the camera? To turn it write {turn}, to slide it {slide}")
    return text.removesuffix("deg")


def _orbit(move: Move, values: list[str], where: str) -> Move:
    if len(values) not in (2, 3):
        _wrong(where, "an orbit has a way, an angle and perhaps a radius: orbit:left:60@2s or orbit:left:60:1.5@2s")
    radius = _number(values[2]) if len(values) == 3 else RADIUS_M
    if radius is None or not 0 < radius <= MOST_M:
        _wrong(where, f"'{values[2]}' is not a radius between 0 and {MOST_M:g} metres")
    return replace(move, orbit_deg=_amount(ORBIT, "orbit", values[0], values[1], where), radius_m=radius)


def _look_at(move: Move, values: list[str], where: str) -> Move:
    point = [metres for value in values if (metres := _number(value)) is not None and abs(metres) <= MOST_M]
    if len(values) != 3 or len(point) != 3:
        _wrong(where, "look-at needs metres right, up and forward of the first camera, such as look-at:-1:0:3@1s")
    return replace(move, look_at=(point[0], point[1], point[2]))


def _amount(verb: Verb, name: str, way: str, text: str, where: str, hint: str = "") -> float:
    """The size of a move, signed by its way."""
    if way not in (verb.more, verb.less):
        _wrong(where, f"a {name} goes {verb.less} or {verb.more}, not '{way}'{hint}")
    size = _number(text)
    if size is None or not 0 < size <= verb.most:
        kind = "an angle" if verb.unit == "degrees" else "a distance"
        _wrong(where, f"'{text}' is not {kind} between 0 and {verb.most:g} {verb.unit}{hint}")
    return size if way == verb.more else -size


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _wrong(where: str, what: str) -> NoReturn:
    raise UsageError(f"{where}: {what}")
