"""Is there a cut where the camera should have moved on?"""

from __future__ import annotations

import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.visibility import camera_hides
from lookaway.metrics import WORLD, Case, Outcome, metric
from lookaway.observers.replay import Replay
from lookaway.outcomes import Abstain

STEADY_DEG, STEADY_GREY = 1.0, 2.0  # steps of this size are no cut, however slow the asked ones are


@metric(
    unit="asked steps",
    better="lower",
    margin=1.5,
    needs=["replay"],
    needs_truth=WORLD,
    phase_source="none",
    version=1,
)
def cut(case: Case) -> Outcome:
    """The largest step between neighbouring frames over the largest asked one; about 1 as asked, more is a jump.

    By camera angle where the camera is asked to move, and by change of the picture where it is not.
    """
    seen = case.saw(Replay)
    if not camera_hides(case.task):
        return float((seen.step.max() + STEADY_GREY) / (seen.due_step.max() + STEADY_GREY))
    trusted = np.flatnonzero(seen.trusted)
    if len(trusted) < 2:
        return Abstain("camera not recovered")
    truth, world = case.known()
    path, made_path = world.camera_to_world, seen.pose[trusted]
    asked_deg_per_s = (turn_deg(path[1:], path[:-1]) / np.diff(truth.seconds)).max()
    made, lasted = turn_deg(made_path[1:], made_path[:-1]), np.diff(seen.seconds[trusted])
    frame_s = float(np.median(np.diff(seen.seconds)))
    excess = made - asked_deg_per_s * (lasted - frame_s)  # frames without a camera in between had time to move
    return float((excess.max() + STEADY_DEG) / (asked_deg_per_s * frame_s + STEADY_DEG))
