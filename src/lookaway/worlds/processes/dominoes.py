"""A row of hinged dominoes: a ram tips the first, and each slowly knocks over the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.machines import STEEL, ram_rod, ram_stand, rubber_tip
from lookaway.worlds.furniture.tables import table
from lookaway.worlds.mesh import Mesh, box, cylinder, merged, pose, tilted
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.simulated import Data, Recording, recorded

CENTRE_X, AHEAD_M, YAW_DEG = -0.38, 2.75, -30.0  # turned so that the broad faces can be seen
BENCH_M, BENCH_LONG_M, BENCH_DEEP_M = 0.42, 1.92, 0.36
COUNT, APART_M = 8, 0.15
TALL_M, WIDE_M, THICK_M = 0.36, 0.2, 0.052
PIP_M, LINE_M, PROUD_M = 0.019, 0.014, 0.0015
PIPS = {1: [(0, 0)], 2: [(-1, 1), (1, -1)], 3: [(-1, 1), (0, 0), (1, -1)], 4: [(-1, -1), (-1, 1), (1, -1), (1, 1)]}
PIPS |= {5: [*PIPS[4], (0, 0)], 6: [*PIPS[4], (-1, 0), (1, 0)]}
HINGE_M = 0.02
MASS_KG, STOP_DEG = 0.3, 68.0
DAMPING = 0.6  # N m s: oil in the hinges stretches the fall of the row to five or six seconds
PUSH_NM, PUSHED_TO_DEG = 0.4, 30.0
LEANS_AT_START_DEG = 22.0
FALLEN_DEG = 30.0
RAM_M, RAM_GAP_M, RAM_SIZE = 0.27, 0.13, 0.6
RAM_SCALE = np.diag([RAM_SIZE, RAM_SIZE, RAM_SIZE, 1.0])
SIMULATED_S, STEP_S = 9.0, 0.004


class Dominoes(Process):
    """The simulated tilt of every domino in the order of their fall, pushed from one end or the other."""

    def __init__(self, words: Words, y: float, tilts: Recording, props: Props, colour: Material, other_end: bool):
        self.words, self.props = words, props
        self.subject = "dominoes"
        self._row = pose(CENTRE_X, y, BENCH_M, YAW_DEG)
        self._tilts, self._other_end = tilts, other_end
        stone, white = box(THICK_M, WIDE_M, TALL_M), Material(linear("#f2efe6"))
        self.bodies: Sequence[Body] = (
            *(Body(Part(domino_name(number), stone, colour), owner="dominoes") for number in range(COUNT)),
            *(Body(Part(marks_name(number), marks(number), white), owner="dominoes") for number in range(COUNT)),
            Body(Part("rod", ram_rod(rubber_tip()).moved(RAM_SCALE), STEEL), owner="ram"),
        )

    def state(self, process_s: float) -> dict[str, float]:
        """How many have fallen, and the mean tilt of all (degrees)."""
        tilts = self._tilts.at(process_s)
        return {"fallen": float((tilts > FALLEN_DEG).sum()), "mean_tilt_deg": float(tilts.mean())}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        tilts = self._tilts.at(process_s)
        away = -1 if self._other_end else 1
        poses: dict[str, FloatArray] = {}
        for number, tilt in enumerate(tilts):
            stands = pose(away * along_row(number), 0, HINGE_M)
            leans = self._row @ stands @ tilted(away * float(tilt), 1)
            poses |= {domino_name(number): leans, marks_name(number): leans}
        pushed = np.deg2rad(np.clip(tilts[0], 0, PUSHED_TO_DEG))
        reach = along_row(0) + (RAM_M - HINGE_M) * np.tan(pushed) - THICK_M / 2 / np.cos(pushed) - 0.03
        turned = pose(0, 0, 0, 180 if away > 0 else 0)
        poses["rod"] = self._row @ turned @ pose(-reach, 0, RAM_M)
        return poses


@process("dominoes", Traits("causal change", moves=False, changes_in_place=True, opposite=True, rests=False))
def dominoes(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y, pace = stage.room.eye[1] + AHEAD_M, rng.uniform(0.85, 1.15)
    start, end = (stage.there, stage.here) if stage.opposite else (stage.here, stage.there)
    words = Words(
        subject=f"a row of tall {word} dominoes",
        setting=f"on a bench on the {stage.here}",
        action=f"one {word} domino after the other tips over towards the {end} and knocks against the next",
        end=f"the whole row of dominoes leans over to the {end}",
        is_ended=f"Do all the dominoes lean over to the {end}?",
        is_as_before="Are nearly all the dominoes upright?",
        trigger=f"a metal rod pushes over the domino at the {start} end",
    )
    timber = Material(texture=wood(rng, "#a98458").transpose(1, 0, 2).copy(), tile_m=0.9, shine=0.05)
    row = pose(CENTRE_X, y, 0, YAW_DEG)
    lift = pose(0, 0, BENCH_M)
    pushing_end = pose(0, 0, 0, 0 if stage.opposite else 180) @ pose(-along_row(0) + RAM_GAP_M, 0, RAM_M)
    solid = [
        *moved(table(timber, BENCH_LONG_M, BENCH_DEEP_M, BENCH_M), row),
        *moved([Part("hinges", hinges(), STEEL)], row @ lift),
        *moved(ram_stand(RAM_M / RAM_SIZE), row @ lift @ pushing_end @ RAM_SCALE),
    ]
    colour = Material(linear(stage.palette.subject.code), shine=0.15)
    return Dominoes(words, y, toppled(DAMPING / pace), Props(solid), colour, stage.opposite)


def toppled(damping: float) -> Recording:
    """Tilts in degrees, the pushed domino first, from when it leans; damping stretches time and leaves the rest."""
    flaps = "".join(
        f"""<body pos="{along_row(number)} 0 {HINGE_M}">
              <joint type="hinge" axis="0 1 0" range="-2 {STOP_DEG}" damping="{damping}" frictionloss="0.01"
                     solreflimit="0.01 1"/>
              <geom type="box" size="{THICK_M / 2} {WIDE_M / 2} {TALL_M / 2}" pos="0 0 {TALL_M / 2}" mass="{MASS_KG}"
                    friction="0.2 0.005 0.0001"/>
            </body>"""
        for number in range(COUNT)
    )
    xml = f"""
        <mujoco>
          <compiler angle="degree" autolimits="true"/>
          <option timestep="{STEP_S}" integrator="implicitfast"/>
          <worldbody>{flaps}</worldbody>
        </mujoco>"""

    def push(data: Data) -> None:
        data.qfrc_applied[0] = PUSH_NM if data.qpos[0] < np.deg2rad(PUSHED_TO_DEG) else 0.0

    whole = recorded(xml, SIMULATED_S, lambda data: np.rad2deg(data.qpos).tolist(), push=push)
    leans = int(np.argmax(whole.rows[:, 0] >= LEANS_AT_START_DEG))
    return replace(whole, rows=whole.rows[leans:].clip(0.0, STOP_DEG))


def domino_name(number: int) -> str:
    """In the order of their fall; the first bears the subject's name."""
    return "dominoes" if number == 0 else f"domino {number + 1}"


