"""An action and its inverse lead back: a law of worlds that are driven by actions."""

from __future__ import annotations

from lookaway.metrics import Case, Outcome, metric
from lookaway.observers.signals import Signals
from lookaway.outcomes import Abstain
from lookaway.readings.film import STILL_GREY
from lookaway.readings.laws import asked_and_undone


@metric(
    unit="share",
    better="lower",
    margin=0.25,
    range=(0, 1),
    needs=["signals"],
    gates=["camera_active"],
    version=1,
)
def inverse_residue(case: Case) -> Outcome:
    """How much of the largest change of the picture is left once every action was taken back, in a world at rest.

    0 shows the first picture again, 1 is as far from it as the view ever was. Camera and world answer for it together.
    """
    if (elsewhere := asked_and_undone(case)) is not None:
        return elsewhere
    change = case.saw(Signals).change
    if change.max() < STILL_GREY:
        return Abstain("the picture never changes, so there is nothing to take back")
    return float(change[-1] / change.max())
