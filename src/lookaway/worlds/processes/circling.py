"""A toy-coloured dog walks round a wooden post."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lookaway.worlds.animals import Dog
from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.gait import Gait, Path
from lookaway.worlds.mesh import box, cylinder, merged, sphere
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Process, ProcessStage, Props, process

AHEAD_M = 3.23
HALF_WIDE_M, HALF_DEEP_M = 0.82, 0.38
START_DEG = 205.0
HALF_ROUND_S = 6.0
STRIDE_M, LIFT_M = 0.36, 0.04


class Circling(Process):
    """Scripted: the dog goes on evenly, the feet follow the gait."""

    def __init__(self, words: Words, dog: Dog, props: Props, path: Path, speed: float) -> None:
        self.words, self.props = words, props
        self.subject, self.bodies = dog.name, dog.bodies
        self._dog, self._path, self._speed = dog, path, speed
        self._gait = Gait(STRIDE_M, LIFT_M)

    def state(self, process_s: float) -> dict[str, float]:
        """Rounds walked since the start, without bound."""
        return {"rounds": self._walked(process_s) / self._path.length}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        return self._dog.poses(self._path, self._gait, self._walked(process_s))

    def _walked(self, process_s: float) -> float:
        return max(process_s, 0.0) * self._speed


@process("circling", Traits("expected behaviour", moves=True, changes_in_place=False, rests=False))
def circling(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a toy-like dog with a {word} coat",
        setting=f"on the {stage.here} of a wooden post",
        action=f"the {word} dog walks round the post in a ring at an even pace",
        end=f"the dog has walked round to the {stage.there} of the post",
        is_ended=f"Is the dog on the {stage.there} of the post?",
        is_as_before=f"Is the dog still on the {stage.here} of the post?",
    )
    x, y = rng.uniform(-0.12, -0.02), stage.room.eye[1] + AHEAD_M
    turns = np.deg2rad(START_DEG + np.arange(0, 360, 15))
    ring = np.stack([x + HALF_WIDE_M * np.cos(turns), y + HALF_DEEP_M * np.sin(turns)], axis=1)
    path = Path(ring.tolist(), closed=True)
    speed = path.length / (2 * HALF_ROUND_S) * rng.uniform(0.85, 1.15)
    timber = Material(texture=wood(rng, stage.palette.choose(rng, ("#a87c50", "#8d8378"))), tile_m=0.7)
    return Circling(words, Dog(stage), Props([*post(timber, x, y)]), path, speed)


def post(timber: Material, x: float, y: float) -> list[Part]:
    """A turned post on a square foot, with a metal knob."""
    stake = merged([box(0.3, 0.3, 0.04), cylinder(0.05, 0.85, 0.042, around=24).at(0, 0, 0.04)])
    knob = sphere(0.062, 24).at(0, 0, 0.93)
    metal = Material(linear("#8c8c88"), shine=0.4)
    return [Part("post", stake.at(x, y, 0), timber), Part("post", knob.at(x, y, 0), metal)]
