"""When the subject is back, is there another one?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.track import another_share


@metric(
    unit="of the frames after",
    better="lower",
    margin=0.3,
    range=(0, 1),
    needs=["subject_track"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=2,
)
def subject_doubled(case: Case) -> Outcome:
    """Share of frames with the subject, after a look-away, that show a second thing like it where none was before."""
    return another_share(case)
