"""Is it a film at all?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.signals import Signals
from lookaway.readings.film import is_still


@metric(unit="yes or no", better="lower", range=(0, 1), needs=["signals"], version=1)
def still_picture(case: Case) -> Outcome:
    """1 where the picture never changes: neither camera nor world moves; else 0."""
    return float(is_still(case.saw(Signals)))
