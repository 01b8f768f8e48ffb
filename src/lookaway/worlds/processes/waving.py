"""A person with a flag in each hand slowly raises both arms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.figures import FOREARM_M, SIDES, Arm, Person, Posture, standing
from lookaway.worlds.mesh import Mesh, cylinder, grid, grid_faces, merged, pose, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.process import Body, Process, ProcessStage, process
from lookaway.worlds.rounded import egg

LOW_DEG, HIGH_DEG = 14.0, 120.0
RAISE_S = 5.2
FIST = (0.006, 0.0, -FOREARM_M - 0.07)  # its middle, in the frame of the hand
STICK_M, STICK_OUT_DEG = 0.37, 34.0
HOIST_M, FLY_M, NOTCH_M, WAVE_M = 0.2, 0.25, 0.09, 0.015


class Waving(Process):
    """Scripted: the arms rise evenly, then stay up."""

    def __init__(self, words: Words, person: Person, flags: list[Body], upright: Posture, rate: float) -> None:
        self.words = words
        self.subject, self.bodies = person.name, [*person.bodies, *flags]
        self._person, self._upright, self._rate = person, upright, rate

    def state(self, process_s: float) -> dict[str, float]:
        """Angle between the arms and straight down (degrees)."""
        raised = min(max(process_s, 0.0) * self._rate, 1.0)
        return {"arm_deg": LOW_DEG + (HIGH_DEG - LOW_DEG) * raised}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        arm = Arm(forward=4, out=self.state(process_s)["arm_deg"], bend=4)
        poses = self._person.poses(replace(self._upright, arms={side: arm for side in SIDES}))
        for side, sign in SIDES.items():
            x, y, z = (poses[f"{self._person.name} {side} hand"] @ pose(*FIST))[:3, 3]
            held = pose(x, y, z, self._upright.yaw_deg) @ tilted(-sign * STICK_OUT_DEG, 0)
            poses |= {f"{side} flag": held, f"{side} flagstick": held}
        return poses


@process("waving", Traits("expected behaviour", moves=False, changes_in_place=True))
def waving(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a person in {word} clothes with a {word} flag in each hand",
        setting=f"standing on the {stage.here}",
        action="the person slowly moves both arms with the flags outwards and up",
        end="both arms and flags are raised above the head",
        is_ended="Are both flags higher than the person's shoulders?",
        is_as_before="Are both arms hanging down beside the body?",
    )
    place = np.array([rng.uniform(-0.52, -0.42), stage.room.eye[1] + rng.uniform(3.1, 3.2)])
    person = Person(stage)
    cloth = Material(linear(stage.palette.subject.code), shine=0.03)
    pale = Material(linear("#cfc6b4"), shine=0.1)
    flags = [
        body
        for side, sign in SIDES.items()
        for body in (
            Body(Part(f"{side} flag", flag(sign), cloth), person.name),
            Body(Part(f"{side} flagstick", stick(), pale), person.name),
        )
    ]
    return Waving(words, person, flags, standing(place, rng.uniform(-82, -70)), rng.uniform(0.85, 1.15) / RAISE_S)


def stick() -> Mesh:
    """A rod upwards from the fist, with a knob."""
    rod = cylinder(0.012, STICK_M + 0.08, around=10).at(0, 0, -0.08)
    return merged([rod, egg(0.022, 0.022, 0.022, 10).at(0, 0, STICK_M)])


def flag(sign: int) -> Mesh:
    """A swallow-tailed cloth in waves, from the upper end of the rod to the outside."""
    rise, out = grid(np.linspace(0, 1, 9), np.linspace(0, 1, 11))
    fly = out * (FLY_M - NOTCH_M * (1 - np.abs(2 * rise - 1)))
    height = STICK_M - 0.02 - HOIST_M * (1 - rise) - 0.25 * HOIST_M * out * (rise - 0.5)
    phase = 2 * np.pi * fly / (0.75 * FLY_M)
    points = np.stack([WAVE_M * np.sin(phase), sign * fly, height], axis=1)
    slope = 2 * np.pi * WAVE_M / (0.75 * FLY_M) * np.cos(phase)
    normals = np.stack([np.ones_like(slope), -sign * slope, np.zeros_like(slope)], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(points, normals, np.stack([fly, height], axis=1), grid_faces(10, 8))
