"""A patterned ball rolls across the floor and slowly loses speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.mesh import sphere
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.objects import ball_panels
from lookaway.worlds.process import Body, Process, ProcessStage, process
from lookaway.worlds.simulated import Data, Recording, placed, recorded, rigid

RADIUS_M = 0.2
AHEAD_M = 3.3
START_M = 1.4
ROLL_M = 2.9
ROLL_S = 9.0
SIMULATED_S = 11.0
STEP_S = 0.002
GRAVITY = 9.81
SOLID_SPHERE = 1.4  # 1 + 2/5: rolling inertia of a solid ball relative to its mass


class Ball(Process):
    """The simulated path of one ball; times outside it hold its ends."""

    def __init__(self, words: Words, material: Material, path: Recording) -> None:
        self.words = words
        self.subject = "ball"
        self.bodies: Sequence[Body] = (Body(Part("ball", sphere(RADIUS_M, 48), material), owner="ball"),)
        self._path = path

    def state(self, process_s: float) -> dict[str, float]:
        """Way covered across the floor (m), speed (m/s)."""
        x, speed = self._path.at(process_s)[[0, 7]]
        return {"travelled_m": float(x) + START_M, "speed": float(speed)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        return {"ball": rigid(self._path.at(process_s))}


@process("ball", Traits("kinematics", moves=True, changes_in_place=False))
def ball(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a {word} ball",
        setting=f"on the ground on the {stage.here}",
        action=f"the {word} ball rolls across the ground towards the {stage.there}",
        end=f"the ball has rolled to the {stage.there} part of the ground",
        is_ended=f"Is the ball in the {stage.there} half of the picture?",
        is_as_before=f"Is the ball still on the far {stage.here} of the picture?",
    )
    material = Material(linear(stage.palette.subject.code), ball_panels(), 1.0, shine=0.3, gloss=60)
    start_y = stage.room.eye[1] + AHEAD_M
    return Ball(words, material, rolled(rng.uniform(0.85, 1.15), start_y, rng.uniform(-0.05, 0.05)))


def rolled(pace: float, start_y: float, drift: float) -> Recording:
    """Rows of position, quaternion and speed, one per step; `pace` scales time and leaves the path."""
    speed = 2 * ROLL_M / ROLL_S * pace
    slowing = speed / (ROLL_S / pace)
    resistance = slowing * SOLID_SPHERE * RADIUS_M / GRAVITY
    friction = f"1 0.005 {resistance}"
    xml = f"""
        <mujoco>
          <option timestep="{STEP_S}" gravity="0 0 -{GRAVITY}" cone="elliptic" impratio="10"/>
          <worldbody>
            <geom type="plane" size="5 5 .1" friction="{friction}" condim="6"/>
            <body name="ball" pos="{-START_M} {start_y} {RADIUS_M}">
              <freejoint/>
              <geom type="sphere" size="{RADIUS_M}" mass=".6" friction="{friction}" condim="6"/>
            </body>
          </worldbody>
        </mujoco>"""
    velocity = speed * np.array([1.0, drift, 0.0])

    def start(data: Data) -> None:
        data.qvel[:3] = velocity
        data.qvel[3:6] = np.cross([0.0, 0.0, 1.0], velocity) / RADIUS_M

    return recorded(xml, SIMULATED_S, lambda data: [*placed(data, "ball"), np.hypot(*data.qvel[:2])], start)
