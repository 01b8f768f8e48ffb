"""Plain readings of what the observers saw, shared by gates and metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.asked import asked_poses
from lookaway.geometry.camera_pair import CameraPair, camera_path, paired
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.visibility import MIN_HIDDEN_S, frames_in, longest_s, phases_from_visible
from lookaway.metrics import Case, Outcome
from lookaway.observers.turning import SURE_TURN
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.records import Interval

HOME_OVERLAP = 0.8  # share of the first view that must be back in view to call it returned
AWAY_SHARE = 0.02  # share of the subject's first box still in view below which its place is out of view
LENS_DOUBT = 1.25  # widest over narrowest picture that would explain the same turn
STILL_DEG = 5.0  # a turn so small is small under any field of view
PATH_PLACED_SHARE = 0.5  # of the frames: camera scores compare whole paths, so most of one must be recovered

Flags = NDArray[np.bool_]


def camera_lost(seen: Mapping[str, NDArray[Any]]) -> Abstain | None:
    """Why the camera's turns, as an observer saw them, cannot be told, or nothing."""
    if (trusted := seen["trusted"].mean()) < PATH_PLACED_SHARE:
        return Abstain(f"camera not recovered: {trusted:.0%} of frames could be placed")
    if longest_s(seen["seconds"], ~seen["trusted"]) >= MIN_HIDDEN_S:
        return Abstain("camera not recovered for half a second or more: it may have been anywhere meanwhile")
    return None


def camera_pair(case: Case) -> CameraPair | Abstain | NotApplicable:
    """The asked camera and the recovered one at the asked moments; frames without a sure view are bridged."""
    if case.task.cover:
        return NotApplicable("the view is covered; nothing is asked of the camera")
    seen = case.seen["classical"]
    if (unknown := camera_lost(seen)) is not None:
        return unknown
    seconds = np.arange(case.task.frames) / case.task.fps
    asked = camera_path(asked_poses(case.task, seconds), "the task's camera", seconds)
    if _lens_in_doubt(seen) and turn_deg(seen["rotation"][seen["trusted"]]).max() > STILL_DEG:
        return Abstain("the field of view is not declared and the turn does not tell it, so its size is unknown")
    placed = seen["trusted"] & (seen["confidence"] >= SURE_TURN)
    if longest_s(seen["seconds"], ~placed) >= MIN_HIDDEN_S:
        return Abstain("the camera shifted as well as turned for half a second or more, so its turns cannot be told")
    got = camera_path(seen["rotation"][placed], "the recovered camera", seen["seconds"][placed])
    return paired(asked, got)


def _lens_in_doubt(seen: Mapping[str, NDArray[Any]]) -> bool:
    """Could the turns be noticeably larger or smaller under another field of view that is as likely?"""
    _, low, high = np.tan(np.deg2rad(seen["hfov_deg"] / 2))
    return bool(high > LENS_DOUBT * low)


def camera_score(case: Case, score: Callable[[CameraPair], Outcome]) -> Outcome:
    """A score of the asked camera against the recovered one, or why there is none."""
    pair = camera_pair(case)
    return score(pair) if isinstance(pair, CameraPair) else pair


def away_from_home(case: Case) -> Flags | Abstain:
    """Frames in which the subject's first place is out of view, in runs of at least MIN_HIDDEN_S."""
    view = case.seen["view"]
    if (unknown := camera_lost(view)) is not None:
        return unknown
    in_view = ~(view["trusted"] & (view["home_in_view"] < AWAY_SHARE))
    intervals = phases_from_visible(view["seconds"], in_view, MIN_HIDDEN_S)
    away = np.zeros(len(in_view), bool)
    for interval in intervals:
        if interval.phase == "hidden":
            away |= (view["seconds"] >= interval.start_s) & (view["seconds"] < interval.end_s)
    return away & ~in_view


def home_again(case: Case) -> Flags | Abstain:
    """Frames after the last time away in which the first view is back."""
    away = away_from_home(case)
    if isinstance(away, Abstain):
        return away
    back = np.zeros(len(away), bool)
    if away.any():
        last = int(np.flatnonzero(away)[-1])
        view = case.seen["view"]
        back[last + 1 :] = (view["trusted"] & (view["overlap"] >= HOME_OVERLAP))[last + 1 :]
    return back


def subject_phases(case: Case) -> tuple[Interval, ...]:
    """Visible, hidden and returned as measured in the video itself."""
    seen = case.seen["subject"]
    return phases_from_visible(seen["seconds"], seen["visible"].astype(bool))


MIN_PAIRS = 3
PAIR_WITHIN_S = 0.1
TRUTH_HOME_DEG = 12.0  # a fifth of the known world's 60 degrees: about HOME_OVERLAP of the first view is back


class Pairs(NamedTuple):
    """Frames of the clip and of the truth taken at the same second, both views being back."""

    clip: NDArray[np.int64]
    truth: NDArray[np.int64]


def both_returned(case: Case) -> Pairs | Abstain:
    """Moments after the look-away when clip and truth both look at the first view and the truth shows the subject."""
    truth, world = case.known()
    back = home_again(case)
    if isinstance(back, Abstain):
        return back
    at_home = turn_deg(world.camera_to_world, world.camera_to_world[0]) < TRUTH_HOME_DEG
    returned = frames_in(truth.seconds, truth.phases, "returned")
    usable = np.flatnonzero(returned & at_home & (world.visible > 0))
    clip = np.flatnonzero(back)
    if not len(usable) or not len(clip):
        return Abstain("the truth never shows the subject again in the first view")
    seconds = case.seen["view"]["seconds"]
    nearest = usable[np.abs(truth.seconds[usable][None] - seconds[clip][:, None]).argmin(1)]
    close = np.abs(truth.seconds[nearest] - seconds[clip]) <= PAIR_WITHIN_S
    if close.sum() < MIN_PAIRS:
        return Abstain(f"only {close.sum()} moments at which the clip and the truth are both back in the first view")
    return Pairs(clip[close], nearest[close])
