"""The moves that a camera script is made of, and how they are said in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Easing = Literal["steady", "smooth", "slow-start", "slow-end"]
Point = tuple[float, float, float]

MOST_DEG, MOST_M, MOST_S = 720.0, 1000.0, 86_400.0  # two turns, a kilometre, a day


@dataclass(frozen=True)
class Move:
    seconds: float
    yaw_deg: float = 0.0  # right is positive
    pitch_deg: float = 0.0  # up is positive
    roll_deg: float = 0.0  # clockwise is positive
    right_m: float = 0.0
    up_m: float = 0.0
    forward_m: float = 0.0
    orbit_deg: float = 0.0  # travelling right is positive; the camera turns left meanwhile
    radius_m: float = 0.0  # of the orbit
    look_at: Point | None = None  # metres right, up and forward of the first camera
    easing: Easing = "steady"
    where: str = field(default="", compare=False, repr=False)  # in the script, for errors

    @property
    def still(self) -> bool:
        return self == Move(self.seconds)


@dataclass(frozen=True)
class Verb:
    """A move with one size: which field of a Move it sets, and which ways it goes."""

    field: str
    more: str  # the way that counts as positive
    less: str
    unit: str
    words: str  # for the text form: how far, which way

    @property
    def most(self) -> float:
        return MOST_DEG if self.unit == "degrees" else MOST_M


VERBS = {
    "yaw": Verb("yaw_deg", "right", "left", "degrees", "turns {size} to the {way}"),
    "pitch": Verb("pitch_deg", "up", "down", "degrees", "tilts {size} {way}"),
    "roll": Verb("roll_deg", "right", "left", "degrees", "rolls {size} to the {way}"),
    "dolly": Verb("forward_m", "forward", "back", "metres", "moves {size} {way}"),
    "truck": Verb("right_m", "right", "left", "metres", "slides {size} to the {way}"),
    "crane": Verb("up_m", "up", "down", "metres", "moves {size} {way}"),
}
ORBIT = Verb("orbit_deg", "right", "left", "degrees", "circles {size} to the {way}")
EASINGS: dict[Easing, str] = {
    "steady": "",
    "smooth": ", gently starting and stopping,",
    "slow-start": ", gently starting,",
    "slow-end": ", gently stopping,",
}


def said(move: Move) -> str:
    """One move as a part of a sentence about the camera."""
    if move.still:
        return f"stays still for {move.seconds:g} seconds"
    doings = [_sized(verb, move) for verb in VERBS.values() if getattr(move, verb.field)]
    if move.orbit_deg:
        doings.append(f"{_sized(ORBIT, move)} around the point {move.radius_m:g} metres ahead")
    if move.look_at is not None:
        doings.append(f"turns to face {_place(move.look_at)}")
    return f"{' and '.join(doings)}{EASINGS[move.easing]} within {move.seconds:g} seconds"


def _sized(verb: Verb, move: Move) -> str:
    value = getattr(move, verb.field)
    return verb.words.format(size=f"{abs(value):g} {verb.unit}", way=verb.more if value > 0 else verb.less)


def _place(point: Point) -> str:
    ways = (("right", "left"), ("above", "below"), ("ahead", "behind"))
    offsets = [f"{abs(metres):g} metres {way[metres < 0]}" for metres, way in zip(point, ways, strict=True) if metres]
    return f"the point {' and '.join(offsets)} of where it started" if offsets else "the place where it started"
