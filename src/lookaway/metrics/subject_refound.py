"""Having been out of sight, was the subject found again, by anybody who knows its first frame alone?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.track import refound_share


@metric(
    unit="of the look-aways",
    better="higher",
    margin=0.5,
    range=(0, 1),
    needs=["subject_track"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=1,
)
def subject_refound(case: Case) -> Outcome:
    """Look-aways after which something with its looks came into view within its reach, over all; 0 it is gone."""
    return refound_share(case)
