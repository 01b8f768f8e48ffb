"""A ram flips a big switch, and the bulbs of a lamp light up, or go out, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import RGB, linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.machines import DARK, STEEL, ram_rod, ram_stand
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, sphere, tilted, tube
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Body, Process, Props, Stage, process
from lookaway.worlds.rendering.light import Lamp

AHEAD_M = 2.65
BULBS = 7
BULB_M, APART_M = 0.078, 0.172
RAIL_M = 0.86
RAIL_X = -0.7
SWITCH_X, SWITCH_M = 0.2, 0.84
LEVER_M, LEVER_DEG = 0.22, 32.0
RAM_X = 0.42
FLIP_S, LIGHT_S = 0.8, 5.2
SHARE_AT_START = 0.07
GLOWS = (0.0, 0.1, 0.22, 0.4, 0.65, 1.0)
UNLIT = 0.32  # brightness of the coloured glass of a dark bulb


class Switch(Process):
    """Scripted: the lever is thrown at once, the bulbs follow at an even pace."""

    def __init__(self, words: Words, y: float, pace: float, colour: RGB, props: Props, opposite: bool) -> None:
        self.words, self.props = words, props
        self.subject = "lamp"
        self.lamp = Lamp((RAIL_X, y + 0.2, RAIL_M + 0.5), shone(colour))
        self._y, self._pace, self._opposite = y, pace, opposite
        dark: RGB = (colour[0] * UNLIT, colour[1] * UNLIT, colour[2] * UNLIT)
        bulb = sphere(BULB_M, 24)
        self.bodies: Sequence[Body] = (
            Body(Part("lamp", rail(), Material(colour, shine=0.15)), owner="lamp"),
            *(
                Body(Part(bulb_name(number, level), bulb, glass(dark, colour, glow)), owner="lamp")
                for number in range(BULBS)
                for level, glow in enumerate(GLOWS)
            ),
            Body(Part("lever", lever(), DARK), owner="switch"),
            Body(Part("rod", ram_rod(fork()), STEEL), owner="ram"),
        )

    def state(self, process_s: float) -> dict[str, float]:
        """Share of the lamp that is lit, and whether the switch is on."""
        done = SHARE_AT_START + (1 - SHARE_AT_START) * min(max(process_s, 0.0) * self._pace / LIGHT_S, 1.0)
        return {"share_lit": 1 - done if self._opposite else done, "on": float(self._thrown(process_s) > 0.5)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        lean = LEVER_DEG * (1 - 2 * self._thrown(process_s))
        poses = {
            "lamp": pose(RAIL_X, self._y, RAIL_M),
            "lever": pose(SWITCH_X, self._y - 0.075, SWITCH_M) @ tilted(lean, 1),
            "rod": pose(SWITCH_X + LEVER_M * np.sin(np.deg2rad(lean)), self._y - 0.075, SWITCH_M + LEVER_M * 0.9),
        }
        lit = self.state(process_s)["share_lit"] * BULBS
        for number in range(BULBS):
            level = round(float(np.clip(lit - number, 0, 1)) * (len(GLOWS) - 1))
            poses[bulb_name(number, level)] = pose(bulb_x(number), self._y, RAIL_M + 0.1 + BULB_M)
        return poses

    def lamp_power(self, process_s: float) -> float:
        return self.state(process_s)["share_lit"]

    def _thrown(self, process_s: float) -> float:
        """How far the switch is on: 0 off, 1 on."""
        share = float(np.clip(0.12 + process_s / FLIP_S, 0, 1))
        return 1 - share if self._opposite else share


@process("switch", Traits("causal change", moves=False, changes_in_place=True, opposite=True, glows=True))
def switch(stage: Stage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y, pace = stage.room.eye[1] + AHEAD_M, rng.uniform(0.85, 1.15)
    timber = Material(texture=wood(rng, "#9c7a52"), tile_m=0.7, shine=0.05)
    solid = [
        Part("lamp stand", stands().at(RAIL_X, y, 0), timber),
        Part("cable", cable().at(0, y, 0), DARK),
        *moved(switch_box(timber), pose(SWITCH_X, y, 0)),
        *moved(ram_stand(SWITCH_M + LEVER_M * 0.9), pose(RAM_X, y - 0.075, SWITCH_M + LEVER_M * 0.9)),
    ]
    words = told(stage, word)
    return Switch(words, y, pace, linear(stage.palette.subject.code), Props(solid), stage.opposite)


def told(stage: Stage, word: str) -> Words:
    """The lamp goes on, or the other way round."""
    subject, setting = f"a lamp with a row of {word} bulbs", f"on a wooden stand on the {stage.here}"
    if stage.opposite:
        return Words(
            subject,
            setting,
            action=f"one after the other the {word} bulbs of the lamp go out",
            end="all bulbs of the lamp are dark",
            is_ended="Are all bulbs of the lamp dark?",
            is_as_before="Are nearly all bulbs of the lamp shining?",
            trigger="a metal rod flips the lever of the switch off",
        )
    return Words(
        subject,
        setting,
        action=f"one after the other the {word} bulbs of the lamp light up",
        end="all bulbs of the lamp are shining",
        is_ended="Are all bulbs of the lamp shining?",
        is_as_before="Are nearly all bulbs of the lamp dark?",
        trigger="a metal rod flips the lever of the switch on",
    )


def bulb_name(number: int, level: int) -> str:
    return f"bulb {number + 1} at brightness {level}"


def bulb_x(number: int) -> float:
    """The bulb next to the switch comes first."""
    return RAIL_X + APART_M * ((BULBS - 1) / 2 - number)


def glass(dark: RGB, colour: RGB, glow: float) -> Material:
    """Coloured glass, lit from within or dark."""
    return Material(colour if glow else dark, shine=0.35, gloss=60, glow=glow)


def shone(colour: RGB) -> RGB:
    """The light that the bulbs throw on the room: whitish, with a hint of their colour."""
    red, green, blue = (0.3 + 0.4 * value for value in colour)
    return red, green, blue


def rail() -> Mesh:
    """A beam with a socket for every bulb."""
    socket = lathe([(0.045, 0.0), (0.045, 0.02), (0.034, 0.03), (0.034, 0.11)], around=20)
    sockets = [socket.at(bulb_x(number) - RAIL_X, 0, 0) for number in range(BULBS)]
    return merged([box(APART_M * BULBS + 0.06, 0.12, 0.07).at(0, 0, -0.07), *sockets])


def stands() -> Mesh:
    """Two posts on cross feet under the beam."""
    posts = []
    for side in (-1, 1):
        place = side * (APART_M * BULBS / 2 - 0.08)
        posts += [box(0.07, 0.07, RAIL_M - 0.07).at(place, 0, 0), box(0.09, 0.5, 0.05).at(place, 0, 0)]
    posts.append(box(APART_M * BULBS - 0.2, 0.03, 0.06).at(0, 0, 0.22))
    return merged(posts)


def switch_box(timber: Material) -> list[Part]:
    """A wooden post with an iron box, on which the lever is hinged."""
    post = merged([box(0.09, 0.07, SWITCH_M + 0.06), box(0.4, 0.34, 0.035)])
    plate = box(0.22, 0.1, 0.2).at(0, 0, SWITCH_M - 0.1)
    boss = cylinder(0.045, 0.03, around=20).moved(tilted(90, 0)).at(0, -0.05, SWITCH_M)
    pale = Material(linear("#c9c6bd"), shine=0.15)
    return [Part("switch", post, timber), Part("switch", plate, pale), Part("switch", boss, STEEL)]


def cable() -> Mesh:
    """From the switch down and up again to the beam."""
    left, right = RAIL_X + APART_M * BULBS / 2, SWITCH_X - 0.1
    along = np.linspace(0, 1, 25)
    sag = 0.3 * 4 * along * (1 - along)
    level = SWITCH_M - 0.05 - sag
    return tube([(right + (left - right) * share, 0.0, z) for share, z in zip(along, level, strict=True)], 0.011)


def lever() -> Mesh:
    """Hinged at the origin, standing upright, with a ball on its end."""
    return merged([box(0.035, 0.022, LEVER_M + 0.03), sphere(0.04, 20).at(0, 0, LEVER_M + 0.05)])


def fork() -> Mesh:
    """Two prongs that hold the lever between them, so that the rod can push and pull it."""
    prongs = [box(0.016, 0.07, 0.05).at(side * 0.032, 0, -0.025) for side in (-1, 1)]
    bridge = [box(0.08, 0.012, 0.05).at(0, side * 0.035, -0.025) for side in (-1, 1)]
    return merged([*prongs, *bridge])
