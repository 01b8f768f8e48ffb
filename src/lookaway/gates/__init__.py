"""Gates: is this case comparable at all? A closed gate is a reason, never a score.

    @gate(needs=["view"], version=1)
    def turned_away(case):
        "The camera really took the subject's place out of view."
        return None if away_from_home(case).any() else Gated("avoided", "the camera never turned away")

A gate looks at the same Case as the metric behind it, as far as it says that it needs it, and returns None when it is
open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.readings import Case
from lookaway.registry import Registry

GateVerdict = Gated | Abstain | NotApplicable | None


@dataclass(frozen=True)
class Gate:
    name: str
    version: int
    function: Callable[[Case], GateVerdict]
    needs: tuple[str, ...]  # observers
    asks: tuple[str, ...]  # names of asks
    doc: str

    def __call__(self, case: Case) -> GateVerdict:
        """Why the case does not pose the question behind the gate, or None; nothing is read that it does not need."""
        return self.function(case.only(self.needs, self.asks))


GATES: Registry[Gate] = Registry("gate", "lookaway.gates")


def gate(
    *, version: int, needs: Sequence[str] = (), asks: Sequence[str] = ()
) -> Callable[[Callable[[Case], GateVerdict]], Callable[[Case], GateVerdict]]:
    """Register a gate under its function's name."""

    def register(function: Callable[[Case], GateVerdict]) -> Callable[[Case], GateVerdict]:
        name, doc = function.__name__, (function.__doc__ or "").strip()
        GATES.add(name, Gate(name, version, function, tuple(needs), tuple(asks), doc))
        return function

    return register
