"""A tall glass under a running tap fills with coloured liquid; then the tap stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import wooden_table
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, tube
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process

AHEAD_M = 2.05
TABLE_M = 0.6
GLASS_RADIUS_M, GLASS_HEIGHT_M = 0.165, 0.52
WALL_M, FOOT_M = 0.012, 0.025
SPOUT_M = TABLE_M + 0.72
START_LEVEL, FULL_LEVEL = 0.11, 0.95
FILL_S = 5.4


@dataclass(frozen=True)
class Glass:
    """Where the glass stands and how fast it fills."""

    x: float
    y: float
    pace: float

    @property
    def floor(self) -> float:
        return TABLE_M + FOOT_M

    @property
    def depth(self) -> float:
        return GLASS_HEIGHT_M - FOOT_M

    def level(self, process_s: float) -> float:
        """Share of the glass that is full."""
        risen = (FULL_LEVEL - START_LEVEL) * max(process_s, 0.0) * self.pace / FILL_S
        return min(START_LEVEL + risen, FULL_LEVEL)


class Filling(Process):
    """Scripted: the level rises evenly, then stays."""

    def __init__(self, words: Words, glass: Glass, props: Props, colour: Material) -> None:
        self.words, self.props = words, props
        self.subject = "liquid"
        column = cylinder(GLASS_RADIUS_M - WALL_M - 0.003, 1.0, around=48)
        self.bodies: Sequence[Body] = (
            Body(Part("liquid", column, colour), owner="liquid"),
            Body(Part("stream", cylinder(0.016, 1.0, around=16), colour), owner="liquid"),
        )
        self._glass = glass

    def state(self, process_s: float) -> dict[str, float]:
        """Level as a share of the glass, height of the surface (m), and whether the tap runs."""
        level = self._glass.level(process_s)
        surface = self._glass.floor + level * self._glass.depth
        return {"level": level, "surface_m": surface, "running": float(level < FULL_LEVEL)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        state = self.state(process_s)
        poses = {"liquid": self._stretched(self._glass.floor, state["surface_m"])}
        if state["running"]:
            poses["stream"] = self._stretched(state["surface_m"] - 0.004, SPOUT_M)
        return poses

    def _stretched(self, low: float, high: float) -> FloatArray:
        """Transform of a column of height 1 on the glass's axis to that span."""
        return pose(self._glass.x, self._glass.y, low) @ np.diag([1.0, 1.0, high - low, 1.0])


@process("filling", Traits("continuous process", moves=False, changes_in_place=True, rests=False))
def filling(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    glass = Glass(rng.uniform(-0.5, -0.34), stage.room.eye[1] + AHEAD_M, rng.uniform(0.85, 1.15))
    words = Words(
        subject=f"{word} liquid in a tall glass",
        setting=f"on a wooden table on the {stage.here}",
        action=f"{word} liquid runs from a tap into the glass and its level rises",
        end="the glass is nearly full and the tap has stopped",
        is_ended="Is the glass nearly full?",
        is_as_before="Is there only a little liquid at the bottom of the glass?",
    )
    solid = [
        *moved(wooden_table(rng, 1.3, 0.62, TABLE_M), pose(0, glass.y, 0)),
        *moved(tap(), pose(glass.x, glass.y, TABLE_M)),
        *moved(glass_rims(), pose(glass.x, glass.y, TABLE_M)),
    ]
    wall = lathe([(GLASS_RADIUS_M, 0.0), (GLASS_RADIUS_M, GLASS_HEIGHT_M)], around=64)
    walls = [Part("glass", wall.at(glass.x, glass.y, TABLE_M), Material())]
    colour = Material(linear(stage.palette.subject.code), shine=0.15, gloss=40, glow=0.12)
    return Filling(words, glass, Props(solid, walls), colour)


def tap() -> list[Part]:
    """A swan-necked tap whose spout hangs over the origin, its column to the right of it."""
    reach, top, bend = 0.34, 0.8, 0.17
    turns = np.linspace(0, np.pi, 17)
    arch = [(reach / 2 + reach / 2 * np.cos(turn), 0.0, top + bend * np.sin(turn)) for turn in turns]
    path = [(reach, 0.0, 0.0), (reach, 0.0, top * 0.5), *arch, (0.0, 0.0, SPOUT_M - TABLE_M)]
    neck = tube(path, 0.024)
    nozzle = cylinder(0.032, 0.06, around=20).at(0, 0, SPOUT_M - TABLE_M)
    base = cylinder(0.06, 0.03, around=24).at(reach, 0, 0)
    lever = merged(
        [
            box(0.14, 0.03, 0.025).at(reach + 0.07, 0, 0.42),
            cylinder(0.034, 0.09, around=20).at(reach, 0, 0.38),
        ]
    )
    chrome = Material((0.42, 0.43, 0.44), shine=0.7, gloss=50)
    return [Part("tap", merged([neck, nozzle, base, lever]), chrome)]


def glass_rims() -> list[Part]:
    """The parts of the glass that show against anything: a thick foot, a lip and measuring marks."""
    pale = Material((0.68, 0.74, 0.76), shine=0.4)
    foot = lathe([(1e-4, 0), (GLASS_RADIUS_M, 0), (GLASS_RADIUS_M, FOOT_M), (1e-4, FOOT_M)], around=48)
    outer, inner = GLASS_RADIUS_M + 0.004, GLASS_RADIUS_M - WALL_M
    top = GLASS_HEIGHT_M
    lip = lathe(
        [(inner, top - 0.004), (outer, top - 0.008), (outer, top), (inner, top), (inner, top - 0.008)],
        around=48,
    )
    return [Part("glass", merged([foot, lip]), pale), Part("glass", measuring_marks(), Material((0.9,) * 3))]


def measuring_marks() -> Mesh:
    """Short lines on the front of the glass at every tenth of its depth."""
    depth = GLASS_HEIGHT_M - FOOT_M
    lines = []
    for tenth in range(2, 10, 2):
        line = box(0.05, 0.003, 0.006).at(0, -GLASS_RADIUS_M - 0.003, FOOT_M + depth * tenth / 10)
        lines.append(line)
    return merged(lines)
