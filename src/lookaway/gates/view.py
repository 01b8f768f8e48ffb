"""Whether the first view was left, and came back."""

from __future__ import annotations

from lookaway.gates import gate
from lookaway.outcomes import Abstain, Gated
from lookaway.readings import Case
from lookaway.readings.view import ever_away, ever_back


@gate(needs=["view"], version=2)
def turned_away(case: Case) -> Gated | Abstain | None:
    """The camera really took the subject's place out of view."""
    away = ever_away(case)
    if isinstance(away, Abstain):
        return away
    return None if away else Gated("avoided", "the camera never turned away from the subject's place")


@gate(needs=["view"], version=2)
def view_returned(case: Case) -> Gated | Abstain | None:
    """Having turned away, the camera came back to the first view."""
    back = ever_back(case)
    if isinstance(back, Abstain):
        return back
    return None if back else Gated("avoided", "the camera never came back to the first view")
