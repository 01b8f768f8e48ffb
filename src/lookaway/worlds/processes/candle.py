"""A thick candle burns down to a stub; then its flame goes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import wooden_table
from lookaway.worlds.mesh import Mesh, cylinder, lathe, merged, pose, sphere, tilted, tube
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.rendering.light import Lamp

AHEAD_M = 2.05
TABLE_M = 0.6
DISH_M = 0.03
RADIUS_M = 0.125
TALL_M, STUB_M = 0.5, 0.13
RIM_M = 0.03
WICK_M, FLAME_M = 0.045, 0.17
BURN_S = 5.6
FLICKERS_HZ = (2.3, 3.7)


class Candle(Process):
    """Scripted: the wax sinks evenly, the flame rides on it."""

    def __init__(self, words: Words, x: float, y: float, pace: float, props: Props, wax: Material) -> None:
        self.words, self.props = words, props
        self.subject = "candle"
        flame = Material((1.0, 0.5, 0.1), glow=2.0)
        looks = {
            "candle": (cylinder(RADIUS_M, 1.0, around=48), wax),
            "candle rim": (dripping_rim(), wax),
            "wick": (cylinder(0.007, WICK_M, around=10), Material(linear("#2b2724"))),
            "flame": (flame_drop(), flame),
        }
        self.bodies: Sequence[Body] = [Body(Part(name, *look), self.subject) for name, look in looks.items()]
        self.lamp = Lamp((x, y, TABLE_M + DISH_M + TALL_M / 2 + FLAME_M), (1.0, 0.66, 0.32))
        self._x, self._y, self._pace = x, y, pace

    def state(self, process_s: float) -> dict[str, float]:
        """Height of the wax (m), and whether the flame burns."""
        burned = min(max(process_s, 0.0) * self._pace / BURN_S, 1.0)
        return {"height_m": TALL_M + burned * (STUB_M - TALL_M), "burning": float(burned < 1)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        state = self.state(process_s)
        foot, rim = TABLE_M + DISH_M, state["height_m"] - RIM_M
        poses = {
            "candle": self._at(foot) @ np.diag([1.0, 1.0, rim, 1.0]),
            "candle rim": self._at(foot + rim),
            "wick": self._at(foot + rim),
        }
        if state["burning"]:
            slow, fast = (np.sin(2 * np.pi * rate * process_s) for rate in FLICKERS_HZ)
            flicker = np.diag([1 - 0.05 * slow, 1 - 0.05 * slow, 1 + 0.06 * slow + 0.04 * fast, 1.0])
            poses["flame"] = self._at(foot + rim + 0.4 * WICK_M) @ tilted(2.5 * fast, 1) @ flicker
        return poses

    def lamp_power(self, process_s: float) -> float:
        return self.state(process_s)["burning"]

    def _at(self, z: float) -> FloatArray:
        return pose(self._x, self._y, z)


@process("candle", Traits("continuous process", moves=False, changes_in_place=True, glows=True, rests=False))
def candle(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    x, y = rng.uniform(-0.48, -0.34), stage.room.eye[1] + AHEAD_M
    words = Words(
        subject=f"a thick {word} candle",
        setting=f"burning in a metal dish on a wooden table on the {stage.here}",
        action="the wax melts away under the flame and the candle grows shorter",
        end="the candle has burned down to a short stub",
        is_ended="Is the candle burned down to a short stub?",
        is_as_before="Is the candle about twice as tall as it is wide?",
    )
    solid = [
        *moved(wooden_table(rng, 1.5, 0.66, TABLE_M), pose(-0.12, y, 0)),
        *moved(candle_dish(), pose(x, y, TABLE_M)),
    ]
    wax = Material(linear(stage.palette.subject.code), shine=0.05, gloss=20, glow=0.06)
    return Candle(words, x, y, rng.uniform(0.85, 1.15), Props(solid), wax)


def dripping_rim() -> Mesh:
    """The upper edge of the wax around a hollow, with runs of wax down its side."""
    hollow = [(RADIUS_M - 0.02, RIM_M), (RADIUS_M - 0.045, RIM_M * 0.4), (1e-4, 0.0)]
    edge = lathe([(RADIUS_M, 0.0), (RADIUS_M, RIM_M * 0.8), (RADIUS_M - 0.008, RIM_M), *hollow], around=48)
    runs = []
    for turn_deg, length in ((-128, 0.07), (-96, 0.1), (-62, 0.05), (-30, 0.085), (160, 0.08)):
        drop = sphere(1.0, 16).moved(np.diag([0.013, 0.018, length / 2, 1.0]))
        runs.append(drop.at(RADIUS_M, 0, RIM_M - length / 2).moved(pose(0, 0, 0, turn_deg)))
    return merged([edge, *runs])


def flame_drop() -> Mesh:
    """A pointed drop of fire standing on z = 0."""
    share = np.linspace(0, 1, 15)
    widths = 0.036 * np.sin(np.pi * share**0.6) ** 0.9 + 1e-4
    profile = [(float(width), float(z)) for width, z in zip(widths, share * FLAME_M, strict=True)]
    return lathe(profile, around=20)


def candle_dish() -> list[Part]:
    """A shallow metal dish with a finger ring."""
    wide = RADIUS_M + 0.09
    profile = [(1e-4, 0.0), (wide - 0.04, 0.0), (wide, 0.045), (wide - 0.008, 0.047), (wide - 0.05, DISH_M - 0.012)]
    socket = [(RADIUS_M + 0.012, DISH_M - 0.012), (RADIUS_M + 0.012, 0.05), (RADIUS_M + 0.002, 0.05)]
    bowl = lathe([*profile, *socket, (RADIUS_M + 0.002, DISH_M), (1e-4, DISH_M)], around=48)
    turns = np.linspace(0, 2 * np.pi, 25)
    ring = tube([(wide + 0.042 + 0.045 * np.cos(turn), 0.0, 0.045 + 0.045 * np.sin(turn)) for turn in turns], 0.009)
    return [Part("candle dish", merged([bowl, ring]), Material((0.4, 0.36, 0.28), shine=0.6, gloss=40))]
