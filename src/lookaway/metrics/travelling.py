"""Does the camera walk?"""

from __future__ import annotations

import numpy as np

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.signals import Signals


@metric(unit="log size", better="lower", margin=0.1, needs=["signals"], version=1)
def travelling(case: Case) -> Outcome:
    """How much larger or smaller things become beyond what the camera's turn explains; 0 where it stands."""
    return float(np.abs(case.saw(Signals).growth).max())
