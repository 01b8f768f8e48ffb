"""Coloured sand runs out of a glass funnel and heaps up into a cone on a tray."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import lengthwise, wooden_table
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.canvas import light, noise
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process

AHEAD_M = 2.25
TABLE_M = 0.52
TRAY_M = 0.025
HEAP_RADIUS_M, HEAP_HEIGHT_M = 0.34, 0.23  # of all the sand
FUNNEL_RADIUS_M, FUNNEL_HEIGHT_M = 0.265, 0.38
SPOUT_M = TABLE_M + 0.31
THROAT_M = 0.018
START_SHARE, FULL_SHARE = 0.06, 0.97
RUN_S = 5.6


@dataclass(frozen=True)
class Sand:
    """How much sand has run through by when; none is lost."""

    pace: float

    def fallen(self, process_s: float) -> float:
        """Share of all the sand that lies on the heap."""
        run = (FULL_SHARE - START_SHARE) * max(process_s, 0.0) * self.pace / RUN_S
        return min(START_SHARE + run, FULL_SHARE)


class SandHeap(Process):
    """Scripted: equal volumes fall in equal times, so the heap's height grows with their cube root."""

    def __init__(self, words: Words, x: float, y: float, sand: Sand, props: Props, material: Material) -> None:
        self.words, self.props = words, props
        self.subject = "sand"
        self.bodies: Sequence[Body] = [
            Body(Part("sand", heap(), material), self.subject),
            Body(Part("sand in funnel", funnel_filling(), replace(material, glow=0.3)), self.subject),
            Body(Part("sand stream", cylinder(THROAT_M * 0.8, 1.0, around=14), material), self.subject),
        ]
        self._x, self._y, self._sand = x, y, sand

    def state(self, process_s: float) -> dict[str, float]:
        """Height of the heap (m), share of the sand on it, and whether sand still runs."""
        fallen = self._sand.fallen(process_s)
        return {
            "height_m": HEAP_HEIGHT_M * fallen ** (1 / 3),
            "fallen_share": fallen,
            "running": float(fallen < FULL_SHARE),
        }

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        state = self.state(process_s)
        foot = TABLE_M + TRAY_M
        left = (1 - state["fallen_share"]) ** (1 / 3)
        heaped = state["fallen_share"] ** (1 / 3)
        poses = {
            "sand": pose(self._x, self._y, foot) @ np.diag([heaped, heaped, heaped, 1.0]),
            "sand in funnel": pose(self._x, self._y, SPOUT_M) @ np.diag([left, left, left, 1.0]),
        }
        if state["running"]:
            low = foot + state["height_m"] - 0.02
            poses["sand stream"] = pose(self._x, self._y, low) @ np.diag([1.0, 1.0, SPOUT_M - low, 1.0])
        return poses


@process("sand", Traits("continuous process", moves=False, changes_in_place=True, rests=False))
def sand(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    x, y = rng.uniform(-0.46, -0.36), stage.room.eye[1] + AHEAD_M
    words = Words(
        subject=f"{word} sand in a glass funnel over a tray",
        setting=f"on a wooden table on the {stage.here}",
        action=f"{word} sand runs out of the funnel and heaps up on the tray",
        end="nearly all the sand lies in a high heap on the tray and the funnel is almost empty",
        is_ended="Does most of the sand lie in a heap under the funnel?",
        is_as_before="Is the funnel full of sand?",
    )
    solid = [
        *moved(wooden_table(rng, 1.7, 0.84, TABLE_M), pose(-0.05, y, 0)),
        *moved(tray(), pose(x, y, TABLE_M)),
        *moved(funnel_stand(rng), pose(x, y, TABLE_M)),
    ]
    wall = lathe([(THROAT_M, -0.02), (THROAT_M, 0.0), (FUNNEL_RADIUS_M + 0.03, FUNNEL_HEIGHT_M + 0.03)], around=64)
    walls = [Part("funnel", wall.at(x, y, SPOUT_M), Material())]
    material = Material(linear(stage.palette.subject.code), grains(rng), 0.25, glow=0.05)
    return SandHeap(words, x, y, Sand(rng.uniform(0.85, 1.15)), Props(solid, walls), material)


def grains(rng: np.random.Generator) -> Floats:
    """Grey multipliers: fine speckles, so that the hue stays one."""
    return light((0.72 + 0.5 * (noise(rng, 0.2) - 0.3))[..., None] * np.ones(3))


def heap() -> Mesh:
    """All the sand as a cone with a blunt tip, standing on z = 0."""
    share = np.linspace(0, 1, 14)
    heights = HEAP_HEIGHT_M * (1 - np.sqrt(share**2 + 0.01)) / (1 - 0.1)
    profile = [(float(r), float(max(z, 0.0))) for r, z in zip(share * HEAP_RADIUS_M + 1e-4, heights, strict=True)]
    return lathe([*reversed(profile)], around=48)


def funnel_filling() -> Mesh:
    """All the sand as it lies in the funnel, its tip at the origin."""
    inside = FUNNEL_RADIUS_M - 0.006
    return lathe([(1e-4, 0.0), (inside, FUNNEL_HEIGHT_M), (1e-4, FUNNEL_HEIGHT_M - 0.03)], around=48)


def tray() -> list[Part]:
    """A low round metal tray."""
    wide = HEAP_RADIUS_M + 0.02
    profile = [(1e-4, 0.0), (wide, 0.0), (wide + 0.02, 0.045), (wide + 0.012, 0.045), (wide - 0.006, TRAY_M)]
    dish = lathe([*profile, (1e-4, TRAY_M)], around=56, cut_m=0.06)
    return [Part("tray", dish, Material((0.45, 0.45, 0.44), shine=0.4, gloss=40))]


def funnel_stand(rng: np.random.Generator) -> list[Part]:
    """Two posts and a ring that carry the funnel, and the funnel's rims."""
    ring_radius, ring_z = FUNNEL_RADIUS_M + 0.035, SPOUT_M - TABLE_M + FUNNEL_HEIGHT_M
    reach = HEAP_RADIUS_M + 0.09
    posts = [box(0.045, 0.045, ring_z + 0.02).at(side * reach, 0, 0) for side in (-1, 1)]
    arms = [
        box(reach - ring_radius + 0.03, 0.03, 0.03).at(side * (reach + ring_radius) / 2, 0, ring_z - 0.02)
        for side in (-1, 1)
    ]
    feet = [box(0.06, 0.24, 0.03).at(side * reach, 0, 0) for side in (-1, 1)]
    rim = [(ring_radius, ring_z - 0.015), (ring_radius, ring_z + 0.02), (ring_radius - 0.012, ring_z + 0.02)]
    ring = lathe([*rim, (ring_radius - 0.012, ring_z - 0.015), (ring_radius, ring_z - 0.015)], around=56)
    low = SPOUT_M - TABLE_M
    collar = lathe([(THROAT_M + 0.002, low - 0.03), (THROAT_M + 0.01, low - 0.03), (THROAT_M + 0.012, low + 0.012)])
    metal = Material((0.42, 0.43, 0.44), shine=0.6, gloss=50)
    return [
        Part("funnel stand", merged([*posts, *arms, *feet]), lengthwise(rng, "#7d6248")),
        Part("funnel stand", merged([ring, collar]), metal),
    ]
