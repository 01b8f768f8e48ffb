"""How much of the film is black, hazy or covered?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.signals import Signals


@metric(unit="share", better="lower", range=(0, 1), needs=["signals"], version=1)
def covered_share(case: Case) -> Outcome:
    """Share of frames with hardly any of the first frame's contrast and detail; a plain wall has more, and is none."""
    return float(case.saw(Signals).covered.mean())
