"""A gantry crane carries a crate across the floor and sets it down on a pallet."""

from __future__ import annotations

from lookaway.worlds.carrying import Carried, CarryingPath
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.gantry import Gantry
from lookaway.worlds.furniture.storage import pallet as pallet_parts
from lookaway.worlds.mesh import box, pose
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.objects import crate
from lookaway.worlds.process import Process, ProcessStage, Props, process

AHEAD_M = 2.9
CRATE_M = 0.4
PALLET_X, PALLET_TOP_M = 0.62, 0.122
START_X, START_M = -0.92, 0.62
CARRY_S = 5.2
PALLET_YAW_DEG = 14.0


class OntoPallet(Carried):
    """The crate on its way."""

    def state(self, process_s: float) -> dict[str, float]:
        """Way left to its place on the pallet (m), and whether it stands there."""
        left = self._way.length - self._way.walked(process_s)
        return {"to_pallet_m": left, "on_pallet": float(left == 0.0)}


@process("pallet", Traits("relational change", moves=True, changes_in_place=False))
def pallet(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y = stage.room.eye[1] + AHEAD_M
    words = Words(
        subject=f"a {word} wooden crate",
        setting=f"hanging in the gripper of a small gantry crane on the {stage.here}",
        action=f"the crane carries the {word} crate towards an empty wooden pallet on the floor on the {stage.there}",
        end="the crate stands on the pallet",
        is_ended="Is the crate standing on the pallet?",
        is_as_before="Is the pallet empty?",
    )
    gantry = Gantry(-1.42, 1.34, y, 1.5, CRATE_M, jaw_m=0.2, jaw_depth_m=0.18)
    timber = pallet_parts(rng, "#a98458")
    solid = [*gantry.parts(), *moved(timber, pose(PALLET_X, y, 0, PALLET_YAW_DEG))]
    paint = Material(linear(stage.palette.subject.code), crate(rng, "#ffffff"), CRATE_M, shine=0.04)
    corners = [(START_X, START_M), (PALLET_X - 0.12, START_M), (PALLET_X, START_M - 0.12), (PALLET_X, PALLET_TOP_M)]
    way = CarryingPath(corners, CARRY_S / rng.uniform(0.85, 1.15))
    return OntoPallet(
        words, [Part("crate", box(CRATE_M, CRATE_M, CRATE_M), paint)], Props(solid), gantry, way, CRATE_M + 0.01
    )
