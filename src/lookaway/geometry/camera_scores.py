"""Does the camera do what was asked of it? Numbers on two paths; docs/camera-metrics.md has the formulas and limits.

`released` and `paper` are as published, blind spots included; the others are ours, and a static camera never scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from lookaway.geometry.camera_pair import STILL_M, WEAK_DEG, CameraPair
from lookaway.geometry.trajectory import Floats
from lookaway.outcomes import Abstain, NotApplicable

DECAY_DEG = 45.0  # mean error at which precision falls to 1/e
RELEASED_DEG = 30.0  # a turn that counts as whole in the released alignment
HOLD_DEG, HOLD_M = 5.0, 0.10  # a hold that is lost altogether
NET_DEG = 10.0  # smallest net rotation that errors are compared with
INACTIVE_SHARE = 0.1  # of the asked turn: less is an inactive camera
BACK_SHARE = 0.5  # of the farthest angle: a path that ends nearer than this comes back
BOTH_SHARE = 0.5  # of the farthest angle: a request that turns as far the other way too goes both ways
USED_DEG = 0.5  # RMS turn about an axis: less, and the request does not use the axis
LEAST_PEAK_DEG = 5.0  # a smaller turn has no end worth comparing with it
JERK_HZ = 10.0  # how often turns are read, so that clips of any rate compare

Outcome = float | Abstain | NotApplicable

HELD = NotApplicable("a static camera is asked for; static_hold scores it")
UNTURNED = NotApplicable("the camera is not asked to turn")
STATIC = "the camera hardly moved, though it was asked to"
UNPLACED = Abstain("the camera is asked to travel, and only its turns are known")


def precision_released(pair: CameraPair) -> Outcome:
    """exp(-(mean error / 45 deg + travel error)); a static request gives 1 or 0, a turn the other way 0."""
    if pair.travels and not pair.placed:
        return UNPLACED
    if not pair.turns and not pair.travels:
        return float(pair.got_deg.max() <= WEAK_DEG and pair.got_m.max() <= STILL_M)
    if pair.turns and motion(pair) != "as_asked":
        return 0.0
    return _precision(pair, pair.apart_deg, pair.got)


def precision_sound(pair: CameraPair) -> Outcome:
    """The same, scaled so that a static camera scores 0 and an exact one 1."""
    if pair.travels and not pair.placed:
        return UNPLACED
    if not pair.turns and not pair.travels:
        return HELD
    if pair.turns and pair.along_deg.max() < WEAK_DEG:
        return 0.0
    static = _precision(pair, pair.asked_deg, np.zeros_like(pair.got))
    return _clip((_precision(pair, pair.apart_deg, pair.got) - static) / (1 - static))


def _precision(pair: CameraPair, apart_deg: Floats, got: Floats) -> float:
    a, b = pair.asked[:, :3, 3], got[:, :3, 3]
    scale = max(float((a * b).sum()) / max(float((b * b).sum()), 1e-12), 0.0)
    travel = _rms(np.linalg.norm(a - scale * b, axis=1)) / (_rms(pair.asked_m) + 1e-8)
    return _clip(float(np.exp(-(apart_deg.mean() / DECAY_DEG + travel))))


def alignment_released(pair: CameraPair) -> Outcome:
    """How much of 30 degrees the camera turns the asked way, whatever was asked; 0 where its peak is the other way."""
    if not pair.turns:
        return UNTURNED
    return _beyond_weak(_peak(pair.along_deg), RELEASED_DEG) if motion(pair) == "as_asked" else 0.0


def alignment_sound(pair: CameraPair) -> Outcome:
    """How much of the asked turn the camera makes the asked way; 0 where its peak is the other way."""
    return _beyond_weak(_peak_turn(pair), pair.peak_deg) if pair.turns else UNTURNED


def _beyond_weak(turn_deg: float, whole_deg: float) -> float:
    return _clip((turn_deg - WEAK_DEG) / max(whole_deg - WEAK_DEG, 1e-9))


def motion(pair: CameraPair) -> Literal["as_asked", "weak_motion", "direction_mismatch"]:
    """Whether the peak of the turn counts, and why not."""
    peak = _peak(pair.along_deg)
    return "weak_motion" if abs(peak) < WEAK_DEG else "as_asked" if peak > 0 else "direction_mismatch"


def static_hold(pair: CameraPair) -> Outcome:
    """1 for a camera that rests as asked, 0 from 5 degrees or 0.1 metres on."""
    if pair.turns or pair.travels:
        return NotApplicable("the camera is asked to move")
    return _clip(1 - max(pair.got_deg.max() / HOLD_DEG, pair.got_m.max() / HOLD_M))


def controllability_paper(pair: CameraPair) -> Outcome:
    """1 - rotation RMSE / net asked rotation, which counts as 10 degrees at least."""
    if not pair.turns and not pair.travels:
        return HELD
    return _clip(1 - _rms(pair.apart_deg) / max(float(pair.asked_deg[-1]), NET_DEG))


def controllability_sound(pair: CameraPair) -> Outcome:
    """1 - rotation RMSE / the RMSE of a static camera."""
    if not pair.turns:
        return UNTURNED
    return _clip(1 - _rms(pair.apart_deg) / _rms(pair.asked_deg))


def rotation_error(pair: CameraPair) -> Outcome:
    """Degrees between the asked view and the one that was got, RMS over frames: what controllability divides."""
    return _rms(pair.apart_deg) if pair.turns else UNTURNED


def gain(pair: CameraPair) -> Outcome:
    """How far the camera turns at its peak, over how far it is asked to; 0 never, 1 as far, -1 as far the other way."""
    return _peak_turn(pair) / pair.peak_deg if pair.turns else UNTURNED


def return_error(pair: CameraPair) -> Outcome:
    """Degrees between the last view and the last one asked for, of a path that comes back."""
    if not pair.turns:
        return UNTURNED
    if pair.asked_deg[-1] > BACK_SHARE * pair.asked_deg.max():
        return NotApplicable("the camera is not asked to come back")
    return float(pair.apart_deg[-1])


def end_over_peak(pair: CameraPair) -> Outcome:
    """The turn that is left at the end over the largest one, whatever was asked; 0 came home, 1 stayed away."""
    peak = float(pair.got_deg.max())
    return float(pair.got_deg[-1]) / peak if peak >= LEAST_PEAK_DEG else hardly_turned(peak)


def hardly_turned(peak_deg: float) -> Abstain:
    return Abstain(
        f"the camera turns by {peak_deg:.1f} degrees at most; from {LEAST_PEAK_DEG:g} on its end is compared"
    )


def drift(pair: CameraPair) -> Outcome:
    """RMS degrees turned about axes that the request does not use."""
    if not pair.turns:
        return UNTURNED
    _, sizes, axes = np.linalg.svd(pair.asked_turn)
    unused = axes[np.count_nonzero(sizes / np.sqrt(len(pair.asked)) >= USED_DEG) :]
    if not len(unused):
        return NotApplicable("the camera is asked to turn about every axis")
    return _rms(np.linalg.norm(pair.got_turn @ unused.T, axis=1))


def jerk(pair: CameraPair) -> Outcome:
    """Median degrees per second cubed by which the turn jerks otherwise than asked."""
    if not pair.turns:
        return UNTURNED
    if pair.seconds is None:
        return Abstain("no file says at which seconds its poses are")
    at = np.arange(pair.seconds[0], pair.seconds[-1] + 1e-9, 1 / JERK_HZ)
    if len(at) < 4:
        return Abstain("shorter than 0.3 seconds")
    off = pair.got_turn - pair.asked_turn
    read = np.stack([np.interp(at, pair.seconds, off[:, axis]) for axis in range(3)], axis=1)
    return float(np.median(np.linalg.norm(np.diff(read, n=3, axis=0), axis=1)) * JERK_HZ**3)


def inactivity(pair: CameraPair) -> Outcome:
    """1 when the camera hardly makes any of the motion that is asked for, else 0."""
    if pair.turns:
        return float(pair.got_deg.max() < max(WEAK_DEG, INACTIVE_SHARE * pair.peak_deg))
    if not pair.travels:
        return HELD
    return float(pair.got_m.max() <= STILL_M) if pair.placed else UNPLACED


def _peak_turn(pair: CameraPair) -> float:
    """Degrees turned at the peak, negative the other way; of a request that goes both ways, those on its first side."""
    both_ways = -float(pair.asked_along_deg.min()) >= BOTH_SHARE * pair.peak_deg
    return float(pair.along_deg.max()) if both_ways else _peak(pair.along_deg)


def _peak(values: Floats) -> float:
    """The value farthest from 0, with its sign."""
    return float(values[int(np.abs(values).argmax())])


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _clip(value: float) -> float:
    return float(np.clip(value, 0, 1))


SCORES: Mapping[str, Mapping[str, Callable[[CameraPair], Outcome]]] = {
    "requested_camera_precision": {"released": precision_released, "sound": precision_sound},
    "prompt_camera_alignment": {"released": alignment_released, "sound": alignment_sound},
    "static_hold": {"released": static_hold},
    "camera_controllability": {"paper": controllability_paper, "sound": controllability_sound},
    "camera_rotation_error": {"sound": rotation_error},
    "camera_gain": {"sound": gain},
    "camera_return_error": {"sound": return_error},
    "camera_end_over_peak": {"sound": end_over_peak},
    "camera_drift": {"sound": drift},
    "camera_jerk": {"sound": jerk},
    "camera_inactivity": {"sound": inactivity},
}
