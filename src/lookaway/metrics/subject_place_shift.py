"""Is the subject where it was, or where it was going?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.track import off_path_deg, worst


@metric(
    unit="deg",
    better="lower",
    margin=10.0,
    range=(0, 180),
    needs=["subject_track"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=1,
)
def subject_place_shift(case: Case) -> Outcome:
    """Angle from the found subject to the nearest place between where it was last seen and where it was going.

    0 is on its way, or where it was; the largest over look-aways. Nobody says where a subject that moves should be, so
    this is a number and no verdict.
    """
    return worst(case, off_path_deg)
