"""Plain readings of what the observer `replay` saw, shared by gates and metrics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.rotations import turn_deg
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

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def sight_phases(case: Case) -> tuple[Interval, ...]:
    """When the subject's place was visible, hidden and back, as measured in the video."""
    seen = case.seen["replay"]
    return phases_from_visible(seen["seconds"], seen["visible"])


def lost(case: Case) -> Abstain | None:
    """Where the camera of a moving view cannot be told, nor can what it saw."""
    trusted = float(case.seen["replay"]["trusted"].mean())
    if case.task.cover or trusted >= REPLAY_PLACED_SHARE:
        return None
    return Abstain(f"camera not recovered: {trusted:.0%} of frames could be placed")


def stayed_in_sight(case: Case) -> str:
    """Why the subject was never out of sight for half a second, or nothing."""
    seen = case.seen["replay"]
    hidden = [i for i in sight_phases(case) if i.phase == "hidden"]
    if not hidden:
        return "the subject's place never went out of sight"
    if any(i.phase == "hidden" for i in phases_from_visible(seen["seconds"], ~unseen(case), MIN_HIDDEN_S)):
        return ""
    return "the subject could be seen while its place was out of sight"


def unseen(case: Case) -> Flags:
    """Frames in which the subject's place is out of sight and nothing with its colours is in view."""
    seen = case.seen["replay"]
    return np.asarray(~seen["visible"] & (seen["stranger"] < STRANGER_SHARE))


def returned(case: Case) -> Flags:
    """Frames after the look-away in which the camera is back and sees the subject's place as fully as asked."""
    seen = case.seen["replay"]
    _, world = case.known()
    back = frames_in(seen["seconds"], sight_phases(case), "returned")
    due = frames_in(seen["seconds"], case.task.phases, "returned")
    asked = float(seen["due_in_view"][due].max()) if due.any() else 1.0
    last = np.linalg.inv(world.camera_to_world[0]) @ world.camera_to_world[-1]
    near = turn_deg(seen["pose"], last) <= AT_END_DEG
    return np.asarray(back & near & (seen["in_view"] >= AS_FULLY * asked))


def stayed_away(case: Case) -> str:
    """Why the subject's place did not come back into sight, or nothing."""
    return "" if returned(case).any() else "the subject's place never came back into sight"


def first_hidden(case: Case) -> Interval:
    return next(i for i in sight_phases(case) if i.phase == "hidden")


def clock(case: Case) -> Clock | Abstain | NotApplicable:
    """The clip's own clock around its first look-away."""
    if case.task.event == "none":
        return NotApplicable("nothing happens in this task, so no clock can be read")
    seen = case.seen["replay"]
    late = seen["late"]
    if min(late.sum(), (~late).sum()) < MIN_READ:
        return Abstain("too few frames show the subject's place whole before and after the look-away")
    if len(seen["explained"]) and np.median(seen["explained"]) < FOUND:
        return Abstain(NOTHING_FOUND)
    return read_clock(seen["moments"], seen["seconds"][seen["read"]], seen["curves"], late)


def found(case: Case, name: str) -> Floats | Abstain:
    """A column of what was found in the frames after the look-away."""
    column = case.seen["replay"][name]
    if not len(column):
        return Abstain("no frame after the look-away shows the subject's place whole")
    return np.asarray(column, np.float64)


def explained_as_before(case: Case, name: str) -> float | Abstain:
    """Median of a column of explained shares, over the share explained before the look-away.

    So a clip that draws the subject in its own manner, throughout, is not blamed for it.
    """
    after = found(case, name)
    if isinstance(after, Abstain):
        return after
    shown = case.seen["replay"]["shown"]
    before = float(np.median(shown[shown >= AS_WELL * shown.max()])) if len(shown) else 1.0
    share = float(np.median(after))
    return float(np.clip(share / before if share > 0 and before >= FOUND else share, -1, 1))
