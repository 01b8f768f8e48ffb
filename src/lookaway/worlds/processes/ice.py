"""An ice lolly melts off its stick into a puddle on a plate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import rounded_block, wooden_table
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, sphere
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process

AHEAD_M = 2.05
TABLE_M = 0.56
PLATE_M = 0.022
LOLLY_FOOT_M = 0.14  # above the plate
LOLLY_M = (0.27, 0.12, 0.46)
STICK_M = 0.46
PUDDLE_M, PUDDLE_START = 0.27, 0.12
MELT_S = 5.6
CORE_SHARE = 0.3  # width left to the very last sliver, which clings to the stick
DRIP_EVERY_S = 0.4
GRAVITY = 9.81


class Lolly(Process):
    """Scripted: the lolly shrinks evenly and the puddle's area takes up what melts."""

    def __init__(self, words: Words, x: float, y: float, pace: float, props: Props, ice: Material) -> None:
        self.words, self.props = words, props
        self.subject = "lolly"
        looks = {"lolly": lolly(), "puddle": puddle(), "drop": sphere(0.013, 12)}
        self.bodies: Sequence[Body] = [Body(Part(name, mesh, ice), self.subject) for name, mesh in looks.items()]
        self._x, self._y, self._pace = x, y, pace

    def state(self, process_s: float) -> dict[str, float]:
        """Height of the lolly as a share of its first one, and the puddle's radius (m)."""
        size = 1 - min(max(process_s, 0.0) * self._pace / MELT_S, 1.0)
        melted = 1 - size * self._width(size) ** 2
        return {"size": size, "puddle_m": PUDDLE_M * float(np.sqrt(PUDDLE_START + (1 - PUDDLE_START) * melted))}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        state = self.state(process_s)
        spread, width = state["puddle_m"] / PUDDLE_M, self._width(state["size"])
        poses = {"puddle": self._at(PLATE_M) @ np.diag([spread, spread, 1.0, 1.0])}
        if state["size"] > 0:
            poses["lolly"] = self._at(PLATE_M + LOLLY_FOOT_M) @ np.diag([width, width, state["size"], 1.0])
            fallen = GRAVITY / 2 * (process_s % DRIP_EVERY_S) ** 2
            if fallen < LOLLY_FOOT_M:
                poses["drop"] = self._at(PLATE_M + LOLLY_FOOT_M - fallen) @ pose(width * LOLLY_M[0] / 4, -0.02, 0)
        return poses

    def _width(self, size: float) -> float:
        return CORE_SHARE + (1 - CORE_SHARE) * size

    def _at(self, z: float) -> FloatArray:
        return pose(self._x, self._y, TABLE_M + z)


@process("ice", Traits("continuous process", moves=False, changes_in_place=True))
def ice(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    x, y = rng.uniform(-0.46, -0.34), stage.room.eye[1] + AHEAD_M
    words = Words(
        subject=f"a {word} ice lolly on a wooden stick",
        setting=f"standing upright on a plate on a wooden table on the {stage.here}",
        action="the ice lolly melts and drips onto the plate",
        end="the ice lolly has melted off its stick and lies on the plate as a puddle",
        is_ended="Is most of the stick bare, with a wide puddle on the plate?",
        is_as_before="Is the ice lolly whole?",
    )
    solid = [*moved(wooden_table(rng, 1.5, 0.78, TABLE_M), pose(-0.12, y, 0)), *moved(plate(), pose(x, y, TABLE_M))]
    frozen = Material(linear(stage.palette.subject.code), shine=0.35, gloss=50, glow=0.1)
    return Lolly(words, x, y, rng.uniform(0.85, 1.15), Props(solid), frozen)


def lolly() -> Mesh:
    """Three rounded ribs side by side, standing on z = 0."""
    width, depth, height = LOLLY_M
    rib = width * 0.44
    ribs = [(-1, height * 0.94), (0, height), (1, height * 0.94)]
    return merged([rounded_block(rib, depth, tall, 3.5).at(side * (width - rib) / 2, 0, 0) for side, tall in ribs])


def puddle() -> Mesh:
    """A flat pool with an uneven shore."""
    flat = lathe([(PUDDLE_M, 0.0), (PUDDLE_M * 0.97, 0.005), (PUDDLE_M * 0.9, 0.009), (1e-4, 0.011)], around=64)
    turn = np.arctan2(flat.points[:, 1], flat.points[:, 0])
    uneven = 1 + 0.05 * np.sin(3 * turn + 0.6) + 0.04 * np.sin(5 * turn)
    return Mesh(flat.points * np.stack([uneven, uneven, np.ones_like(turn)], axis=1), flat.normals, flat.uv, flat.faces)


def plate() -> list[Part]:
    """A white plate with a peg that holds the lolly's stick."""
    wide = PUDDLE_M * 1.09 + 0.01
    profile = [(1e-4, 0.0), (wide * 0.96, 0.0), (wide + 0.05, 0.045), (wide + 0.045, 0.05), (wide, PLATE_M)]
    china = merged(
        [
            lathe([*profile, (1e-4, PLATE_M)], around=64, cut_m=0.06),
            cylinder(0.036, 0.06, 0.028, around=24).at(0, 0, PLATE_M),
        ]
    )
    stick = box(0.04, 0.014, STICK_M).at(0, 0, PLATE_M + 0.02)
    return [
        Part("plate", china, Material((0.66, 0.66, 0.63), shine=0.3, gloss=50)),
        Part("stick", stick, Material((0.62, 0.45, 0.27))),
    ]
