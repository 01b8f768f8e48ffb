"""Buttons and mouse, frame by frame, for worlds that are played like a game."""

from __future__ import annotations

import io

import numpy as np

from lookaway.controls import AskedCamera, EncodedCamera, Files, control
from lookaway.controls.buttons import pressed
from lookaway.errors import UsageError
from lookaway.geometry.trajectory import Floats, Trajectory

FILE = "actions.npz"
PRESSED_S, HALF_FRAME_S = 0.25, 1 / 240
LEAST_DEG_PER_S = 1.0  # slower is a held view
UNKNOWN = "how far one press moves this world is not known, so neither is what of the path it can obey"
_MOUSE = {"pitch_up": ("pitch", 1), "pitch_down": ("pitch", -1), "yaw_right": ("yaw", 1), "yaw_left": ("yaw", -1)}


def read(files: Files, asked: AskedCamera) -> Trajectory:
    raise UsageError(f"'{asked.card.name}': {UNKNOWN}")


@control(version=1, decode=read)
def actions(asked: AskedCamera) -> EncodedCamera:
    """Arrays of held buttons (frames, buttons) and of mouse moves (frames, 2)."""
    settings = asked.card.control_settings
    if "buttons" not in settings and "mouse" not in settings:
        raise UsageError(f"'{asked.card.name}' tells neither buttons nor mouse, so nothing can be written for it")
    arrays = {}
    if "buttons" in settings:
        names = [name.strip() for name in str(settings["buttons"]).split(",")]
        arrays[str(settings.get("buttons_array", "buttons"))] = _held(asked, names)
    if "mouse" in settings:
        ways = [name.strip() for name in str(settings["mouse"]).split(",")]
        arrays[str(settings.get("mouse_array", "mouse"))] = _moved(asked.path, ways, float(settings["mouse_per_frame"]))
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return EncodedCamera({FILE: buffer.getvalue()}, warnings=(UNKNOWN,))


def _held(asked: AskedCamera, names: list[str]) -> Floats:
    """The buttons of the path, and that which sets something off, pressed for a moment when it is asked for."""
    sets_off = str(asked.card.control_settings.get("trigger_action", ""))
    ways = [name for name in names if name != sets_off]
    held = pressed(asked.path, ways)
    if sets_off not in names:
        return held
    since_s = np.inf if asked.trigger_s is None else asked.path.seconds - asked.trigger_s
    button = np.broadcast_to((since_s > -HALF_FRAME_S) & (since_s < PRESSED_S), len(held)).astype(float)
    return np.insert(held, names.index(sets_off), button, axis=1)


def _moved(path: Trajectory, ways: list[str], value: float) -> Floats:
    """The given value, signed, while the camera turns that way until the next frame."""
    angles = {"yaw": path.yaw_deg(), "pitch": path.pitch_deg()}
    columns = []
    for way in ways:
        if way not in _MOUSE:
            raise UsageError(f"control_settings.mouse: no '{way}'; known: {', '.join(_MOUSE)}")
        name, sign = _MOUSE[way]
        rate = np.append(np.diff(angles[name]) / np.diff(path.seconds), 0.0)
        columns.append(np.where(np.abs(rate) >= LEAST_DEG_PER_S, value * sign * np.sign(rate), 0.0))
    return np.stack(columns, axis=1)
