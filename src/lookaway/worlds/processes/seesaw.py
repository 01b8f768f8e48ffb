"""A weight is set down on one end of a seesaw, or lifted off, and the plank slowly tips over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.gantry import Gantry
from lookaway.worlds.furniture.machines import STEEL
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, sphere, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.simulated import Data, Recording, recorded

CENTRE_X, AHEAD_M = -0.48, 2.7
PIVOT_M = 0.52
LONG_M, DEEP_M, THICK_M = 1.4, 0.3, 0.05
ARM_M = 0.55
WEIGHT_KG, COUNTER_KG = 8.0, 4.0
END_DEG = 15.0
DAMPING = 211.0  # N m s: a stiff oil brake in the hub lets the plank sink in five or six seconds
KNOB_M, KNOB_UP_M = 0.045, 0.27
OPENED_M, OPEN_S = 0.045, 0.5
LIFT_M, LIFT_S = 0.48, 3.0
LIFTED_AT_START_M, SWING_S = 0.015, 0.8
SIMULATED_S, STEP_S = 8.0, 0.004


class Seesaw(Process):
    """The simulated tilt; the weight rests on the plank or hangs in the gripper."""

    def __init__(self, words: Words, gantry: Gantry, tilts: Recording, props: Props, colour: Material, lifted: bool):
        self.words, self.props = words, props
        self.subject = "seesaw"
        self._gantry, self._tilts, self._lifted = gantry, tilts, lifted
        iron = Material(linear("#6a6e72"), shine=0.35)
        self.bodies: Sequence[Body] = (
            Body(Part("seesaw", plank(), colour), owner="seesaw"),
            Body(Part("weight", weight(), iron), owner="weight"),
            *gantry.bodies(),
        )

    def state(self, process_s: float) -> dict[str, float]:
        """Tilt in degrees; positive when the end for the weight is down."""
        return {"tilt_deg": float(self._tilts.at(process_s)[0])}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        x, _, z, _ = self._plank(0.0) @ [ARM_M, 0.0, THICK_M + KNOB_UP_M, 1.0]
        head = float(z) + KNOB_M + 0.01
        lift = min(LIFT_M, self._gantry.highest - head)
        if self._lifted:
            up, opened = LIFTED_AT_START_M + lift * float(np.clip(process_s / LIFT_S, 0, 1)), 0.0
            hangs = tilted(self.state(0.0)["tilt_deg"] * float(np.clip(1 - process_s / SWING_S, 0, 1)), 1)
            weight_pose = pose(x, self._gantry.y, z + up) @ hangs @ pose(0, 0, -KNOB_UP_M)
        else:
            up = lift * float(np.clip((process_s - OPEN_S) / LIFT_S, 0, 1))
            opened = OPENED_M * float(np.clip(0.2 + process_s / OPEN_S, 0, 1))
            weight_pose = self._plank(process_s) @ pose(ARM_M, 0, THICK_M)
        gantry = self._gantry.poses(float(x), head + up, opened)
        return {"seesaw": self._plank(process_s), "weight": weight_pose, **gantry}

    def _plank(self, process_s: float) -> FloatArray:
        return pose(CENTRE_X, self._gantry.y, PIVOT_M) @ tilted(self.state(process_s)["tilt_deg"], 1)


@process("seesaw", Traits("causal change", moves=False, changes_in_place=True, opposite=True))
def seesaw(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y, pace = stage.room.eye[1] + AHEAD_M, rng.uniform(0.85, 1.15)
    gantry = Gantry(-1.36, 0.66, y, 1.58, 2 * KNOB_M, jaw_m=0.09, jaw_depth_m=0.05)
    timber = Material(texture=wood(rng, "#a98458"), tile_m=0.6, shine=0.05)
    solid = [*gantry.parts(), *stand(timber, y)]
    colour = Material(linear(stage.palette.subject.code), shine=0.12)
    tilts = tipped(0.0 if stage.opposite else WEIGHT_KG, DAMPING / pace)
    return Seesaw(told(stage, word), gantry, tilts, Props(solid), colour, stage.opposite)


def told(stage: ProcessStage, word: str) -> Words:
    """The weight comes, or the other way round."""
    loaded, other = stage.there, stage.here
    down, trigger = (other, f"a gripper lifts the iron weight off its {loaded} end")
    if not stage.opposite:
        down, trigger = loaded, f"a gripper has just set an iron weight on its {loaded} end and lets go"
    up = other if down == loaded else loaded
    return Words(
        subject=f"a {word} seesaw",
        setting=f"on a wooden stand under a small gantry on the {stage.here}",
        action=f"the {word} plank slowly tips over and its {down} end sinks",
        end=f"the {down} end of the seesaw is down and its {up} end is up",
        is_ended=f"Is the {down} end of the seesaw down?",
        is_as_before=f"Is the {up} end of the seesaw down?",
        trigger=trigger,
    )


def tipped(weight_kg: float, damping: float) -> Recording:
    """Tilt in degrees of a plank with a fixed counterweight and that weight on its other arm."""
    start_deg = -END_DEG if weight_kg else END_DEG
    loads = "".join(
        f'<geom type="box" size=".08 .08 .06" pos="{place} 0 {THICK_M + 0.06}" mass="{mass}"/>'
        for place, mass in ((-ARM_M, COUNTER_KG), (ARM_M, weight_kg))
        if mass
    )
    xml = f"""
        <mujoco>
          <compiler angle="degree" autolimits="true"/>
          <option timestep="{STEP_S}" integrator="implicitfast"/>
          <worldbody>
            <body>
              <joint type="hinge" axis="0 1 0" range="{-END_DEG} {END_DEG}" damping="{damping}" solreflimit="0.01 1"/>
              <geom type="box" size="{LONG_M / 2} {DEEP_M / 2} {THICK_M / 2}" pos="0 0 {THICK_M / 2}" mass="6"/>
              {loads}
            </body>
          </worldbody>
        </mujoco>"""

    def start(data: Data) -> None:
        data.qpos[0] = np.deg2rad(start_deg)

    tilts = recorded(xml, SIMULATED_S, lambda data: np.rad2deg(data.qpos).tolist(), start)
    return replace(tilts, rows=tilts.rows.clip(-END_DEG, END_DEG))


def plank() -> Mesh:
    """The plank over its pivot, with a drum fixed to one end, rims round the place of the weight, and a hub."""
    board = box(LONG_M, DEEP_M, THICK_M)
    drum = cylinder(0.1, 0.16, around=28).at(-ARM_M, 0, THICK_M)
    rims = [box(0.02, DEEP_M - 0.04, 0.03).at(ARM_M + side * 0.11, 0, THICK_M) for side in (-1, 1)]
    hub = cylinder(0.055, DEEP_M - 0.04, around=24).moved(tilted(-90, 0)).at(0, -DEEP_M / 2 + 0.02, 0)
    return merged([board, drum, *rims, hub])


def weight() -> Mesh:
    """An iron weight with a knob on top."""
    body = cylinder(0.095, 0.17, around=28)
    neck = lathe([(0.07, 0.17), (0.028, 0.2), (0.028, 0.24)], around=20)
    return merged([body, neck, sphere(KNOB_M, 20).at(0, 0, KNOB_UP_M)])


def stand(timber: Material, y: float) -> list[Part]:
    """Two trestles beside the plank, and the axle between them."""
    pieces = []
    for side in (-1, 1):
        place = side * (DEEP_M / 2 + 0.045)
        for hand in (-1, 1):
            length = float(np.hypot(0.2, PIVOT_M))
            lean = float(np.degrees(np.arctan2(0.2, PIVOT_M)))
            leg = box(0.06, 0.045, length).moved(pose(hand * 0.2, place, 0.012) @ tilted(-hand * lean, 1))
            pieces.append(leg)
        pieces += [box(0.36, 0.03, 0.05).at(0, place, 0.14), box(0.1, 0.05, 0.1).at(0, place, PIVOT_M - 0.05)]
    axle = cylinder(0.028, DEEP_M + 0.2, around=16).moved(tilted(-90, 0)).at(0, -DEEP_M / 2 - 0.1, PIVOT_M)
    return [
        Part("trestle", merged(pieces).at(CENTRE_X, y, 0), timber),
        Part("trestle", axle.at(CENTRE_X, y, 0), STEEL),
    ]
