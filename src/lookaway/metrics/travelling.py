"""Does the camera walk?"""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.signals import Signals
from lookaway.readings.film import walked_deg


@metric(unit="deg", better="lower", margin=0.2, needs=["signals"], version=2)
def travelling(case: Case) -> Outcome:
    """How far things shift against each other beyond what any turn of the camera explains; 0 where it stands."""
    return walked_deg(case.saw(Signals))
