"""Is the film cut?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.signals import Signals


@metric(unit="cuts", better="lower", needs=["signals"], version=1)
def cut_count(case: Case) -> Outcome:
    """Steps after which nothing follows from the frame before: another room, or no overlap; 0 is one take."""
    return float(case.saw(Signals).cut.sum())
