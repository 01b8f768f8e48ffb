"""A toy parachute with a little crate sinks through the air, drifts with the draught, and lands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.canvas import light, pixels
from lookaway.worlds.patterns.objects import crate
from lookaway.worlds.process import Body, Process, ProcessStage, process
from lookaway.worlds.rendering.atlas import SIDE
from lookaway.worlds.simulated import Data, Recording, recorded

AHEAD_M = 3.35
START_M, DRIFT_M = -1.1, 1.7
HEIGHT_M = 0.92  # of the crate's foot above the ground
CRATE_M = 0.17
LINES_M = 0.27
CANOPY_M, DOME_M = 0.36, 0.26
SKIRT_M = CRATE_M + LINES_M
GATHERED_M = 0.01  # lines shorter than this lie under the canopy
SINK_S = 4.9
SIMULATED_S = 12.0
STEP_S = 0.002
GRAVITY = 9.81
CANOPY_KG, CRATE_KG = 0.06, 0.02
LINES, CORD_M = 8, 0.009
SIDE_SHARE = 0.04  # a canopy catches far less air from the side than from below


class Parachute(Process):
    """The simulated fall of the crate, and of the canopy that settles over it afterwards."""

    def __init__(self, words: Words, y: float, cloth: Material, wood: Material, fall: Recording) -> None:
        self.words = words
        self.subject = "parachute"
        cord = Material(linear("#f6f3ea"), glow=0.12)
        self.bodies: Sequence[Body] = [
            Body(Part("parachute", canopy(), cloth), self.subject),
            Body(Part("parachute lines", lines(), cord), self.subject),
            Body(Part("parachute crate", box(CRATE_M, CRATE_M, CRATE_M), wood), self.subject),
        ]
        self._y, self._fall = y, fall

    def state(self, process_s: float) -> dict[str, float]:
        """Height of the crate over the ground (m), height of the canopy's skirt (m), and the way drifted (m)."""
        drifted, height, slack = self._fall.at(process_s)
        return {"height_m": float(height), "skirt_m": float(height + SKIRT_M + slack), "drifted_m": float(drifted)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        state = self.state(process_s)
        x, top = START_M + state["drifted_m"], state["height_m"] + CRATE_M
        poses = {
            "parachute": pose(x, self._y, state["skirt_m"]),
            "parachute crate": pose(x, self._y, state["height_m"]),
        }
        apart = state["skirt_m"] - top
        if apart > GATHERED_M:
            poses["parachute lines"] = pose(x, self._y, top) @ np.diag([1.0, 1.0, apart / LINES_M, 1.0])
        return poses


@process("parachute", Traits("kinematics", moves=True, changes_in_place=False, rests=False))
def parachute(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a {word} toy parachute with a little crate",
        setting=f"in the air on the {stage.here}",
        action=f"the {word} parachute sinks slowly and drifts towards the {stage.there}",
        end="the crate stands on the ground and the parachute has come down over it",
        is_ended="Has the crate come down to the ground?",
        is_as_before="Is the parachute high up in the air?",
    )
    cloth = Material(linear(stage.palette.subject.code), gores(), 1.0, glow=0.06)
    wood = Material(texture=crate(rng, "#b08a5c"), tile_m=CRATE_M)
    return Parachute(words, stage.room.eye[1] + AHEAD_M, cloth, wood, sunk(rng.uniform(0.85, 1.15)))


def gores() -> Floats:
    """Grey multipliers: light and dark panels by turns, so that the hue stays one."""
    _, columns = pixels()
    dark = (columns * LINES // SIDE) % 2 == 1
    return light(np.where(dark[..., None], 0.72, 1.0) * np.ones(3))


def canopy() -> Mesh:
    """A thin dome over z = 0 that bulges between its lines; texture u goes once around it."""
    rise = np.linspace(0, np.pi / 2 - 0.02, 12)
    arc = [(float(CANOPY_M * np.cos(turn)), float(DOME_M * np.sin(turn))) for turn in rise]
    dome = lathe(arc, around=64)
    turn = np.arctan2(dome.points[:, 1], dome.points[:, 0])
    bulge = 1 - 0.07 * np.abs(np.cos(turn * LINES / 2)) ** 4
    points = dome.points * np.stack([bulge, bulge, np.ones_like(bulge)], axis=1)
    normals = dome.points / (CANOPY_M**2, CANOPY_M**2, DOME_M**2)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(points, normals, dome.uv / (2 * np.pi * CANOPY_M), dome.faces)


def lines() -> Mesh:
    """Cords that spread from the top of the crate at z = 0 to the skirt of the canopy."""
    cords = []
    reach = CANOPY_M * 0.93
    for number in range(LINES):
        turn = 2 * np.pi * number / LINES + np.pi / LINES
        sheared = np.eye(4)
        sheared[:2, 2] = reach / LINES_M * np.cos(turn), reach / LINES_M * np.sin(turn)
        cords.append(cylinder(CORD_M, LINES_M, around=6).moved(sheared))
    return merged(cords)


def sunk(pace: float) -> Recording:
    """Rows of drift, height of the crate and slack of the lines (0 is taut); drag grows with the square of speed."""
    sinking, drifting = pace * HEIGHT_M / SINK_S, pace * DRIFT_M / SINK_S
    drag = (CANOPY_KG + CRATE_KG) * GRAVITY / sinking**2
    xml = f"""
        <mujoco>
          <option timestep="{STEP_S}" gravity="0 0 -{GRAVITY}"/>
          <worldbody>
            <geom type="plane" size="5 5 .1"/>
            <body pos="0 0 {HEIGHT_M}">
              <joint type="slide" axis="1 0 0"/>
              <joint type="slide" axis="0 0 1"/>
              <geom type="box" size="{CRATE_M / 2} {CRATE_M / 2} {CRATE_M / 2}" pos="0 0 {CRATE_M / 2}"
                    mass="{CRATE_KG}"/>
              <body pos="0 0 {SKIRT_M}">
                <joint type="slide" axis="0 0 1" limited="true" range="{-SKIRT_M} 0"/>
                <geom type="sphere" size=".1" mass="{CANOPY_KG}" contype="0" conaffinity="0"/>
              </body>
            </body>
          </worldbody>
        </mujoco>"""

    def start(data: Data) -> None:
        data.qvel[:2] = drifting, -sinking

    def push(data: Data) -> None:
        through_air = np.array([data.qvel[0] - drifting, data.qvel[1] + data.qvel[2]])
        across, up = -drag * np.abs(through_air) * through_air
        data.qfrc_applied[:] = SIDE_SHARE * across, up, up

    def observe(data: Data) -> list[float]:
        return [data.qpos[0], HEIGHT_M + data.qpos[1], data.qpos[2]]

    return recorded(xml, SIMULATED_S, observe, start, push)
