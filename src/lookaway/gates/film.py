"""Whether a clip shows some place twice."""

from __future__ import annotations

from lookaway.gates import gate
from lookaway.observers.same_place import SamePlace
from lookaway.outcomes import Gated
from lookaway.readings import Case
from lookaway.readings.film import never_twice


@gate(needs=["same_place"], version=1)
def shown_twice(case: Case) -> Gated | None:
    """The camera turned away and showed the first view, or one beyond it, again."""
    reason = never_twice(case.saw(SamePlace))
    return Gated("avoided", reason) if reason else None
