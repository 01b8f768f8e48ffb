"""The recovered camera beside the asked one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookaway.geometry.asked import NOT_ASKED, asked_poses
from lookaway.geometry.camera_pair import CameraPair, camera_path, paired
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.visibility import MIN_HIDDEN_S, longest_s
from lookaway.observers.classical import Classical
from lookaway.observers.turning import SURE_TURN, CameraTurns
from lookaway.outcomes import Abstain, NotApplicable, Outcome
from lookaway.readings import Case

LENS_DOUBT = 1.25  # widest over narrowest picture that would explain the same turn
STILL_DEG = 5.0  # a turn so small is small under any field of view
PATH_PLACED_SHARE = 0.5  # of the frames: camera scores compare whole paths, so most of one must be recovered


def camera_lost(seen: CameraTurns) -> Abstain | None:
    """Why the camera's turns, as an observer saw them, cannot be told, or nothing."""
    if (trusted := seen.trusted.mean()) < PATH_PLACED_SHARE:
        return Abstain(f"camera not recovered: {trusted:.0%} of frames could be placed")
    if longest_s(seen.seconds, ~seen.trusted) >= MIN_HIDDEN_S:
        return Abstain("camera not recovered for half a second or more: it may have been anywhere meanwhile")
    return None


def camera_pair(case: Case) -> CameraPair | Abstain | NotApplicable:
    """The asked camera and the recovered one at the asked moments; frames without a sure view are bridged."""
    if not case.task.camera_asked:
        return NotApplicable(NOT_ASKED)
    if case.task.cover:
        return NotApplicable("the view is covered; nothing is asked of the camera")
    seen = case.saw(Classical)
    if (unknown := camera_lost(seen)) is not None:
        return unknown
    seconds = np.arange(case.task.frames) / case.task.fps
    asked = camera_path(asked_poses(case.task, seconds), "the task's camera", seconds)
    if _lens_in_doubt(seen) and turn_deg(seen.rotation[seen.trusted]).max() > STILL_DEG:
        return Abstain("the field of view is not declared and the turn does not tell it, so its size is unknown")
    placed = seen.trusted & (seen.confidence >= SURE_TURN)
    if longest_s(seen.seconds, ~placed) >= MIN_HIDDEN_S:
        return Abstain("the camera shifted as well as turned for half a second or more, so its turns cannot be told")
    got = camera_path(seen.rotation[placed], "the recovered camera", seen.seconds[placed])
    return paired(asked, got)


def _lens_in_doubt(seen: Classical) -> bool:
    """Could the turns be noticeably larger or smaller under another field of view that is as likely?"""
    _, low, high = np.tan(np.deg2rad(seen.hfov_deg / 2))
    return bool(high > LENS_DOUBT * low)


def camera_score(case: Case, score: Callable[[CameraPair], Outcome]) -> Outcome:
    """A score of the asked camera against the recovered one, or why there is none."""
    pair = camera_pair(case)
    return score(pair) if isinstance(pair, CameraPair) else pair
