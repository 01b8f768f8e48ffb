"""A toy sledge slides down a long gentle slope and comes to rest on the floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import ramp
from lookaway.worlds.mesh import Mesh, box, merged, tube
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.surfaces import plaster
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.simulated import Data, Recording, placed, recorded, rigid

AHEAD_M = 3.1
SLOPE_DEG = 6.0
TOP_M, TOE_M = -1.6, 1.0  # x of the upper and lower end of the slope
SLOPE_WIDTH_M = 0.8
START_M, SLIDE_M = -1.1, 2.1
LENGTH_M, WIDTH_M, DECK_M = 0.66, 0.4, 0.17
SLIDE_S, START_SPEED = 5.4, 0.3
SIMULATED_S = 9.0
STEP_S = 0.002
GRAVITY = 9.81


class Sledge(Process):
    """The simulated slide."""

    def __init__(self, words: Words, props: Props, paint: Material, slide: Recording) -> None:
        self.words, self.props = words, props
        self.subject = "sledge"
        self.bodies: Sequence[Body] = (Body(Part("sledge", sledge(), paint), self.subject),)
        self._slide = slide

    def state(self, process_s: float) -> dict[str, float]:
        """Way covered across the view (m), speed (m/s)."""
        row = self._slide.at(process_s)
        return {"travelled_m": float(row[0]) - START_M, "speed": float(row[7])}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        return {"sledge": rigid(self._slide.at(process_s))}


@process("sliding", Traits("kinematics", moves=True, changes_in_place=False))
def sliding(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y = stage.room.eye[1] + AHEAD_M
    words = Words(
        subject=f"a {word} sledge",
        setting=f"on a long gentle white slope on the {stage.here}",
        action=f"the {word} sledge slides down the slope towards the {stage.there}",
        end=f"the sledge has come to the foot of the slope on the {stage.there}",
        is_ended=f"Is the sledge at the foot of the slope on the {stage.there}?",
        is_as_before=f"Is the sledge near the top of the slope on the {stage.here}?",
    )
    wedge = ramp(TOE_M - TOP_M, SLOPE_WIDTH_M, height_m(TOP_M), 0.004).at((TOP_M + TOE_M) / 2, y, 0)
    solid = [Part("slope", wedge, Material(texture=plaster(rng, "#e4e6e8"), tile_m=1.2, shine=0.08))]
    paint = Material(linear(stage.palette.subject.code), shine=0.2, gloss=40, glow=0.05)
    return Sledge(words, Props(solid), paint, slid(y, rng.uniform(0.85, 1.15)))


def height_m(x: float) -> float:
    """Height of the slope."""
    return (TOE_M - x) * float(np.tan(np.deg2rad(SLOPE_DEG)))


def sledge() -> Mesh:
    """A slatted deck on two runners that curl up in front; its soles at z = 0."""
    half, sole = LENGTH_M / 2, 0.02
    curl = [
        (half - 0.12 + 0.13 * np.sin(turn), 0.0, sole + 0.13 * (1 - np.cos(turn)))
        for turn in np.linspace(0, np.pi * 0.8, 12)
    ]
    runner = tube([(-half, 0.0, sole), (-half / 2, 0.0, sole), (0.0, 0.0, sole), *curl], sole)
    parts = []
    for side in (-1, 1):
        parts.append(runner.at(0, side * WIDTH_M * 0.38, 0))
        parts += [box(0.04, 0.04, DECK_M).at(x, side * WIDTH_M * 0.38, sole) for x in (-half * 0.75, half * 0.35)]
    parts += [box(0.05, WIDTH_M, 0.03).at(x, 0, DECK_M - 0.01) for x in (-half * 0.75, half * 0.35)]
    for place in np.linspace(-1, 1, 4):
        parts.append(box(LENGTH_M * 0.86, 0.082, 0.025).at(-0.04, place * (WIDTH_M / 2 - 0.04), DECK_M + 0.02))
    back = [box(0.025, WIDTH_M, 0.055).at(-half + 0.03, 0, DECK_M + lift) for lift in (0.09, 0.17)]
    posts = [box(0.03, 0.03, 0.2).at(-half + 0.05, side * WIDTH_M * 0.4, DECK_M + 0.03) for side in (-1, 1)]
    return merged([*parts, *back, *posts])


def slid(y: float, pace: float) -> Recording:
    """Rows of the sledge's position, quaternion and speed; `pace` scales time and leaves the path."""
    speed = START_SPEED * pace
    gain = 2 * (SLIDE_M - START_SPEED * SLIDE_S) / SLIDE_S**2 * pace**2
    slope = np.deg2rad(SLOPE_DEG)
    friction = float((np.sin(slope) - gain / GRAVITY) / np.cos(slope))
    xml = f"""
        <mujoco>
          <option timestep="{STEP_S}" gravity="0 0 -{GRAVITY}" cone="elliptic" impratio="20"/>
          <default><geom friction="{friction} .005 .0001" condim="3"/></default>
          <worldbody>
            <geom type="plane" size="5 5 .1"/>
            <geom type="plane" size="5 5 .1" pos="{TOE_M} 0 0" euler="0 {SLOPE_DEG} 0"/>
            <body name="sledge" pos="{START_M} {y} {height_m(START_M)}" euler="0 {SLOPE_DEG} 0">
              <freejoint/>
              <geom type="box" size="{LENGTH_M * 0.4} {WIDTH_M * 0.4} {DECK_M / 2}" pos="0 0 {DECK_M / 2}" mass="3"/>
            </body>
          </worldbody>
        </mujoco>"""

    def start(data: Data) -> None:
        data.qvel[:3] = speed * np.cos(slope), 0.0, -speed * np.sin(slope)

    return recorded(
        xml, SIMULATED_S, lambda data: [*placed(data, "sledge"), float(np.linalg.norm(data.qvel[:3]))], start
    )
