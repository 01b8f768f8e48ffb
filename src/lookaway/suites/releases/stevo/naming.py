"""What the endings of StEvo's ids say: `wax_drip_opposite_curtain`, `wax_drip_06`, `wax_drip_00`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

OCCLUDERS = {"cardboard": "cardboard", "curtain": "curtain", "lightoff": "lights-off"}  # as controls are called here
OBSERVED = 0  # the number of the fully observed baseline


@dataclass(frozen=True)
class TaskName:
    """`base` is what all tasks of a process share; no occluder: a camera hides, or nothing."""

    base: str
    occluder: str = ""
    opposite: bool = False
    number: int | None = None

    @property
    def observed(self) -> bool:
        return self.number == OBSERVED

    @property
    def plain(self) -> TaskName:
        """The task that an opposite twin is the twin of."""
        return replace(self, opposite=False)


def task_name(id: str) -> TaskName:
    """The endings of an id, in any order; whatever is none belongs to the base.

    `wax_drip_opposite_curtain` -> wax_drip, opposite, behind a curtain.
    """
    base, found = id, TaskName("")
    while "_" in base:
        rest, _, ending = base.rpartition("_")
        if ending in OCCLUDERS and not found.occluder:
            found = replace(found, occluder=ending)
        elif ending == "opposite" and not found.opposite:
            found = replace(found, opposite=True)
        elif re.fullmatch("[0-9]{2}", ending, re.ASCII) and found.number is None:
            found = replace(found, number=int(ending))
        else:
            break
        base = rest
    return replace(found, base=base)


def without_occluder(id: str) -> str:
    """What a task is called for models that steer a camera."""
    occluder = task_name(id).occluder
    head, _, tail = id.rpartition(f"_{occluder}")
    return f"{head}{tail}" if occluder else id
