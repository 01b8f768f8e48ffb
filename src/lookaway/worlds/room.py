"""A furnished place: what a layout builds and a process is put into.

@layout("parlour", "indoor")
def parlour(rng: np.random.Generator, palette: Palette) -> Room:
    return Room(...)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.catalogue import Catalogue
from lookaway.worlds.colours import Palette
from lookaway.worlds.facts import Place
from lookaway.worlds.parts import Part
from lookaway.worlds.rendering.light import Light


@dataclass(frozen=True)
class Room:
    """Indoors or outdoors; the floor in front of the eye is kept free: 1.8 m to both sides, 1 m to 3.75 m ahead.

    `description` follows "Inside" or "In" and names what one sees at once: "a living room with a plank floor, ...".
    """

    description: str
    parts: Sequence[Part]
    light: Light
    eye: tuple[float, float, float]
    pitch_deg: float


Build = Callable[[np.random.Generator, Palette], Room]


@dataclass(frozen=True)
class LayoutKind:
    """A layout that can be built, and whether it is under a roof."""

    place: Place
    build: Build


LAYOUTS: Catalogue[LayoutKind] = Catalogue("layout", "lookaway.worlds.layouts")


def layout(name: str, place: Place) -> Callable[[Build], Build]:
    """Decorator: register the builder of a layout."""

    def register(build: Build) -> Build:
        LAYOUTS.add(name)(LayoutKind(place, build))
        return build

    return register
