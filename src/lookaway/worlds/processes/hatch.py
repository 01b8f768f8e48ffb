"""The coloured lid of a treasure chest opens and shows what is inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.mesh import Mesh, box, cylinder, grid, grid_faces, merged, pose, sphere, tilted
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.rounded import curve, turned

AHEAD_M = 3.05
WIDE_M, DEEP_M, TALL_M, ARCH_M = 0.86, 0.54, 0.36, 0.2
BOARD_M = 0.025
START_DEG, OPEN_DEG, OPEN_S = 5.0, 106.0, 5.2
COINS = 60


class Hatch(Process):
    """Scripted: the lid turns evenly about its hinges, then rests."""

    def __init__(self, words: Words, props: Props, bodies: Sequence[Body], hinge: FloatArray, rate: float) -> None:
        self.words, self.props, self.bodies = words, props, bodies
        self.subject = "lid"
        self._hinge, self._rate = hinge, rate

    def state(self, process_s: float) -> dict[str, float]:
        """How far the lid is open (degrees)."""
        return {"opening_deg": min(START_DEG + max(process_s, 0.0) * self._rate, OPEN_DEG)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        turned_up = self._hinge @ tilted(-self.state(process_s)["opening_deg"], 0)
        return {body.part.name: turned_up for body in self.bodies}


@process("hatch", Traits("state transformation", moves=False, changes_in_place=True))
def hatch(stage: ProcessStage) -> Process:
    rng, palette, word = stage.rng, stage.palette, stage.palette.subject.word
    words = Words(
        subject=f"a wooden treasure chest with a {word} lid",
        setting=f"on the floor on the {stage.here}",
        action=f"the {word} lid turns on its hinges and rises slowly and evenly",
        end="the lid stands wide open and the gold in the chest can be seen",
        is_ended="Can you see into the chest, with its lid standing upright?",
        is_as_before="Is the chest closed or nearly closed?",
    )
    stands = pose(rng.uniform(-0.68, -0.56), stage.room.eye[1] + AHEAD_M, 0, rng.uniform(10, 22))
    paint = Material(linear(palette.subject.code), shine=0.12)
    iron = Material(linear("#55534f"), shine=0.3)
    timber = Material(texture=wood(rng, palette.choose(rng, ("#8a5f3a", "#9a7448", "#857b70"))), tile_m=0.7)
    bodies = (
        Body(Part("lid", arch(), paint), "lid"),
        Body(Part("lid bands", merged([vault(0.05, 0.006).at(x, 0, 0) for x in (-0.3, 0.3)]), iron), "lid"),
        Body(Part("lock", box(0.09, 0.02, 0.1).at(0, -DEEP_M - 0.012, -0.05), iron), "lid"),
    )
    solid = moved([*chest(timber, iron), *treasure(rng)], stands)
    hinge = stands @ pose(0, DEEP_M / 2, TALL_M)
    return Hatch(words, Props(solid), bodies, hinge, (OPEN_DEG - START_DEG) / OPEN_S * rng.uniform(0.85, 1.15))


def arch() -> Mesh:
    """A vaulted lid, hinged at the origin and reaching towards -y."""
    outer, inner = vault(WIDE_M, 0.0), vault(WIDE_M, -BOARD_M)
    hollow = Mesh(inner.points, -inner.normals, inner.uv, inner.faces)
    return merged([outer, hollow, *(cheek(side) for side in (-1, 1))])


def vault(width: float, proud_m: float) -> Mesh:
    """Half an elliptic tube along x, that far above the lid's outside."""
    turn, x = grid(np.linspace(0, np.pi, 25), np.linspace(-width / 2, width / 2, 2))
    cos, sin = np.cos(turn), np.sin(turn)
    half = DEEP_M / 2
    points = np.stack([x, -half - (half + proud_m) * cos, (ARCH_M + proud_m) * sin], axis=1)
    normals = np.stack([0 * x, -cos / half, sin / ARCH_M], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return Mesh(points, normals, np.stack([x, turn * half], axis=1), grid_faces(1, 24))


def cheek(side: int) -> Mesh:
    """A half-round end board."""
    reach, turn = grid(np.array([0.0, 1.0]), np.linspace(0, np.pi, 25))
    half = DEEP_M / 2
    across = np.full_like(turn, side * WIDE_M / 2)
    points = np.stack([across, -half - half * reach * np.cos(turn), ARCH_M * reach * np.sin(turn)], axis=1)
    return Mesh(points, np.tile([float(side), 0.0, 0.0], (len(turn), 1)), points[:, 1:], grid_faces(24, 1))


def chest(timber: Material, iron: Material) -> list[Part]:
    """An open box with iron corners and feet; its middle at the origin."""
    walls = [box(WIDE_M, BOARD_M, TALL_M, cut_m=0.04).at(0, side * (DEEP_M - BOARD_M) / 2, 0) for side in (-1, 1)]
    walls += [box(BOARD_M, DEEP_M, TALL_M, cut_m=0.04).at(side * (WIDE_M - BOARD_M) / 2, 0, 0) for side in (-1, 1)]
    walls.append(box(WIDE_M, DEEP_M, BOARD_M))
    hoops = [box(0.05, 0.006, TALL_M).at(x, -DEEP_M / 2 - 0.003, 0) for x in (-0.3, 0.3)]
    hoops += [box(0.06, 0.06, TALL_M - 0.02).at(x * (WIDE_M / 2 - 0.024), -DEEP_M / 2 + 0.024, 0) for x in (-1, 1)]
    hoops.append(box(0.12, 0.006, 0.1).at(0, -DEEP_M / 2 - 0.003, TALL_M - 0.15))
    hoops.append(box(WIDE_M + 0.01, 0.008, 0.04).at(0, -DEEP_M / 2 - 0.002, 0))
    return [Part("chest", merged(walls), timber), Part("chest", merged(hoops), iron)]


def treasure(rng: np.random.Generator) -> list[Part]:
    """A heap of coins with a goblet and pearls."""
    gold, silver = Material(linear("#d9b24a"), shine=0.5, gloss=35), Material(linear("#c9c9c6"), shine=0.5)
    wide, deep = WIDE_M / 2 - 0.07, DEEP_M / 2 - 0.07
    heap = sphere(1.0, 32).moved(np.diag([wide + 0.03, deep + 0.03, 0.16, 1.0])).at(0, 0, 0.17)
    coins = []
    for turn, far in zip(rng.uniform(0, 2 * np.pi, COINS), np.sqrt(rng.uniform(0, 0.95, COINS)), strict=True):
        x, y, z = wide * far * np.cos(turn), deep * far * np.sin(turn), 0.17 + 0.16 * np.sqrt(1 - far**2)
        flat = pose(x, y, z) @ tilted(rng.uniform(-30, 30), 0) @ tilted(rng.uniform(-30, 30), 1)
        coins.append(cylinder(0.034, 0.008, around=14).moved(flat))
    goblet = curve(
        [(1e-3, 0), (0.045, 0.004), (0.01, 0.03), (0.01, 0.07), (0.045, 0.1), (0.05, 0.16), (0.044, 0.16)], 4
    )
    cups = turned(goblet, 24).moved(pose(0.2, -0.02, 0.28) @ tilted(14, 1))
    pearls = [
        sphere(0.022, 12).at(-0.28 + 0.035 * n, -0.08 + 0.03 * np.sin(n), 0.33 - 0.003 * (n - 4) ** 2) for n in range(9)
    ]
    return [
        Part("treasure", merged([heap, *coins]), gold),
        Part("treasure", cups, gold),
        Part("treasure", merged(pearls), silver),
    ]
