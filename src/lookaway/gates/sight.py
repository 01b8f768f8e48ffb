"""Whether the subject's place was out of sight, by any way of hiding, and came back."""

from __future__ import annotations

from lookaway.gates import gate
from lookaway.outcomes import Abstain, Gated
from lookaway.readings import Case
from lookaway.readings.sight import lost, stayed_away, stayed_in_sight


@gate(needs=["replay"], version=1)
def ever_hidden(case: Case) -> Gated | Abstain | None:
    """The subject really was out of sight for a while, once at least, by camera, cover or its own motion."""
    if (unknown := lost(case)) is not None:
        return unknown
    reason = stayed_in_sight(case)
    return Gated("avoided", reason) if reason else None


@gate(needs=["replay"], version=1)
def left_view(case: Case) -> Gated | Abstain | None:
    """The subject really was out of sight in this round; an observed twin is asked about that of its task."""
    if (unknown := lost(case)) is not None:
        return unknown
    reason = "" if case.task.yoked else stayed_in_sight(case, case.round)
    return Gated("avoided", reason) if reason else None


@gate(needs=["replay"], version=1)
def came_back(case: Case) -> Gated | None:
    """Afterwards, and before the next round, its place could be seen again as fully as asked."""
    reason = "" if case.task.yoked else stayed_away(case, case.round)
    return Gated("avoided", reason) if reason else None
