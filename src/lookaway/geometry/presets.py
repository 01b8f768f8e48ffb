"""Camera paths with a name: each gives a camera script as text. All but `steps` end where they began.

`script("yaw-lr", seconds=5, peak_deg=60)` gives what `preset:yaw-lr:60@5s` stands for within a script.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

from lookaway.errors import UnknownName, UsageError

Value = float | str

NOD_DEG = 8.0  # a turning head does not stay level
_TURNS = {"left": "yaw:left", "right": "yaw:right", "up": "pitch:up", "down": "pitch:down"}
_STEP = re.compile(r"(?P<way>[a-z]+)-(?P<count>[0-9]+)(?: steps)?")


def script(name: str, seconds: float, *values: Value, **named: Value) -> str:
    """The camera script of a preset that lasts `seconds`."""
    if name not in PRESETS:
        raise UnknownName("camera preset", name, PRESETS)
    preset = PRESETS[name]
    try:
        inspect.signature(preset).bind(seconds, *values, **named)
    except TypeError as error:
        raise UsageError(f"preset '{name}': {error}; write {usage(name)}") from error
    return preset(seconds, *values, **named)


def usage(name: str) -> str:
    """How a preset is written within a script: `preset:yaw-lr:PEAK_DEG@SECONDSs`."""
    _, *values = inspect.signature(PRESETS[name]).parameters.values()
    return ":".join(["preset", name, *(value.name.upper() for value in values)]) + "@SECONDSs"


def number(value: Value) -> str:
    """A number as it stands in a script, exact; text is left as it is."""
    return value if isinstance(value, str) else repr(float(value)).removesuffix(".0")


def _out_and_back(seconds: float, out: str, back: str) -> str:
    half = number(seconds / 2)
    return f"{out}@{half}s, {back}@{half}s"


def static(seconds: float) -> str:
    return f"hold@{number(seconds)}s"


def yaw_lr(seconds: float, peak_deg: Value) -> str:
    """Look left, return right."""
    return _out_and_back(seconds, f"yaw:left:{number(peak_deg)}", f"yaw:right:{number(peak_deg)}")


def yaw_rl(seconds: float, peak_deg: Value) -> str:
    """Look right, return left."""
    return _out_and_back(seconds, f"yaw:right:{number(peak_deg)}", f"yaw:left:{number(peak_deg)}")


def tilt(seconds: float, peak_deg: Value) -> str:
    return _out_and_back(seconds, f"pitch:up:{number(peak_deg)}", f"pitch:down:{number(peak_deg)}")


def u_turn(seconds: float) -> str:
    return yaw_lr(seconds, 180)


def head_turn(seconds: float, peak_deg: Value) -> str:
    peak, nod = number(peak_deg), number(NOD_DEG)
    return _out_and_back(seconds, f"yaw:left:{peak}+pitch:up:{nod}", f"yaw:right:{peak}+pitch:down:{nod}")


def forward(seconds: float, metres: Value) -> str:
    return _out_and_back(seconds, f"dolly:forward:{number(metres)}", f"dolly:back:{number(metres)}")


def vertical(seconds: float, metres: Value) -> str:
    return _out_and_back(seconds, f"crane:up:{number(metres)}", f"crane:down:{number(metres)}")


def arc(seconds: float, peak_deg: Value, radius_m: Value | None = None) -> str:
    size = number(peak_deg) if radius_m is None else f"{number(peak_deg)}:{number(radius_m)}"
    return _out_and_back(seconds, f"orbit:left:{size}", f"orbit:right:{size}")


def steps(seconds: float, deg_per_step: Value, *steps: Value) -> str:
    """Steps of equal time and angle, such as "right-30, left-30"; how far one turns, the model's interface decides."""
    read = [_step(step) for text in steps for step in str(text).split(",")]
    if not read:
        raise UsageError("preset 'steps' has no steps; write preset:steps:3:right-30:left-30@5s")
    try:
        angle, lasts = float(deg_per_step), seconds / sum(count for _, count in read)
    except (ValueError, ZeroDivisionError) as error:
        raise UsageError(f"'{deg_per_step}' degrees a step, {len(read)} steps: {error}") from error
    return ", ".join(f"{turn}:{number(count * angle)}@{number(count * lasts)}s" for turn, count in read)


def _step(text: str) -> tuple[str, int]:
    match = _STEP.fullmatch(text.strip())
    if match is None or match["way"] not in _TURNS:
        raise UsageError(f"cannot read the step '{text.strip()}'; write {', '.join(f'{way}-30' for way in _TURNS)}")
    return _TURNS[match["way"]], int(match["count"])


PRESETS: dict[str, Callable[..., str]] = {
    "static": static,
    "yaw-lr": yaw_lr,
    "yaw-rl": yaw_rl,
    "tilt": tilt,
    "u-turn": u_turn,
    "head-turn": head_turn,
    "forward": forward,
    "vertical": vertical,
    "arc": arc,
    "steps": steps,
}
