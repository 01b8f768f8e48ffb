"""Whether a judge of single frames saw the subject hidden, back, and there to be judged (WRBench's R per axis)."""

from __future__ import annotations

from lookaway.gates import GateVerdict, gate
from lookaway.outcomes import Abstain
from lookaway.readings import Case
from lookaway.readings.judged_support import Axis, JudgedSupport, paper_support, released_support, sound_support


@gate(asks=["judgeable:paper"], version=1)
def place_returns_paper(case: Case) -> GateVerdict:
    """The subject is hidden for half a second, comes back, and one can tell where it is."""
    return _closed(paper_support(case), "place")


@gate(asks=["judgeable:paper"], version=1)
def state_returns_paper(case: Case) -> GateVerdict:
    """The subject is hidden for half a second, comes back, and one can tell in which state."""
    return _closed(paper_support(case), "state")


@gate(asks=["judgeable:sound"], version=1)
def place_returns(case: Case) -> GateVerdict:
    """The subject is hidden for half a second, comes back, and one can tell where it is."""
    return _closed(sound_support(case), "place")


@gate(asks=["judgeable:sound"], version=1)
def state_returns(case: Case) -> GateVerdict:
    """The subject is hidden for half a second, comes back, and one can tell in which state."""
    return _closed(sound_support(case), "state")


@gate(asks=["judgeable:released", "judgeable_rescue:released"], version=1)
def subject_returns_released(case: Case) -> GateVerdict:
    """The subject can be judged in a later second than one in which it cannot; one flag for place and state."""
    return _closed(released_support(case), "place")


def _closed(support: JudgedSupport | Abstain, axis: Axis) -> GateVerdict:
    return support if isinstance(support, Abstain) else support.closed(axis)
