"""A big mug is tipped over by a lever until it lies on its side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import wooden_table
from lookaway.worlds.mesh import Mesh, box, cylinder, merged, pose, tilted, tube
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.rounded import curve, turned

AHEAD_M, TABLE_M = 2.1, 0.6
RADIUS_M, HEIGHT_M, WALL_M = 0.15, 0.33, 0.014
EDGE_M = 0.008
HANDLE_DEG = -125.0  # from the direction the mug falls in
TIP_DEG, TIP_S = 90.0, 5.2
BAR_M = 0.035  # gap between the mug's back and the lever


class Cup(Process):
    """Scripted: the mug turns evenly about the lowest point of its foot, then lies still."""

    def __init__(self, words: Words, props: Props, bodies: Sequence[Body], standing: FloatArray, rate: float) -> None:
        self.words, self.props, self.bodies = words, props, bodies
        self.subject = "mug"
        self._standing, self._rate = standing, rate

    def state(self, process_s: float) -> dict[str, float]:
        """Angle between the mug's axis and upright (degrees)."""
        return {"tilt_deg": min(2.0 + max(process_s, 0.0) * self._rate, TIP_DEG)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        tipped = pose(RADIUS_M, 0, 0) @ tilted(self.state(process_s)["tilt_deg"], 1) @ pose(-RADIUS_M, 0, 0)
        return {body.part.name: self._standing @ tipped for body in self.bodies}


@process("cup", Traits("state transformation", moves=False, changes_in_place=True))
def cup(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a big {word} mug",
        setting=f"on a wooden table on the {stage.here}",
        action=f"a metal lever behind it slowly tilts the {word} mug towards the {stage.there}",
        end="the mug lies on its side on the table",
        is_ended="Is the mug lying on its side?",
        is_as_before="Is the mug standing upright?",
    )
    y = stage.room.eye[1] + AHEAD_M
    standing = pose(rng.uniform(-0.58, -0.46), y + 0.06, TABLE_M, rng.uniform(-26, -16))
    glaze = Material(linear(stage.palette.subject.code), shine=0.35, gloss=60)
    steel = Material(linear("#8f9294"), shine=0.4)
    bodies = (
        Body(Part("mug", merged([outside(), handle()]), glaze), "mug"),
        Body(Part("mug inside", inside(), Material(linear("#e6dfcf"), shine=0.2)), "mug"),
        Body(Part("lever", lever(), steel), "lever"),
    )
    solid = [
        *moved(wooden_table(rng, 1.35, 0.74, TABLE_M), pose(0, y, 0)),
        Part("hinge", box(0.09, 0.05, 0.03).at(RADIUS_M, RADIUS_M + 0.08, 0).moved(standing), steel),
    ]
    return Cup(words, Props(solid), bodies, standing, (TIP_DEG - 2) / TIP_S * rng.uniform(0.85, 1.15))


def outside() -> Mesh:
    """A straight wall on a flat foot with a rounded edge, and a rounded lip."""
    turns = np.linspace(0, np.pi / 2, 5)
    edge = np.stack([RADIUS_M - EDGE_M * (1 - np.sin(turns)), EDGE_M * (1 - np.cos(turns))], axis=1)
    wall = [(RADIUS_M, z) for z in np.linspace(EDGE_M, HEIGHT_M - WALL_M / 2, 4)]
    turns = np.linspace(0, np.pi, 9)
    lip = np.stack([RADIUS_M - WALL_M / 2 * (1 - np.cos(turns)), HEIGHT_M - WALL_M / 2 * (1 - np.sin(turns))], axis=1)
    return merged([turned(line, 48) for line in ([(1e-4, 0.0), (RADIUS_M - EDGE_M, 0.0)], edge, wall, lip)])


def inside() -> Mesh:
    """The pale glazed hollow."""
    inner = RADIUS_M - WALL_M
    return turned(curve([(inner, HEIGHT_M - 0.006), (inner, 0.05), (inner - 0.03, 0.02), (1e-4, 0.018)], 5), 48)


def handle() -> Mesh:
    """An ear from near the lip to near the foot."""
    turns = np.linspace(-np.pi / 2, np.pi / 2, 17)
    ear = [(RADIUS_M - 0.01 + 0.095 * np.cos(turn), 0.0, HEIGHT_M / 2 + 0.1 * np.sin(turn)) for turn in turns]
    return tube(ear, 0.021, around=16).moved(pose(0, 0, 0, HANDLE_DEG))


def lever() -> Mesh:
    """A bar behind the mug, hinged where the mug's foot turns, with a pad that holds the wall."""
    back, top = RADIUS_M + BAR_M, 0.24
    length, lean = float(np.hypot(RADIUS_M, top)), -float(np.degrees(np.arctan2(RADIUS_M, top)))
    bar = box(0.03, 0.014, length).moved(pose(RADIUS_M, back, 0) @ tilted(lean, 1))
    pad = cylinder(0.035, BAR_M, around=20).moved(pose(0, back, top - 0.02) @ tilted(90, 0))
    axle = cylinder(0.012, 0.07, around=12).moved(pose(RADIUS_M, back + 0.08, 0.012) @ tilted(90, 0))
    return merged([bar, pad, axle])