def along_row(number: int) -> float:
    return APART_M * (number - (COUNT - 1) / 2)


def marks_name(number: int) -> str:
    return f"marks of domino {number + 1}"


def marks(number: int) -> Mesh:
    """The middle line and the pips on both broad faces of a domino, which stands on z = 0."""
    half, disc = TALL_M / 2, cylinder(PIP_M, THICK_M + 2 * PROUD_M, around=14).moved(tilted(90, 1))
    pieces = [box(THICK_M + 2 * PROUD_M, 0.86 * WIDE_M, LINE_M).at(0, 0, half - LINE_M / 2)]
    for centre, count in ((0.25 * TALL_M, 1 + number % 6), (0.75 * TALL_M, 6 - (number + number // 3) % 6)):
        for across, up in PIPS[count]:
            pieces.append(disc.at(-THICK_M / 2 - PROUD_M, 0.27 * across * WIDE_M, centre + 0.14 * up * TALL_M))
    return merged(pieces)


def hinges() -> Mesh:
    """A pin under every domino, on a common rail."""
    pin = cylinder(0.009, WIDE_M, around=10).moved(tilted(-90, 0)).at(0, -WIDE_M / 2, HINGE_M)
    pins = [pin.at(along_row(number), 0, 0) for number in range(COUNT)]
    return merged([box(APART_M * COUNT, 0.05, HINGE_M - 0.005), *pins])
