"""Is the subject as large as before?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.subject_track import SubjectTrack
from lookaway.readings.track import Absence, on_both_sides, worst


@metric(
    unit="times",
    better="one",
    margin=1.0,
    needs=["subject_track"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=1,
)
def subject_size_change(case: Case) -> Outcome:
    """How many times larger or smaller its picture is in area after a look-away; 1 as large, the largest over them."""
    return worst(case, size_change)


def size_change(seen: SubjectTrack, absence: Absence) -> float:
    before, after = on_both_sides(seen, absence, lambda k: seen.share[k])
    return float(np.exp(np.abs(np.log(after / before))))
