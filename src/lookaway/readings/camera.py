"""The recovered camera beside the asked one, in the middle of the interval in which it lies and at its ends.

A score has the value that the middle gives, and as bounds what the ends give: yaw and pitch further one way or the
other by their half-width, and every lens that is as likely. A yes or no is told only where all of them agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np

from lookaway.geometry.asked import NOT_ASKED, asked_poses
from lookaway.geometry.camera_pair import CameraPair, camera_path, paired
from lookaway.geometry.camera_scores import HOLD_DEG, LEAST_PEAK_DEG, hardly_turned
from lookaway.geometry.camera_scores import Outcome as PairOutcome
from lookaway.geometry.rotations import turn_deg, turned_by, turns_scaled
from lookaway.geometry.trajectory import Floats
from lookaway.geometry.visibility import MIN_HIDDEN_S, longest_s
from lookaway.observers import Flags
from lookaway.observers.classical import Classical
from lookaway.observers.following import SURE_TURN, CameraTurns
from lookaway.outcomes import Abstain, Measured, NotApplicable, Outcome
from lookaway.readings import Case

PATH_PLACED_SHARE = 0.5  # of the frames: camera scores compare whole paths, so most of one must be recovered
SIZE_DOUBT = 0.25  # of the asked turn: a half-width beyond it leaves nothing to be said about the turn's size
RETURN_DOUBT_DEG = 10.0

Where = Literal["path", "peak", "end"]  # which frames a score reads
COVERED = NotApplicable("the view is covered; nothing is asked of the camera")


def camera_lost(seen: CameraTurns) -> Abstain | None:
    """Why the camera's turns, as an observer saw them, cannot be told, or nothing."""
    if (trusted := seen.trusted.mean()) < PATH_PLACED_SHARE:
        return Abstain(f"camera not recovered: {trusted:.0%} of frames could be placed")
    if longest_s(seen.seconds, ~seen.trusted) >= MIN_HIDDEN_S:
        return Abstain("camera not recovered for half a second or more: it may have been anywhere meanwhile")
    return None


def believed(seen: CameraTurns) -> Flags:
    """Frames whose turn counts: placed, and by a worker that has doubts of its own without any.

    Those of `classical` are its half-widths.
    """
    return np.asarray(seen.trusted & (isinstance(seen, Classical) | (seen.confidence >= SURE_TURN)))


def camera_score(case: Case, score: Callable[[CameraPair], PairOutcome], where: Where = "path") -> Outcome:
    """A score of the asked camera against the recovered one with its bounds, or why there is none."""
    pairs = _pairs(case)
    if not isinstance(pairs, list):
        return pairs
    value = score(pairs[0])
    if isinstance(value, Abstain | NotApplicable):
        return value
    if (unknown := _too_wide(case.saw(Classical), pairs[0], where)) is not None:
        return unknown
    ends = [end for pair in pairs[1:] if isinstance(end := score(pair), float)]
    return Measured(value, min(value, *ends), max(value, *ends)) if ends else value


def camera_verdict(case: Case, score: Callable[[CameraPair], PairOutcome]) -> float | Abstain | NotApplicable:
    """A yes or no (1 or 0) that holds all over the camera's interval, or why there is none."""
    pairs = _pairs(case)
    if not isinstance(pairs, list):
        return pairs
    value = score(pairs[0])
    if isinstance(value, float) and any(score(pair) != value for pair in pairs[1:]):
        return either_way(case.saw(Classical))
    return value


def either_way(seen: CameraTurns) -> Abstain:
    """Why a yes or no cannot be told."""
    wide = seen.half_width_deg[seen.trusted].max()
    return Abstain(f"the camera is known to {wide:.1f} degrees at worst, which lets the answer go either way")


def end_over_peak(case: Case) -> Outcome:
    """The turn that is left at the end over the largest one, whatever was asked and through whatever lens."""
    if case.task.cover:
        return COVERED
    seen = case.saw(Classical)
    if (unknown := camera_lost(seen)) is not None:
        return unknown
    turned, wide = turn_deg(seen.rotation[seen.trusted]), seen.half_width_deg[seen.trusted].max(axis=1)
    at = int(turned.argmax())
    peak, end = float(turned[at]), float(turned[-1])
    if peak < LEAST_PEAK_DEG:
        return hardly_turned(peak)
    if peak <= wide[at]:
        return Abstain(f"the largest turn is {peak:.1f} ± {wide[at]:.1f} degrees, which may be none at all")
    least, most = max(0.0, end - wide[-1]) / (peak + wide[at]), (end + wide[-1]) / (peak - wide[at])
    return Measured(end / peak, min(float(least), end / peak), max(float(most), end / peak))


def _too_wide(seen: Classical, pair: CameraPair, where: Where) -> Abstain | None:
    """Why the camera's interval leaves nothing to be said about the frames that a score reads, or nothing."""
    turned, wide = turn_deg(seen.rotation[seen.trusted]), seen.half_width_deg[seen.trusted].max(axis=1)
    at = {"path": float(wide.mean()), "peak": float(wide[int(turned.argmax())]), "end": float(wide[-1])}[where]
    asked = SIZE_DOUBT * pair.peak_deg if pair.turns else HOLD_DEG
    allowed = RETURN_DOUBT_DEG if where == "end" else asked
    if at <= allowed:
        return None
    return Abstain(f"the camera is known to {at:.1f} degrees, and the question needs {allowed:.1f}")


def _pairs(case: Case) -> list[CameraPair] | Abstain | NotApplicable:
    """The asked camera and the recovered one at the asked moments: in the middle first, then at all ends.

    Frames that could not be placed are bridged.
    """
    if not case.task.camera_asked:
        return NotApplicable(NOT_ASKED)
    if case.task.cover:
        return COVERED
    seen = case.saw(Classical)
    if (unknown := camera_lost(seen)) is not None:
        return unknown
    seconds = np.arange(case.task.frames) / case.task.fps
    asked = camera_path(asked_poses(case.task, seconds), "the task's camera", seconds)
    at = seen.seconds[seen.trusted]
    return [paired(asked, camera_path(path, "the recovered camera", at)) for path in _paths(seen)]


def _paths(seen: Classical) -> Iterator[Floats]:
    """Where the camera may have turned: the middle, and the ends of its interval and of its lens."""
    middle, wide = seen.rotation[seen.trusted], seen.half_width_deg[seen.trusted].copy()
    wide[0] = 0.0  # turns count from there
    yield middle
    ends = [wide * end for end in ((-1, 0), (1, 0), (0, -1), (0, 1))] if wide.any() else []
    yield from (turned_by(middle, end) for end in ends)
    for lens in seen.hfov_deg[1:]:
        if lens != seen.hfov_deg[0]:
            scaled = turns_scaled(middle, lens_factor(float(seen.hfov_deg[0]), float(lens)))
            yield scaled
            yield from (turned_by(scaled, end) for end in ends[:2])


def lens_factor(read_deg: float, other_deg: float) -> float:
    """How much larger turns are through another lens than through the one they were read with.

    Things move by the focal length for a small turn, and by more towards the sides; their mean over the picture counts.
    """
    read, other = (0.5 / np.tan(np.deg2rad(deg) / 2) for deg in (read_deg, other_deg))
    return float((read + 1 / (12 * read)) / (other + 1 / (12 * other)))
