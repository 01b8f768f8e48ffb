"""Is the subject of the same shape as before?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.subject_track import SubjectTrack
from lookaway.readings.track import Absence, on_both_sides, worst


@metric(
    unit="times",
    better="one",
    margin=0.5,
    needs=["subject_track"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=1,
)
def subject_shape_change(case: Case) -> Outcome:
    """How many times taller or wider it is for its size after a look-away; 1 the same, the largest over look-aways."""
    return worst(case, shape_change)


def shape_change(seen: SubjectTrack, absence: Absence) -> float:
    before, after = on_both_sides(seen, absence, lambda k: seen.upright[k])
    return float(np.exp(np.abs(after - before)))
