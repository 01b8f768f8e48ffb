"""When the subject's place was out of sight and back, beside renderings of the true process."""

from __future__ import annotations

import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.rounds import Phases, frames_back, look_aways, round_count, round_span
from lookaway.geometry.visibility import MIN_HIDDEN_S, frames_in, phases_from_visible
from lookaway.observers import Flags
from lookaway.observers.replay import Replay
from lookaway.outcomes import Abstain
from lookaway.readings import Case

STRANGER_SHARE = 0.1  # of the subject's area: more of its colours where it must not be is the subject itself
AS_FULLY = 0.9  # of what the true camera sees of the subject on its return
AT_END_DEG = 8.0  # from the last asked view: near enough to have come back
REPLAY_PLACED_SHARE = 0.15  # of the frames: a state is read from a few, so a few placed ones will do
LIT = 0.3  # of the first frame's brightness: darker pictures are not compared


def sight_phases(case: Case) -> Phases:
    """When the subject's place was visible, hidden and back, as measured in the video."""
    seen = case.saw(Replay)
    return phases_from_visible(seen.seconds, seen.visible)


def posed_phases(case: Case) -> Phases:
    """The phases that the clip is asked about: the measured ones; in an observed twin those of the task that hides."""
    return case.task.yoked or sight_phases(case)


def lost(case: Case) -> Abstain | None:
    """Where the camera of a moving view cannot be told, nor can what it saw."""
    trusted = float(case.saw(Replay).trusted.mean())
    if case.task.cover or trusted >= REPLAY_PLACED_SHARE:
        return None
    return Abstain(f"camera not recovered: {trusted:.0%} of frames could be placed")


def stayed_in_sight(case: Case, round: int | None = None) -> str:
    """Why the subject was not out of sight for half a second, in that round or in any, or nothing."""
    phases = sight_phases(case)
    hidden = look_aways(phases)
    if not hidden:
        return "the subject's place never went out of sight"
    if round is not None and len(hidden) < round:
        return f"the subject's place went out of sight {len(hidden)} time{'s' * (len(hidden) > 1)}, not {round}"
    start_s, end_s = (-np.inf, np.inf) if round is None else round_span(phases, round, round_count(case.task))
    away = look_aways(phases_from_visible(case.saw(Replay).seconds, ~unseen(case), MIN_HIDDEN_S))
    if any(i.start_s < end_s and i.end_s > start_s for i in away):
        return ""
    return "the subject could be seen while its place was out of sight"


def unseen(case: Case) -> Flags:
    """Frames in which the subject's place is out of sight and nothing with its colours is in view."""
    seen = case.saw(Replay)
    return np.asarray(~seen.visible & (seen.stranger < STRANGER_SHARE))


def returned(case: Case, round: int | None = None) -> Flags:
    """Frames after a look-away, that one or any, in which the camera is back and sees the subject's place as fully as
    asked."""
    seen, phases = case.saw(Replay), sight_phases(case)
    _, world = case.known()
    if round is None:
        back = frames_in(seen.seconds, phases, "returned")
    else:
        back = frames_back(seen.seconds, phases, round, round_count(case.task))
    due = frames_in(seen.seconds, case.task.phases, "returned")
    asked = float(seen.due_in_view[due].max()) if due.any() else 1.0
    last = np.linalg.inv(world.camera_to_world[0]) @ world.camera_to_world[-1]
    near = turn_deg(seen.pose, last) <= AT_END_DEG
    return np.asarray(back & near & (seen.in_view >= AS_FULLY * asked))


def stayed_away(case: Case, round: int | None = None) -> str:
    """Why the subject's place did not come back into sight, after that look-away or any, or nothing."""
    return "" if returned(case, round).any() else "the subject's place never came back into sight"
