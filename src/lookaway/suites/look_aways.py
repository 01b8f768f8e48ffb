"""Ways of taking a subject out of sight and bringing it back, written as camera and cover scripts.

`angle` is a number of degrees, or the word `exit` in a draft: how far the camera must turn until the subject is out is
worked out when the task is built. `reach` scales what else a look does, so that a small one hides nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lookaway.errors import UnknownName
from lookaway.geometry.cover import CoverKind
from lookaway.geometry.presets import NOD_DEG

Turn = Literal["left", "right"]
Angle = float | Literal["exit"]

EXIT: Literal["exit"] = "exit"
OTHER_SIDE: dict[Turn, Turn] = {"left": "right", "right": "left"}
FORWARD_M, RISE_M, ASIDE_M = 0.6, 0.6, 0.75
FACING_DEG = 16.0


@dataclass(frozen=True)
class Timing:
    """Seconds of each part of a look."""

    before_s: float = 1.0
    out_s: float = 0.5
    hidden_s: float = 1.5
    back_s: float = 0.5
    after_s: float = 1.5

    @property
    def total_s(self) -> float:
        return self.before_s + self.out_s + self.hidden_s + self.back_s + self.after_s


PLAIN = Timing()
QUICK = Timing(out_s=0.25, hidden_s=1.75, back_s=0.25, after_s=1.75)
SLOW = Timing(out_s=1.0, hidden_s=1.0, back_s=1.0, after_s=1.0)
CIRCLE = Timing(out_s=0.75, hidden_s=2.0, back_s=0.75, after_s=1.0)
ASIDE = Timing(back_s=1.0, after_s=1.0)
ROUND = Timing(before_s=1.0, out_s=0.5, hidden_s=1.0, back_s=0.5, after_s=0.75)

CameraScript = Callable[[Timing, Turn, str, float], str]


@dataclass(frozen=True)
class LookAway:
    """One way; exactly one of camera, cover and the subject itself does the hiding."""

    name: str
    timing: Timing
    camera: CameraScript | None = None
    cover: CoverKind | None = None
    angle: Angle = EXIT
    rounds: int = 1
    gives_prefix: bool = False  # the true clip until the way back begins is given

    @property
    def total_s(self) -> float:
        return self.timing.total_s * self.rounds

    def camera_script(self, timing: Timing, turn: Turn, angle: Angle, reach: float = 1.0) -> str:
        if self.camera is None:
            return f"hold@{timing.total_s:g}s"
        once = self.camera(timing, turn, angle if isinstance(angle, str) else f"{angle:g}", reach)
        return ", ".join([once] * self.rounds)

    def cover_script(self, timing: Timing, percent: float = 100.0) -> str:
        if self.cover is None:
            return ""
        closing, opening = {"cardboard": ("lower", "lift"), "curtain": ("close", "open"), "lights": ("off", "on")}[
            self.cover
        ]
        partly = "" if percent == 100 else f":{percent:g}"
        return out_and_back(timing, f"{self.cover}:{closing}{partly}", f"{self.cover}:{opening}")


def out_and_back(timing: Timing, out: str, back: str) -> str:
    return (
        f"hold@{timing.before_s:g}s, {out}@{timing.out_s:g}s, hold@{timing.hidden_s:g}s, "
        f"{back}@{timing.back_s:g}s, hold@{timing.after_s:g}s"
    )


def hidden_start_rule(subject: str, second: float, shows_in: str = "") -> str:
    """How a start that nobody sees is judged: by what it does to a named thing, without telling what that is."""
    return (
        f"It is set off after {second:g} seconds, while {subject} is out of sight: judge it by its effect "
        f"on {shows_in or subject}, once that is seen again."
    )


def _yaw(timing: Timing, turn: Turn, angle: str, reach: float) -> str:
    return out_and_back(timing, f"yaw:{turn}:{angle}", f"yaw:{OTHER_SIDE[turn]}:{angle}")


def _tilt(timing: Timing, turn: Turn, angle: str, reach: float) -> str:
    return out_and_back(timing, f"pitch:up:{angle}", f"pitch:down:{angle}")


def _head_turn(timing: Timing, turn: Turn, angle: str, reach: float) -> str:
    nod = f"{NOD_DEG * reach:g}"
    return out_and_back(
        timing, f"yaw:{turn}:{angle}+pitch:up:{nod}", f"yaw:{OTHER_SIDE[turn]}:{angle}+pitch:down:{nod}"
    )


def _forward_turn(timing: Timing, turn: Turn, angle: str, reach: float) -> str:
    step = f"{FORWARD_M * reach:g}"
    return out_and_back(
        timing, f"dolly:forward:{step}+yaw:{turn}:{angle}", f"dolly:back:{step}+yaw:{OTHER_SIDE[turn]}:{angle}"
    )


def _vertical(timing: Timing, turn: Turn, angle: str, reach: float) -> str:
    rise = f"{RISE_M * reach:g}"
    return out_and_back(timing, f"crane:up:{rise}+pitch:up:{angle}", f"crane:down:{rise}+pitch:down:{angle}")


def _loop(timing: Timing, turn: Turn, angle: str, reach: float) -> str:
    """A, B, C and round to A; with a small reach out and back instead, since a whole turn always hides."""
    if reach < 1:
        return _yaw(timing, turn, angle, reach)
    third = f"yaw:{turn}:{angle}@{timing.out_s:g}s"
    half = f"hold@{(timing.hidden_s + timing.back_s) / 2 - timing.out_s:g}s"
    return f"hold@{timing.before_s:g}s, {third}, {half}, {third}, {half}, {third}, hold@{timing.after_s:g}s"


def _other_view(timing: Timing, turn: Turn, angle: str, reach: float) -> str:
    """Turn away, walk that way, and look back at the stage from there."""
    back = OTHER_SIDE[turn]
    return (
        f"hold@{timing.before_s:g}s, yaw:{turn}:{angle}@{timing.out_s:g}s, "
        f"dolly:forward:{ASIDE_M * reach:g}@{timing.hidden_s:g}s, "
        f"yaw:{back}:{angle}@{timing.back_s * 0.75:g}s, yaw:{back}:{FACING_DEG * reach:g}@{timing.back_s / 4:g}s, "
        f"hold@{timing.after_s:g}s"
    )


LOOK_AWAYS: dict[str, LookAway] = {
    look.name: look
    for look in (
        LookAway("yaw-left", PLAIN, _yaw),
        LookAway("yaw-right", PLAIN, _yaw),
        LookAway("tilt", PLAIN, _tilt),
        LookAway("u-turn", SLOW, _yaw, angle=180.0),
        LookAway("head-turn", QUICK, _head_turn),
        LookAway("forward-turn", PLAIN, _forward_turn),
        LookAway("vertical", PLAIN, _vertical),
        LookAway("cardboard", PLAIN, cover="cardboard"),
        LookAway("curtain", PLAIN, cover="curtain"),
        LookAway("lights-off", QUICK, cover="lights"),
        LookAway("loop", CIRCLE, _loop, angle=120.0),
        LookAway("other-view", ASIDE, _other_view),
        LookAway("two-rounds", ROUND, _yaw, rounds=2),
        LookAway("three-rounds", ROUND, _yaw, rounds=3),
        LookAway("prefix", PLAIN, _yaw, gives_prefix=True),
        LookAway("by-itself", PLAIN),
    )
}


def find(name: str) -> LookAway:
    if name not in LOOK_AWAYS:
        raise UnknownName("look", name, LOOK_AWAYS)
    return LOOK_AWAYS[name]
