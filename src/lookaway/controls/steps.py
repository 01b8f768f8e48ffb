"""Step strings: `right-20, left-20` turns right for twenty steps and back for as many.

A step has a fixed size, and there are only so many in a video. What was asked keeps its angles and distances as long as
they fit; waiting is shortened first, then everything alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field, ValidationError

from lookaway.controls import AskedCamera, EncodedCamera, Files, control
from lookaway.errors import UsageError, problems
from lookaway.geometry.moves import Move
from lookaway.geometry.poses import poses_of
from lookaway.geometry.trajectory import Trajectory
from lookaway.records import Record

FILE = "steps.txt"
_STEP = re.compile(r"(\S+)-(\d+)")


class Language(Record):
    """The card's words and sizes."""

    latent_stride: int = Field(1, ge=1)
    degrees_per_step: float = Field(gt=0)
    distance_per_step: float | None = Field(None, gt=0)
    turn_left: str | None = None
    turn_right: str | None = None
    turn_up: str | None = None
    turn_down: str | None = None
    move_left: str | None = None
    move_right: str | None = None
    forward: str | None = None
    backward: str | None = None
    static: str | None = None


_WORDS = {  # field of a Move: the words for more and for less of it
    "yaw_deg": ("turn_right", "turn_left"),
    "pitch_deg": ("turn_up", "turn_down"),
    "right_m": ("move_right", "move_left"),
    "forward_m": ("forward", "backward"),
}


@dataclass(frozen=True)
class _Leg:
    """Some steps of one kind; waiting has no field."""

    field: str
    way: int
    count: float


def read(files: Files, asked: AskedCamera) -> Trajectory:
    language = _language(asked)
    legs = []
    for word, count in _STEP.findall(files[FILE].decode()):
        named = {
            getattr(language, name): (field, way)
            for field, names in _WORDS.items()
            for name, way in zip(names, (1, -1), strict=True)
        }
        field, way = named.get(word, ("", 0))
        legs.append(_Leg(field, way, int(count)))
    return _obeyed(legs, language, asked)


@control(version=1, decode=read)
def steps(asked: AskedCamera) -> EncodedCamera:
    """Words and counts of steps, one step per latent."""
    language = _language(asked)
    legs = _fitted(_legs(asked, language), (asked.shape.frames - 1) // language.latent_stride)
    said, warnings = [], []
    for leg in legs:
        if not leg.field and language.static is None:
            warnings.append("it has no word for standing still: the steps follow each other without a pause")
        elif leg.count:
            word = getattr(language, _WORDS[leg.field][0 if leg.way > 0 else 1]) if leg.field else language.static
            said.append(f"{word}-{int(leg.count)}")
    files = {FILE: (", ".join(said) + "\n").encode()}
    return EncodedCamera(files, read(files, asked), warnings=tuple(dict.fromkeys(warnings)))


def _language(asked: AskedCamera) -> Language:
    known = {name: v for name, v in asked.card.control_settings.items() if name in Language.model_fields}
    try:
        return Language.model_validate(known)
    except ValidationError as error:
        raise UsageError(f"card '{asked.card.name}', control_settings: {problems(error)}") from error


def _legs(asked: AskedCamera, language: Language) -> list[_Leg]:
    """Every move as steps, one kind after the other."""
    legs = []
    per_s = asked.shape.fps / language.latent_stride
    for move in asked.moves:
        sizes = {field: value for field in _WORDS if (value := getattr(move, field))}
        if unsaid := [f for f in ("roll_deg", "up_m", "orbit_deg") if getattr(move, f)]:
            raise UsageError(f"'{asked.card.name}' has no steps for {unsaid[0].partition('_')[0]}")
        if not sizes:
            legs.append(_Leg("", 0, move.seconds * per_s))
        for field, size in sizes.items():
            step = language.degrees_per_step if field.endswith("deg") else language.distance_per_step
            word = getattr(language, _WORDS[field][0 if size > 0 else 1])
            if step is None or word is None:
                raise UsageError(f"'{asked.card.name}' has no step for {field.partition('_')[0]}")
            legs.append(_Leg(field, 1 if size > 0 else -1, abs(size) / step))
    return legs


def _fitted(legs: list[_Leg], most: int) -> list[_Leg]:
    """Whole steps, no more of them than there are: waiting gives way first."""
    moving = sum(leg.count for leg in legs if leg.field)
    waiting = sum(leg.count for leg in legs if not leg.field)
    shrink = min(1.0, most / moving) if moving else 1.0
    pause = min(1.0, max(0.0, most - moving) / waiting) if waiting else 1.0
    return [_Leg(leg.field, leg.way, np.floor(leg.count * (shrink if leg.field else pause) + 1e-9)) for leg in legs]


def _obeyed(legs: list[_Leg], language: Language, asked: AskedCamera) -> Trajectory:
    """The path that the steps lead along; after the last the camera stands."""
    seconds_per_step = language.latent_stride / asked.shape.fps
    moves = [Move(asked.path.seconds[-1])] if not any(leg.count for leg in legs) else []
    for leg in legs:
        step = language.degrees_per_step if leg.field.endswith("deg") else language.distance_per_step or 0.0
        size: dict[str, Any] = {leg.field: leg.way * leg.count * step} if leg.field else {}
        if leg.count:
            moves.append(Move(leg.count * seconds_per_step, **size))
    poses = poses_of(moves, asked.path.seconds, asked.pitch_deg)
    return Trajectory(poses, asked.path.intrinsics, asked.path.seconds)
