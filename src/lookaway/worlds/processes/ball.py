"""A patterned ball rolls across the floor and slowly loses speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.extras import need
from lookaway.worlds.facts import ProcessFacts, Side
from lookaway.worlds.mesh import sphere
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.objects import ball_panels
from lookaway.worlds.process import Body, Process, Props, processes
from lookaway.worlds.room import Room

RADIUS_M = 0.2
AHEAD_M = 3.3
START_M = 1.4
ROLL_M = 2.9
ROLL_S = 9.0
SIMULATED_S = 8.0
STEP_S = 0.002
GRAVITY = 9.81
SOLID_SPHERE = 1.4  # 1 + 2/5: rolling inertia of a solid ball relative to its mass


class Ball:
    """The simulated path of one ball; times outside it hold its ends."""

    def __init__(self, facts: ProcessFacts, material: Material, path: FloatArray) -> None:
        self.facts = facts
        self.subject = "ball"
        self.props = Props()
        self.bodies: Sequence[Body] = (Body(Part("ball", sphere(RADIUS_M, 48), material), owner="ball"),)
        self._path = path

    def state(self, process_s: float) -> dict[str, float]:
        """Place on the floor (m), speed (m/s)."""
        x, y, speed = self._row(process_s)[[0, 1, 7]]
        return {"x": float(x), "y": float(y), "speed": float(speed)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        row = self._row(process_s)
        rotation = np.zeros(9)
        need("mujoco").mju_quat2Mat(rotation, row[3:7] / np.linalg.norm(row[3:7]))
        transform = np.eye(4)
        transform[:3, :3] = rotation.reshape(3, 3)
        transform[:3, 3] = row[:3]
        return {"ball": transform}

    def _row(self, process_s: float) -> FloatArray:
        place = float(np.clip(process_s / STEP_S, 0, len(self._path) - 1))
        before = min(int(place), len(self._path) - 2)
        share = place - before
        row: FloatArray = self._path[before] * (1 - share) + self._path[before + 1] * share
        return row


@processes.add("ball")
def ball(rng: np.random.Generator, room: Room, palette: Palette) -> Process:
    heading = 1 if rng.random() < 0.5 else -1
    pace = rng.uniform(0.85, 1.15)
    start_y = room.eye[1] + AHEAD_M
    side: Side = "left" if heading > 0 else "right"
    goal = "right" if heading > 0 else "left"
    subject_name = f"a {palette.subject.word} ball"
    action = f"the {palette.subject.word} ball rolls across the floor towards the {goal}"
    facts = ProcessFacts(
        name="ball",
        category="kinematics",
        moves=True,
        changes_in_place=False,
        subject_name=subject_name,
        side=side,
        scene_description=room.description,
        action=action,
        expected_end=f"the ball has rolled to the {goal} part of the floor and is slowing down",
        prompt=f"Inside {room.description}. There is {subject_name} on the {side}; {action}. Nothing else moves.",
    )
    material = Material(linear(palette.subject.code), ball_panels(), 1.0, shine=0.3, gloss=60)
    return Ball(facts, material, rolled(heading, pace, start_y, rng.uniform(-0.05, 0.05)))


def rolled(heading: int, pace: float, start_y: float, drift: float) -> FloatArray:
    """Rows of position, quaternion and speed, one per step; `pace` scales time and leaves the path."""
    mujoco = need("mujoco")
    speed = 2 * ROLL_M / ROLL_S * pace
    slowing = speed / (ROLL_S / pace)
    resistance = slowing * SOLID_SPHERE * RADIUS_M / GRAVITY
    friction = f"1 0.005 {resistance}"
    model = mujoco.MjModel.from_xml_string(f"""
        <mujoco>
          <option timestep="{STEP_S}" gravity="0 0 -{GRAVITY}" cone="elliptic" impratio="10"/>
          <worldbody>
            <geom type="plane" size="5 5 .1" friction="{friction}" condim="6"/>
            <body pos="{-heading * START_M} {start_y} {RADIUS_M}">
              <freejoint/>
              <geom type="sphere" size="{RADIUS_M}" mass=".6" friction="{friction}" condim="6"/>
            </body>
          </worldbody>
        </mujoco>""")
    data = mujoco.MjData(model)
    velocity = speed * np.array([heading, drift, 0.0])
    data.qvel[:3] = velocity
    data.qvel[3:6] = np.cross([0.0, 0.0, 1.0], velocity) / RADIUS_M
    rows = []
    for _ in range(round(SIMULATED_S / STEP_S) + 1):
        rows.append([*data.qpos, float(np.linalg.norm(data.qvel[:2]))])
        mujoco.mj_step(model, data)
    return np.array(rows)
