"""A gantry lowers a square peg into the hole of a wooden block that is cut open at the front."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.carrying import Carried, CarryingPath
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.gantry import Gantry
from lookaway.worlds.furniture.tables import table
from lookaway.worlds.mesh import Mesh, box, merged, pose
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Process, ProcessStage, Props, process

AHEAD_M = 2.15
TABLE_M = 0.56
PEG_M, PEG_LENGTH_M = 0.13, 0.46
HOLE_M, BLOCK_M = 0.142, 0.38
BLOCK_WIDE_M, BLOCK_DEEP_M, FLOOR_M = 0.42, 0.24, 0.05
DEPTH_AT_START, DEPTH_AT_END = 0.03, 0.318
INSERT_S = 5.2


class IntoHole(Carried):
    """The peg on its way down."""

    def state(self, process_s: float) -> dict[str, float]:
        """How deep the peg is in the hole (m), and as a share of the hole."""
        depth = DEPTH_AT_START + self._way.walked(process_s)
        return {"depth_inserted_m": depth, "share_inserted": depth / (BLOCK_M - FLOOR_M)}


@process("peg", Traits("relational change", moves=True, changes_in_place=False))
def peg(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    x, y = rng.uniform(-0.5, -0.4), stage.room.eye[1] + AHEAD_M
    words = Words(
        subject=f"a thick {word} peg",
        setting=f"held by a gripper over a block of wood with a hole on a table on the {stage.here}",
        action=f"the gripper lowers the {word} peg straight down into the hole of the block",
        end="the peg sits deep in the hole of the block",
        is_ended="Does the peg sit deep in the block, down to the bottom of its hole?",
        is_as_before="Is nearly all of the peg above the block?",
    )
    gantry = Gantry(x - 0.52, 0.72, y, 1.56, PEG_M, jaw_m=0.1)
    timber = wood(rng, "#b5895a")
    solid = [
        *gantry.parts(),
        *moved(
            table(Material(texture=timber.transpose(1, 0, 2).copy(), tile_m=0.9), 1.1, 0.5, TABLE_M), pose(-0.1, y, 0)
        ),
        Part("block", block().at(x, y, TABLE_M), Material(linear("#e0cfae"), wood(rng, "#ffffff"), 0.5, shine=0.04)),
    ]
    top = TABLE_M + BLOCK_M
    way = CarryingPath([(x, top - DEPTH_AT_START), (x, top - DEPTH_AT_END)], INSERT_S / rng.uniform(0.85, 1.15))
    paint = Material(linear(stage.palette.subject.code), shine=0.15)
    return IntoHole(words, [Part("peg", peg_mesh(), paint)], Props(solid), gantry, way, PEG_LENGTH_M + 0.01)


def peg_mesh() -> Mesh:
    """A square bar with a blunt point, tip at z = 0."""
    point = 0.03
    tip = box(PEG_M, PEG_M, point)
    narrow = np.where(tip.points[:, 2:] < 1e-9, 0.7, 1.0) * [1.0, 1.0, 0.0] + [0.0, 0.0, 1.0]
    blunt = Mesh(tip.points * narrow, tip.normals, tip.uv, tip.faces)
    return merged([blunt, box(PEG_M, PEG_M, PEG_LENGTH_M - point).at(0, 0, point)])


def block() -> Mesh:
    """A block around a square hole; its front is missing, so that one sees into the hole."""
    side = (BLOCK_WIDE_M - HOLE_M) / 2
    back = (BLOCK_DEEP_M - HOLE_M) / 2
    cheeks = [box(side, HOLE_M, BLOCK_M, cut_m=0.05).at(hand * (HOLE_M + side) / 2, 0, 0) for hand in (-1, 1)]
    wall = box(BLOCK_WIDE_M, back, BLOCK_M, cut_m=0.05).at(0, (HOLE_M + back) / 2, 0)
    return merged([*cheeks, wall, box(HOLE_M, HOLE_M, FLOOR_M).at(0, 0, 0)])
