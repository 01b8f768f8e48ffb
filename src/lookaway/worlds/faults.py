"""Named faults: how a flawed model's world departs from the true one, moment by moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lookaway.errors import UnknownName


@dataclass(frozen=True)
class Moment:
    """What a flawed world shows: its process time, its camera time, and whether the subject still exists."""

    process_s: float
    camera_s: float
    present: bool = True


Fault = Callable[[float, float, float], Moment]  # (second, hidden from, hidden until)


def truth(second: float, hide_s: float, return_s: float) -> Moment:
    """No fault: the world keeps going."""
    return Moment(second, second)


def frozen(second: float, hide_s: float, return_s: float) -> Moment:
    """The process stops while nobody looks, and goes on where it stopped."""
    stopped = min(max(second - hide_s, 0.0), return_s - hide_s)
    return Moment(second - stopped, second)


def vanished(second: float, hide_s: float, return_s: float) -> Moment:
    """What goes out of view is gone for good."""
    return Moment(second, second, present=second < hide_s)


def static_camera(second: float, hide_s: float, return_s: float) -> Moment:
    """The right world, but the camera never turns."""
    return Moment(second, 0.0)


FAULTS: dict[str, Fault] = {
    "truth": truth,
    "frozen": frozen,
    "vanished": vanished,
    "static-camera": static_camera,
}


def find(name: str) -> Fault:
    if name not in FAULTS:
        raise UnknownName("fault", name, FAULTS)
    return FAULTS[name]
