"""Nothing asked, nothing moves: a law of worlds that are driven by actions."""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.signals import Signals
from lookaway.readings.film import STILL_GREY
from lookaway.readings.laws import nothing_asked


@metric(unit="levels", better="lower", margin=STILL_GREY, range=(0, 255), needs=["signals"], version=1)
def no_op_change(case: Case) -> Outcome:
    """Mean grey levels by which the picture is ever off its first frame, where no action is asked and nothing happens.

    0 stands still; beyond 2 the camera drifts or the world changes of its own accord.
    """
    elsewhere = nothing_asked(case)
    return elsewhere if elsewhere is not None else float(case.saw(Signals).change.max())
