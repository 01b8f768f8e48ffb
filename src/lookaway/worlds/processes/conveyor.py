"""A suitcase rides along a conveyor belt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import rounded_block
from lookaway.worlds.mesh import Mesh, box, cylinder, merged, pose, tilted, tube
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process

AHEAD_M = 2.75
BELT_M, BELT_WIDTH_M, BELT_HEIGHT_M = 3.0, 0.44, 0.5
START_M, RIDE_M = -1.1, 2.2
RIDE_S = 5.6
CASE_M = (0.56, 0.2, 0.38)


class Conveyor(Process):
    """Scripted: the belt runs evenly and then stops."""

    def __init__(self, words: Words, y: float, pace: float, props: Props, leather: Material) -> None:
        self.words, self.props = words, props
        self.subject = "suitcase"
        trim = Material((0.42, 0.36, 0.26), shine=0.5)
        self.bodies: Sequence[Body] = [
            Body(Part("suitcase", suitcase(), leather), self.subject),
            Body(Part("suitcase fittings", fittings(), trim), self.subject),
        ]
        self._y, self._pace = y, pace

    def state(self, process_s: float) -> dict[str, float]:
        """Way along the belt (m), and whether the belt runs."""
        share = min(max(process_s, 0.0) * self._pace / RIDE_S, 1.0)
        return {"travelled_m": share * RIDE_M, "running": float(share < 1)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        place = pose(START_M + self.state(process_s)["travelled_m"], self._y, BELT_HEIGHT_M)
        return {body.part.name: place for body in self.bodies}


@process("conveyor", Traits("continuous process", moves=True, changes_in_place=False))
def conveyor(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y = stage.room.eye[1] + AHEAD_M
    words = Words(
        subject=f"a {word} suitcase",
        setting=f"on a conveyor belt on the {stage.here}",
        action=f"the belt carries the {word} suitcase evenly towards the {stage.there}",
        end=f"the suitcase stands at the {stage.there} end of the belt",
        is_ended=f"Is the suitcase near the {stage.there} end of the belt?",
        is_as_before=f"Is the suitcase near the {stage.here} end of the belt?",
    )
    leather = Material(linear(stage.palette.subject.code), shine=0.15, gloss=30, glow=0.04)
    return Conveyor(words, y, rng.uniform(0.85, 1.15), Props(moved(belt(), pose(0, y, 0))), leather)


def suitcase() -> Mesh:
    """An upright case with rounded edges and a carrying handle, standing on z = 0."""
    width, depth, height = CASE_M
    shell = rounded_block(width, depth, height, 9.0, around=40)
    ribs = [
        rounded_block(0.035, depth + 0.016, height * 0.96, 9.0, around=20).at(x, 0, height * 0.02)
        for x in (-width / 4, width / 4)
    ]
    return merged([shell, *ribs])


def fittings() -> Mesh:
    """Handle, clasps and corner caps."""
    width, depth, height = CASE_M
    arch = [(0.1 * np.cos(turn), 0.0, height - 0.01 + 0.055 * np.sin(turn)) for turn in np.linspace(0, np.pi, 13)]
    clasps = [box(0.03, 0.02, 0.05).at(side * width * 0.36, -depth / 2 - 0.004, height * 0.8) for side in (-1, 1)]
    label = box(0.1, 0.012, 0.06).at(0, -depth / 2 - 0.002, height * 0.5)
    return merged([tube(arch, 0.012), *clasps, label])


def belt() -> list[Part]:
    """A rubber belt over end drums, side rails with roller caps, and legs; its top at its height."""
    half, drum = BELT_M / 2, 0.06
    along = tilted(90, 0)
    middle = BELT_HEIGHT_M - drum
    roll = cylinder(drum, BELT_WIDTH_M, around=28).moved(along)
    drums = [roll.at(side * (half - drum), BELT_WIDTH_M / 2, middle) for side in (-1, 1)]
    band = box(BELT_M - 2 * drum, BELT_WIDTH_M, 2 * drum).at(0, 0, BELT_HEIGHT_M - 2 * drum)
    rails = [
        box(BELT_M - 0.14, 0.03, 0.1).at(0, side * (BELT_WIDTH_M / 2 + 0.015), BELT_HEIGHT_M - 0.115)
        for side in (-1, 1)
    ]
    cap = cylinder(0.024, 0.014, around=16).moved(along)
    caps = [cap.at(x, -BELT_WIDTH_M / 2 - 0.03, middle - 0.005) for x in np.linspace(-half + 0.2, half - 0.2, 12)]
    legs = [
        box(0.06, 0.05, BELT_HEIGHT_M - 0.1).at(x, side * (BELT_WIDTH_M / 2 + 0.01), 0)
        for x in (-half + 0.3, 0.0, half - 0.3)
        for side in (-1, 1)
    ]
    struts = [box(0.04, BELT_WIDTH_M, 0.04).at(x, 0, 0.12) for x in (-half + 0.3, 0.0, half - 0.3)]
    return [
        Part("conveyor", merged([band, *drums]), Material((0.055, 0.055, 0.06), shine=0.08)),
        Part("conveyor", merged([*rails, *legs, *struts]), Material((0.36, 0.37, 0.38), shine=0.3)),
        Part("conveyor", merged(caps), Material((0.08, 0.08, 0.085), shine=0.3)),
    ]
