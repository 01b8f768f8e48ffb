"""A heavy ball swings on a long rod under a tall wooden frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import lengthwise
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, sphere, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.simulated import Data, Recording, placed, recorded, rigid

AHEAD_M = 3.4
MIDDLE_M = -0.12
LENGTHS_M = (1.24, 1.42)  # periods of 2.3 s to 2.4 s: after 6 s the ball is on the other side
BOB_RADIUS_M = 0.2
CLEARANCE_M = 0.06
AMPLITUDE_DEG = 31.0
START_SHARE = 0.9  # of the amplitude, on the way up
HANGER_M = 0.07
SIMULATED_S = 14.0
STEP_S = 0.004
GRAVITY = 9.81
BOB_KG = 4.0
DAMPING = 0.25


class Pendulum(Process):
    """The simulated swing."""

    def __init__(self, words: Words, length: float, props: Props, paint: Material, swing: Recording) -> None:
        self.words, self.props = words, props
        self.subject = "pendulum"
        steel = Material((0.42, 0.43, 0.44), shine=0.6)
        rod = cylinder(0.013, length, around=12).at(0, 0, -length)
        collar = lathe([(BOB_RADIUS_M * 0.99, -0.012), (BOB_RADIUS_M + 0.006, 0.0), (BOB_RADIUS_M * 0.99, 0.012)], 40)
        self.bodies: Sequence[Body] = [
            Body(Part("pendulum", sphere(BOB_RADIUS_M, 40).at(0, 0, -length), paint), self.subject),
            Body(Part("pendulum rod", merged([rod, collar.at(0, 0, -length)]), steel), self.subject),
        ]
        self._swing = swing

    def state(self, process_s: float) -> dict[str, float]:
        """Angle from the vertical (deg), negative on the side it starts on, and its rate (deg/s)."""
        angle, rate = self._swing.at(process_s)[7:9]
        return {"angle_deg": float(angle), "rate_deg_s": float(rate)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        hung = rigid(self._swing.at(process_s))
        return {body.part.name: hung for body in self.bodies}


@process("pendulum", Traits("kinematics", moves=True, changes_in_place=False, rests=False))
def pendulum(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y, length = stage.room.eye[1] + AHEAD_M, rng.uniform(*LENGTHS_M)
    words = Words(
        subject=f"a {word} ball on a long rod, hung from a tall wooden frame",
        setting=f"at the {stage.here} end of its swing",
        action=f"the {word} ball swings to and fro like a pendulum",
        end=f"the ball is on the {stage.there} side of the frame",
        is_ended=f"Is the ball {stage.there} of the middle of the frame?",
        is_as_before=f"Is the ball {stage.here} of the middle of the frame?",
    )
    pivot = length + BOB_RADIUS_M + CLEARANCE_M
    hanger = merged([box(0.05, 0.05, HANGER_M), cylinder(0.03, 0.09, around=20).moved(tilted(90, 0)).at(0, 0.045, 0)])
    solid = [
        Part("frame", frame(pivot + HANGER_M).at(MIDDLE_M, y, 0), lengthwise(rng, "#9a7448")),
        Part("hanger", hanger.at(MIDDLE_M, y, pivot), Material((0.42, 0.43, 0.44), shine=0.5)),
    ]
    paint = Material(linear(stage.palette.subject.code), shine=0.3, gloss=60)
    swing = swung(length, (MIDDLE_M, y, pivot), AMPLITUDE_DEG * rng.uniform(0.9, 1.05))
    return Pendulum(words, length, Props(solid), paint, swing)


def frame(height: float) -> Mesh:
    """Two trestles and a beam whose lower edge is at that height."""
    half, splay = 1.1, 0.28
    lean = float(np.degrees(np.arctan2(splay, height)))
    leg = box(0.06, 0.06, float(np.hypot(splay, height)) + 0.04).at(0, 0, 0)
    legs = [leg.moved(tilted(back * lean, 0)).at(side * half, back * splay, 0) for side in (-1, 1) for back in (-1, 1)]
    ties = [box(0.05, splay * 1.1, 0.05).at(side * half, 0, height * 0.42) for side in (-1, 1)]
    return merged([box(2 * half + 0.14, 0.09, 0.09).at(0, 0, height), *legs, *ties])


def swung(length: float, pivot: tuple[float, float, float], amplitude_deg: float) -> Recording:
    """Rows of the rod's position and quaternion, its angle and its rate; it starts just before a turning point."""
    x, y, z = pivot
    xml = f"""
        <mujoco>
          <option timestep="{STEP_S}" gravity="0 0 -{GRAVITY}" integrator="RK4"/>
          <worldbody>
            <body name="rod" pos="{x} {y} {z}">
              <joint type="hinge" axis="0 -1 0" damping="{DAMPING}"/>
              <geom type="sphere" pos="0 0 {-length}" size="{BOB_RADIUS_M}" mass="{BOB_KG}"/>
            </body>
          </worldbody>
        </mujoco>"""
    amplitude = np.deg2rad(amplitude_deg)

    def start(data: Data) -> None:
        data.qpos[0] = -START_SHARE * amplitude
        fall = np.cos(data.qpos[0]) - np.cos(amplitude)
        data.qvel[0] = -np.sqrt(2 * GRAVITY / length * fall)

    def observe(data: Data) -> list[float]:
        return [*placed(data, "rod"), *np.degrees([data.qpos[0], data.qvel[0]])]

    return recorded(xml, SIMULATED_S, observe, start)
