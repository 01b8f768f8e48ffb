"""Does the subject look the same as before?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.readings.track import texture_likeness, worst


@metric(
    unit="1 - correlation",
    better="lower",
    margin=0.5,
    range=(0, 2),
    needs=["subject_track"],
    gates=["subject_left", "stands_out", "subject_due"],
    phase_source="measured",
    version=1,
)
def subject_texture_change(case: Case) -> Outcome:
    """1 minus the correlation of its likest pictures before and after a look-away; 0 the same, largest over them."""
    return worst(case, lambda seen, absence: min(2.0, max(0.0, 1 - texture_likeness(seen, absence))))
