"""The same action twice makes the same step: a law of worlds that are driven by actions."""

from __future__ import annotations

import numpy as np

from lookaway.geometry.rotations import turn_deg
from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.classical import Classical
from lookaway.outcomes import Abstain, Measured, NotApplicable
from lookaway.readings.camera import camera_lost
from lookaway.readings.laws import repeated_turn

NEAR_S = 0.1  # a frame so near to the start or end of an action shows the view there


@metric(
    unit="deg",
    better="lower",
    margin=3.0,
    range=(0, 180),
    needs=["classical"],
    gates=["camera_active"],
    version=1,
)
def repeat_error(case: Case) -> Outcome:
    """The largest angle between the turn that an action makes and the one it makes when it is asked for again."""
    times = repeated_turn(case.task)
    if not times:
        return NotApplicable("no turn is asked for twice")
    if case.task.cover:
        return NotApplicable("something comes before the camera")
    seen = case.saw(Classical)
    if (lost := camera_lost(seen)) is not None:
        return lost
    rows = [[_row(seen, second) for second in both] for both in times]
    if any(row is None for both in rows for row in both):
        return Abstain("the camera was not recovered where an action begins or ends")
    places = np.array(rows, int)
    steps = seen.rotation[places[:, 0]].transpose(0, 2, 1) @ seen.rotation[places[:, 1]]
    apart = float(turn_deg(steps[0].T @ steps[1:]).max())
    wide = 2 * float(seen.half_width_deg[places.ravel()].max())
    return Measured(apart, max(0.0, apart - wide), apart + wide)


def _row(seen: Classical, second: float) -> int | None:
    """The placed frame at that second."""
    away = np.where(seen.trusted, np.abs(seen.seconds - second), np.inf)
    return int(away.argmin()) if away.min() <= NEAR_S else None
