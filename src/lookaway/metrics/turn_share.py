"""How much of the asked turn did the camera make?"""

from __future__ import annotations

from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.visibility import camera_hides
from lookaway.metrics import WORLD, Case, Outcome, metric
from lookaway.observers.replay import Replay
from lookaway.outcomes import NotApplicable
from lookaway.readings.sight import lost

TREMBLE_DEG = 0.3  # from frame to frame: less is no turn


@metric(
    unit="of the asked turn",
    better="higher",
    margin=0.1,
    range=(0, 1),
    needs=["replay"],
    needs_truth=WORLD,
    phase_source="none",
    version=1,
)
def turn_share(case: Case) -> Outcome:
    """The angle that the camera turns through over the asked one; 1 is as far or further, 0 a static camera."""
    if not camera_hides(case.task):
        return NotApplicable("the camera is not asked to turn")
    if (unknown := lost(case)) is not None:
        return unknown
    seen = case.saw(Replay)
    _, world = case.known()
    made, asked = (turn_deg(p[1:], p[:-1]) for p in (seen.pose[seen.trusted], world.camera_to_world))
    return float(min(1.0, made[made > TREMBLE_DEG].sum() / asked.sum()))
