"""Is what stays in view replaced bit by bit?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.signals import Signals
from lookaway.outcomes import Abstain
from lookaway.readings.film import slowly_replaced


@metric(unit="share", better="lower", range=(0, 1), needs=["signals"], version=1)
def slow_replacement(case: Case) -> Outcome:
    """Of frames seconds apart whose place stayed in view, the share that shows another place; 0 where it is kept."""
    seen = case.saw(Signals)
    if not len(seen.lag_tied):
        return Abstain("no place stays in view for a second, uncut and uncovered")
    return float(slowly_replaced(seen).mean())
