"""Does the camera jump within a room?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.signals import Signals


@metric(unit="jumps", better="lower", needs=["signals"], version=1)
def jump_count(case: Case) -> Outcome:
    """Steps of the camera that are far larger than those beside them, with the room still recognised; 0 is smooth."""
    return float(case.saw(Signals).jump.sum())
