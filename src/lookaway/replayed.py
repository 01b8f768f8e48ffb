"""Plain readings of what the observer `replay` saw, shared by gates and metrics."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.rounds import Phases, frames_back, look_aways, round_count, round_span
from lookaway.geometry.visibility import MIN_HIDDEN_S, frames_in, phases_from_visible
from lookaway.metrics import Case
from lookaway.observers.replaying.clock import Clock, read_clock
from lookaway.observers.replaying.search import FOUND
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.records import Interval

STRANGER_SHARE = 0.1  # of the subject's area: more of its colours where it must not be is the subject itself
AS_FULLY = 0.9  # of what the true camera sees of the subject on its return
AT_END_DEG = 8.0  # from the last asked view: near enough to have come back
AS_WELL = 0.9  # of the best view before the look-away: what is worse may be covered in part
MIN_READ = 3
REPLAY_PLACED_SHARE = 0.15  # of the frames: a state is read from a few, so a few placed ones will do
LIT = 0.3  # of the first frame's brightness: darker pictures are not compared
NOTHING_FOUND = "nothing that looks like the subject was found after the look-away"
NONE_WHOLE = "no frame after the look-away shows the subject's place whole"
COLUMNS = ("explained", "due_explained", "place_x", "place_y", "due_x", "due_y", "extra")

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def sight_phases(case: Case) -> Phases:
    """When the subject's place was visible, hidden and back, as measured in the video."""
    seen = case.seen["replay"]
    return phases_from_visible(seen["seconds"], seen["visible"])


def posed_phases(case: Case) -> Phases:
    """The phases that the clip is asked about: the measured ones; in an observed twin those of the task that hides."""
    return case.task.yoked or sight_phases(case)


def lost(case: Case) -> Abstain | None:
    """Where the camera of a moving view cannot be told, nor can what it saw."""
    trusted = float(case.seen["replay"]["trusted"].mean())
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
    away = look_aways(phases_from_visible(case.seen["replay"]["seconds"], ~unseen(case), MIN_HIDDEN_S))
    if any(i.start_s < end_s and i.end_s > start_s for i in away):
        return ""
    return "the subject could be seen while its place was out of sight"


def unseen(case: Case) -> Flags:
    """Frames in which the subject's place is out of sight and nothing with its colours is in view."""
    seen = case.seen["replay"]
    return np.asarray(~seen["visible"] & (seen["stranger"] < STRANGER_SHARE))


def returned(case: Case, round: int | None = None) -> Flags:
    """Frames after a look-away, that one or any, in which the camera is back and sees the subject's place as fully as
    asked."""
    seen, phases = case.seen["replay"], sight_phases(case)
    _, world = case.known()
    if round is None:
        back = frames_in(seen["seconds"], phases, "returned")
    else:
        back = frames_back(seen["seconds"], phases, round, round_count(case.task))
    due = frames_in(seen["seconds"], case.task.phases, "returned")
    asked = float(seen["due_in_view"][due].max()) if due.any() else 1.0
    last = np.linalg.inv(world.camera_to_world[0]) @ world.camera_to_world[-1]
    near = turn_deg(seen["pose"], last) <= AT_END_DEG
    return np.asarray(back & near & (seen["in_view"] >= AS_FULLY * asked))


def stayed_away(case: Case, round: int | None = None) -> str:
    """Why the subject's place did not come back into sight, after that look-away or any, or nothing."""
    return "" if returned(case, round).any() else "the subject's place never came back into sight"


def look_away(case: Case) -> Interval:
    """The look-away that the case's round is about, where `clock` could be read."""
    return look_aways(posed_phases(case))[case.round - 1]


def clock(case: Case) -> Clock | Abstain | NotApplicable:
    """The clip's own clock around the look-away of the case's round.

    Its first line is what was seen last before that look-away: from the second round on, the stretch after the one
    before. The stretch before the first look-away then helps to tell the rate.
    """
    if case.task.event == "none":
        return NotApplicable("nothing happens in this task, so no clock can be read")
    seen, before = case.seen["replay"], case.round - 1
    rounds = seen["read_round"]
    if min((rounds == case.round).sum(), (rounds == before).sum()) < MIN_READ:
        return Abstain("too few frames show the subject's place whole before and after the look-away")
    if _missing(case, case.round):
        return Abstain(NOTHING_FOUND)
    if before and _missing(case, before):
        return Abstain("nothing that looks like the subject was found before the look-away")
    used = np.isin(rounds, (0, before, case.round))
    return read_clock(seen["moments"], seen["seconds"][seen["read"][used]], seen["curves"][used], rounds[used])


def _missing(case: Case, round: int) -> bool:
    """Was the subject searched for after that look-away, and not found?"""
    seen = case.seen["replay"]
    explained = seen["explained"][seen["found_round"] == round]
    return bool(len(explained) and np.median(explained) < FOUND)


def finds(case: Case) -> Mapping[str, Floats] | Abstain:
    """What the search found after the look-away of the case's round, by column, a row for each searched frame."""
    seen = case.seen["replay"]
    mine = seen["found_round"] == case.round
    return {name: seen[name][mine] for name in COLUMNS} if mine.any() else Abstain(NONE_WHOLE)


def explained_as_before(case: Case, name: str) -> float | Abstain:
    """Median of a column of explained shares, over the share explained before the first look-away.

    So a clip that draws the subject in its own manner, throughout, is not blamed for it.
    """
    after = finds(case)
    if isinstance(after, Abstain):
        return after
    shown = case.seen["replay"]["shown"]
    before = float(np.median(shown[shown >= AS_WELL * shown.max()])) if len(shown) else 1.0
    share = float(np.median(after[name]))
    return float(np.clip(share / before if share > 0 and before >= FOUND else share, -1, 1))
