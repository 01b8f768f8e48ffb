"""Does the video pose the return test, as whoever follows the subject from its box has it? No truth, no judge."""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.track import absences


@metric(
    unit="rate",
    better="higher",
    range=(0, 1),
    needs=["subject_track"],
    gates=["stands_out"],
    phase_source="measured",
    version=1,
)
def tracked_support(case: Case) -> Outcome:
    """1 when the subject was out of sight for half a second and found again, 0 when never hidden or never found."""
    return float(any(absence.refound for absence in absences(case)))
