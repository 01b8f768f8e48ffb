"""When the view is back, is the subject there at all?"""

from __future__ import annotations

from lookaway.metrics import MEMORY_GATES, WORLD, Case, Outcome, metric
from lookaway.observers.subject import SubjectMasks
from lookaway.outcomes import Abstain
from lookaway.readings.view import both_returned


@metric(
    unit="share",
    better="higher",
    range=(0, 1),
    needs=["view", "subject"],
    gates=MEMORY_GATES,
    needs_truth=WORLD,
    phase_source="measured",
    version=2,
)
def object_present(case: Case) -> Outcome:
    """Share of returned frames, in which the truth shows the subject, that show it too, anywhere; 0 is vanished."""
    pairs = both_returned(case)
    if isinstance(pairs, Abstain):
        return pairs
    return float(case.saw(SubjectMasks).visible[pairs.clip].mean())
