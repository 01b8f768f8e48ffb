"""Is the one that came back the one that was hidden?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.outcomes import Abstain
from lookaway.readings.track import identity, worst


@metric(
    unit="likeness",
    better="higher",
    margin=0.3,
    range=(0, 1),
    needs=["subject_track"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=1,
)
def subject_identity(case: Case) -> Outcome:
    """Likeness by colours and picture of the subject before and after a look-away, the least over them; 1 the same.

    Without weights: a subject that turned or bent looks like another one.
    """
    least = worst(case, lambda seen, absence: -identity(seen, absence))
    return least if isinstance(least, Abstain) else -least
