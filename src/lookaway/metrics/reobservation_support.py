"""Does the video pose the memory question at all: seen, hidden, seen again?"""

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
def reobservation_support(case: Case) -> Outcome:
    """1 when the subject was seen, hidden for half a second and seen again; 0 when never hidden or never back."""
    phases = subject_phases(case)
    if not phases:
        return Abstain("the subject is not recognisable anywhere in the video")
    return float(any(i.phase == "returned" for i in phases))
