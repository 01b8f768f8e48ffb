"""A furnished room: what a layout builds and a process is put into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.catalogue import Catalogue
from lookaway.worlds.colours import Palette
from lookaway.worlds.parts import Part
from lookaway.worlds.rendering.light import Light


@dataclass(frozen=True)
class Room:
    """The floor in front of the eye is kept free: 1.8 m to both sides, from 1 m to 3.75 m ahead."""

    description: str
    parts: Sequence[Part]
    light: Light
    eye: tuple[float, float, float]
    pitch_deg: float


LayoutBuilder = Callable[[np.random.Generator, Palette], Room]

layouts: Catalogue[LayoutBuilder] = Catalogue("layout", "lookaway.worlds.layouts")
