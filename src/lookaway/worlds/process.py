"""What happens in a room: bodies whose place and shape follow the process's own clock, never the camera.

    @process("ball", Traits("kinematics", moves=True, changes_in_place=False))
    def ball(stage: ProcessStage) -> Process:
        return Ball(...)

A process is built with its subject on the left of the first view; the world mirrors it when the subject is to stand on
the right. Its clock starts at 0 s, when something must already be going on, and runs well past 5 s.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.catalogue import Catalogue
from lookaway.worlds.colours import Palette
from lookaway.worlds.facts import Side, Traits, Words
from lookaway.worlds.parts import Part
from lookaway.worlds.rendering.light import Lamp
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


@dataclass(frozen=True)
class ProcessStage:
    """What a process is built from; `here` is the side the subject starts on, as the viewer will see it."""

    rng: np.random.Generator
    room: Room
    palette: Palette
    here: Side = "left"
    opposite: bool = False

    @property
    def there(self) -> Side:
        return "right" if self.here == "left" else "left"


class Process(ABC):
    """A process on its own clock, which never looks at a camera."""

    words: Words
    subject: str
    props: Props = Props()
    bodies: Sequence[Body]
    lamp: Lamp | None = None

    @abstractmethod
    def state(self, process_s: float) -> dict[str, float]:
        """Scalar truth at that time, in names that mean the same when mirrored: no world x."""

    @abstractmethod
    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        """4x4 affine transform of every body that exists at that time, by part name."""

    def lamp_power(self, process_s: float) -> float:
        """Brightness of the process's own lamp, from 0 to 1."""
        return 0.0


Build = Callable[[ProcessStage], Process]


@dataclass(frozen=True)
class ProcessKind:
    """A process that can be built, and what is known of it before."""

    traits: Traits
    build: Build


PROCESSES: Catalogue[ProcessKind] = Catalogue("process", "lookaway.worlds.processes")


def process(name: str, traits: Traits) -> Callable[[Build], Build]:
    """Decorator: register the builder of a process."""

    def register(build: Build) -> Build:
        PROCESSES.add(name)(ProcessKind(traits, build))
        return build

    return register
