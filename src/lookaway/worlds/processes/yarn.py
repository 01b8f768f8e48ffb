"""A ball of yarn rolls down a gentle ramp, unwinds and grows smaller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import lengthwise, ramp
from lookaway.worlds.mesh import Mesh, box, cylinder, merged, pose, sphere, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.canvas import light, noise, pixels
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.rendering.atlas import SIDE

AHEAD_M = 2.8
PEG_M = -1.46
START_M, ROLL_M = -1.1, 2.3
FULL_M, SMALL_M = 0.25, 0.12
RAMP_M, RAMP_WIDTH_M = 3.1, 0.6
HIGH_M, LOW_M = 0.24, 0.08
STRAND_M = 0.014
ROLL_S = 5.6
SLOPE = (LOW_M - HIGH_M) / RAMP_M
ALONG = tilted(-float(np.degrees(np.arctan(SLOPE))), 1)


class Yarn(Process):
    """Scripted: the thread pays out evenly, which holds the ball at an even pace; it rolls without slipping."""

    def __init__(self, words: Words, y: float, pace: float, props: Props, wool: Material, thread: Material) -> None:
        self.words, self.props = words, props
        self.subject = "yarn"
        self.bodies: Sequence[Body] = [
            Body(Part("yarn", sphere(1.0, 48), wool), self.subject),
            Body(Part("thread", strand(), thread), self.subject),
        ]
        self._y, self._pace = y, pace

    def state(self, process_s: float) -> dict[str, float]:
        """Way along the ramp (m), radius of the ball (m), and the angle it has turned through (deg)."""
        travelled = ROLL_M * min(max(process_s, 0.0) * self._pace / ROLL_S, 1.0)
        radius = radius_after(travelled)
        return {"travelled_m": travelled, "radius_m": radius, "turned_deg": turned_deg(radius)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        state = self.state(process_s)
        x, radius = START_M + state["travelled_m"], state["radius_m"]
        scaled = np.diag([radius, radius, radius, 1.0])
        paid_out = (x - PEG_M) * float(np.hypot(1, SLOPE))
        return {
            "yarn": self._on_ramp(x) @ ALONG @ pose(0, 0, radius) @ tilted(state["turned_deg"], 1) @ scaled,
            "thread": self._on_ramp(PEG_M) @ ALONG @ np.diag([paid_out, 1.0, 1.0, 1.0]),
        }

    def _on_ramp(self, x: float) -> FloatArray:
        return pose(x, self._y, surface_m(x))


def surface_m(x: float) -> float:
    """Height of the ramp."""
    return (HIGH_M + LOW_M) / 2 + SLOPE * x


def radius_after(travelled: float) -> float:
    """Each metre takes the same volume of yarn off the ball."""
    share = travelled / ROLL_M
    return float(np.cbrt(FULL_M**3 + share * (SMALL_M**3 - FULL_M**3)))


def turned_deg(radius: float) -> float:
    """Turn of a ball that rolled until it had that radius: the sum of way over radius, in closed form."""
    way_per_volume = ROLL_M / (FULL_M**3 - SMALL_M**3)
    return float(np.degrees(1.5 * way_per_volume * (FULL_M**2 - radius**2)))


@process("yarn", Traits("continuous process", moves=True, changes_in_place=True))
def yarn(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y = stage.room.eye[1] + AHEAD_M
    words = Words(
        subject=f"a big ball of {word} yarn",
        setting=f"on a low wooden ramp on the {stage.here}, its loose end tied to a peg",
        action=f"the ball of yarn rolls slowly along the ramp towards the {stage.there} and unwinds",
        end=f"a small ball of yarn lies on the {stage.there} at the end of a long thread",
        is_ended=f"Is there a long thread along the ramp, and a small ball of yarn on the {stage.there}?",
        is_as_before=f"Is the ball of yarn big and on the far {stage.here}?",
    )
    wedge = ramp(RAMP_M, RAMP_WIDTH_M, HIGH_M, LOW_M).at(0, y, 0)
    lip = box(RAMP_M, 0.03, 0.03).moved(ALONG)
    edges = merged([lip.at(0, y + side * RAMP_WIDTH_M / 2, surface_m(0)) for side in (-1, 1)])
    peg = merged([cylinder(0.014, 0.12, around=14), sphere(0.022, 14).at(0, 0, 0.12)]).at(PEG_M, y, surface_m(PEG_M))
    solid = [
        Part("ramp", wedge, lengthwise(rng)),
        Part("ramp", edges, lengthwise(rng, "#8a6a48")),
        Part("peg", peg, Material((0.42, 0.43, 0.44), shine=0.5)),
    ]
    colour = linear(stage.palette.subject.code)
    wool = Material(colour, windings(rng), 1.0, glow=0.04)
    return Yarn(words, y, rng.uniform(0.85, 1.15), Props(solid), wool, Material(colour))


def windings(rng: np.random.Generator) -> Floats:
    """Grey multipliers: bundles of strands that cross in several directions, so that the hue stays one."""
    rows, columns = pixels()
    image = np.zeros((SIDE, SIDE))
    for across, along in ((3, 5), (-5, 3), (6, 1), (2, -6)):
        phase = 2 * np.pi * (across * columns + along * rows) / SIDE
        bundle = noise(rng, 1.8) > 0.5
        image = np.where(bundle, 0.72 + 0.28 * np.sin(4 * phase), image)
    return light(
        np.where(image == 0, 0.72 + 0.28 * np.sin(2 * np.pi * 24 * rows / SIDE), image)[..., None] * np.ones(3)
    )


def strand() -> Mesh:
    """A straight thread from the origin to x = 1, lying on z = 0."""
    return cylinder(STRAND_M, 1.0, around=10).moved(tilted(90, 1)).at(0, 0, STRAND_M)
