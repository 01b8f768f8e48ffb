"""What happens in a room: bodies whose place and shape follow the process's own clock, never the camera."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.catalogue import Catalogue
from lookaway.worlds.colours import Palette
from lookaway.worlds.facts import ProcessFacts
from lookaway.worlds.parts import Part
from lookaway.worlds.room import Room


@dataclass(frozen=True)
class Body:
    """A part that moves or changes; whoever removes its owner removes it too."""

    part: Part
    owner: str


@dataclass(frozen=True)
class Props:
    """Static things the process brings along."""

    solid: Sequence[Part] = field(default_factory=tuple)
    glass: Sequence[Part] = field(default_factory=tuple)


class Process(Protocol):
    """A process on its own clock, which starts at 0 s and never looks at a camera."""

    facts: ProcessFacts
    subject: str
    props: Props
    bodies: Sequence[Body]

    def state(self, process_s: float) -> dict[str, float]:
        """Scalar truth at that time."""
        ...

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        """4x4 transform of every body that exists at that time, by part name."""
        ...


ProcessBuilder = Callable[[np.random.Generator, Room, Palette], Process]

processes: Catalogue[ProcessBuilder] = Catalogue("process", "lookaway.worlds.processes")
