"""Is the subject of the same colour as before?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.subject_track import SubjectTrack
from lookaway.readings.track import Absence, on_both_sides, worst


@metric(
    unit="CIELAB",
    better="lower",
    margin=6.0,
    needs=["subject_track"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=1,
)
def subject_colour_change(case: Case) -> Outcome:
    """Distance in a* and b* of its median colour before and after a look-away; 2 is just seen, the largest over them.

    Lightness is left out: light changes with the view. One whose colour changed much is not found again at all: see
    `subject_replaced`.
    """
    return worst(case, colour_change)


def colour_change(seen: SubjectTrack, absence: Absence) -> float:
    before, after = on_both_sides(seen, absence, lambda k: seen.colour[k, 1:])
    return float(np.hypot(*(after - before)))
