"""Was the subject really out of sight?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.readings.subject import subject_phases


@metric(
    unit="rate",
    better="higher",
    range=(0, 1),
    needs=["subject"],
    gates=["opportunity"],
    phase_source="measured",
    version=1,
)
def subject_hidden(case: Case) -> Outcome:
    """1 when the subject was seen and then unseen for half a second, 0 when it stayed in sight."""
    phases = subject_phases(case)
    if not phases:
        return Abstain("the subject is not recognisable anywhere in the video")
    return float(any(i.phase == "hidden" for i in phases))
