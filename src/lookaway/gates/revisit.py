"""Whether the camera passed the same views twice."""

from __future__ import annotations

from lookaway.gates import gate
from lookaway.geometry.visibility import MIN_HIDDEN_S
from lookaway.observers.revisit import TURN_DEG, Revisit, asked_pairs
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.readings import Case
from lookaway.readings.view import MIN_PAIRS

CAME_BACK = 0.8  # of the angle turned out


@gate(needs=["revisit"], version=1)
def retraced(case: Case) -> Gated | Abstain | NotApplicable | None:
    """The camera is asked, if anything, to pass the same views twice, and really turned out and back."""
    if case.task.camera_asked and (asked := asked_pairs(case.task)) < MIN_PAIRS:
        return NotApplicable(f"the asked camera shows {asked} views beyond the first one twice, two seconds apart")
    seen = case.saw(Revisit)
    if seen.lost_s >= MIN_HIDDEN_S:
        return Abstain(f"camera not recovered for {seen.lost_s:.1f} s: it may have been anywhere meanwhile")
    if seen.peak_deg < TURN_DEG:
        return Gated("avoided", f"the camera never turned {TURN_DEG:g} degrees away; {seen.peak_deg:.1f} at most")
    if seen.back_deg < CAME_BACK * seen.peak_deg:
        return Gated("avoided", f"the camera turned {seen.peak_deg:.0f} degrees away and only {seen.back_deg:.0f} back")
    return None
