"""A gantry carries a thing along a way, sets it down, lets go and draws back."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.facts import Words
from lookaway.worlds.furniture.gantry import OWNER, Gantry
from lookaway.worlds.mesh import pose
from lookaway.worlds.parts import Part
from lookaway.worlds.process import Body, Process, Props

OPENED_M, OPEN_S = 0.05, 0.6
DRAW_M, LIFT_S = 0.45, 2.0


@dataclass(frozen=True)
class CarryingPath:
    """Corners (x, z) of a path, walked evenly in that time."""

    corners: Sequence[tuple[float, float]]
    lasts_s: float

    @property
    def length(self) -> float:
        return sum(float(np.hypot(b[0] - a[0], b[1] - a[1])) for a, b in itertools.pairwise(self.corners))

    def walked(self, process_s: float) -> float:
        """Metres of it behind at that time."""
        return self.length * float(np.clip(process_s / self.lasts_s, 0, 1))

    def at(self, process_s: float) -> tuple[float, float]:
        """Place (x, z) at that time."""
        places = np.array(self.corners)
        marks = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
        walked = self.walked(process_s)
        return float(np.interp(walked, marks, places[:, 0])), float(np.interp(walked, marks, places[:, 1]))


class Carried(Process):
    """Scripted; the load's first part bears the subject's name, and the way leads its origin."""

    def __init__(
        self, words: Words, load: Sequence[Part], props: Props, gantry: Gantry, way: CarryingPath, head_above_m: float
    ) -> None:
        self.words, self.props = words, props
        self.subject = load[0].name
        self.bodies: Sequence[Body] = (*(Body(part, self.subject) for part in load), *gantry.bodies())
        self._gantry, self._way, self._head_above_m = gantry, way, head_above_m

    @abstractmethod
    def state(self, process_s: float) -> dict[str, float]: ...

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        x, z = self._way.at(process_s)
        since = process_s - self._way.lasts_s
        opened = OPENED_M * float(np.clip(since / OPEN_S, 0, 1))
        head = z + self._head_above_m
        drawn = min(self._gantry.highest - head, DRAW_M) * float(np.clip((since - OPEN_S) / LIFT_S, 0, 1))
        load = {body.part.name: pose(x, self._gantry.y, z) for body in self.bodies if body.owner != OWNER}
        return {**load, **self._gantry.poses(x, head + drawn, opened)}
