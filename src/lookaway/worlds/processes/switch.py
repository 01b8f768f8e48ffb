"""A ram flips a big switch, and the bulbs of a lamp light up, or go out, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats
from lookaway.worlds.colours import RGB, linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.machines import DARK, STEEL, lying, ram_rod
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, sphere, tilted, tube
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.rendering.atlas import SIDE
from lookaway.worlds.rendering.light import Lamp
from lookaway.worlds.rounded import curve, turned

AHEAD_M = 2.65
BULBS = 5
BULB_M, APART_M = 0.088, 0.25
RAIL_M, RAIL_X = 1.42, -0.68
SCREW_M, GLASS_M = 0.13, 0.185  # how far below the rail the screw base and the glass of a bulb start
SWITCH_X, SWITCH_M = 0.26, 0.88
LEVER_M, LEVER_DEG = 0.24, 32.0
FRONT_M = 0.1  # how far the lever stands before the middle of the switch
FLIP_S, LIGHT_S = 0.8, 5.2
SHARE_AT_START = 0.07
GLOWS = (0.0, 0.15, 0.3, 0.5, 0.75, 1.0)
UNLIT = 0.3  # brightness of the coloured glass of a dark bulb
FILAMENT: RGB = (1.0, 0.93, 0.75)
PALE = Material(linear("#d6d3ca"), shine=0.15)


class Switch(Process):
    """Scripted: the lever is thrown at once, the bulbs follow at an even pace."""

    def __init__(self, words: Words, y: float, pace: float, colour: RGB, props: Props, opposite: bool) -> None:
        self.words, self.props = words, props
        self.subject = "lamp"
        self.lamp = Lamp((RAIL_X, y + 0.2, RAIL_M + 0.5), shone(colour))
        self._y, self._pace, self._opposite = y, pace, opposite
        bulb, lights = pear(), [glass(colour, glow) for glow in GLOWS]
        self.bodies: Sequence[Body] = (
            Body(Part("lamp", rail(), Material(colour, shine=0.15)), owner="lamp"),
            Body(Part("screw bases", screw_bases(), STEEL), owner="lamp"),
            *(
                Body(Part(bulb_name(number, level), bulb, light), owner="lamp")
                for number in range(BULBS)
                for level, light in enumerate(lights)
            ),
            Body(Part("lever", lever(), DARK), owner="switch"),
            Body(Part("rod", ram_rod(loop()), STEEL), owner="ram"),
        )

    def state(self, process_s: float) -> dict[str, float]:
        """Share of the lamp that is lit, and whether the switch is on."""
        done = SHARE_AT_START + (1 - SHARE_AT_START) * min(max(process_s, 0.0) * self._pace / LIGHT_S, 1.0)
        return {"share_lit": 1 - done if self._opposite else done, "on": float(self._thrown(process_s) > 0.5)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        lean = LEVER_DEG * (1 - 2 * self._thrown(process_s))
        reach = LEVER_M * np.sin(np.deg2rad(lean))
        poses = {
            "lamp": pose(RAIL_X, self._y, RAIL_M),
            "screw bases": pose(RAIL_X, self._y, RAIL_M),
            "lever": pose(SWITCH_X, self._y - FRONT_M, SWITCH_M) @ tilted(lean, 1),
            "rod": pose(SWITCH_X + reach, self._y - FRONT_M, SWITCH_M + LEVER_M * 0.9),
        }
        lit = self.state(process_s)["share_lit"] * BULBS
        for number in range(BULBS):
            level = round(float(np.clip(lit - number, 0, 1)) * (len(GLOWS) - 1))
            poses[bulb_name(number, level)] = pose(bulb_x(number), self._y, RAIL_M - GLASS_M)
        return poses

    def lamp_power(self, process_s: float) -> float:
        return self.state(process_s)["share_lit"]

    def _thrown(self, process_s: float) -> float:
        """How far the switch is on: 0 off, 1 on."""
        share = float(np.clip(0.12 + process_s / FLIP_S, 0, 1))
        return 1 - share if self._opposite else share


@process("switch", Traits("causal change", moves=False, changes_in_place=True, opposite=True, glows=True))
def switch(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y, pace = stage.room.eye[1] + AHEAD_M, rng.uniform(0.85, 1.15)
    timber = Material(texture=wood(rng, "#9c7a52"), tile_m=0.7, shine=0.05)
    solid = [
        Part("lamp stand", stands().at(RAIL_X, y, 0), timber),
        Part("cable", cable().at(0, y, 0), DARK),
        *moved(switch_box(timber), pose(SWITCH_X, y, 0)),
        *moved(ram(), pose(SWITCH_X, y, SWITCH_M + LEVER_M * 0.9)),
    ]
    words = told(stage, word)
    return Switch(words, y, pace, linear(stage.palette.subject.code), Props(solid), stage.opposite)


def told(stage: ProcessStage, word: str) -> Words:
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


def glass(colour: RGB, glow: float) -> Material:
    """Coloured glass with a pale filament in it: dull when dark, whitish when lit from within."""
    share, white = UNLIT + (1 - UNLIT) * glow, 0.09 * glow
    red, green, blue = ((1 - white) * share * value + white for value in colour)
    return Material(texture=rolled_out((red, green, blue)), tile_m=2 * np.pi * BULB_M, shine=0.35, gloss=60, glow=glow)


def rolled_out(colour: RGB) -> Floats:
    """The glass of a bulb, once around, from its lowest point up; the filament is on the side of the viewer."""
    row, column = np.mgrid[:SIDE, :SIDE] / SIDE
    aside = np.abs(column - 0.75)
    stems = (np.abs(aside - 0.055) < 0.013) & (row > 0.27) & (row < 0.45)
    coil = (aside < 0.068) & (np.abs(row - 0.265 - 0.02 * np.cos(aside * 140)) < 0.016)
    return np.where((stems | coil)[..., None], FILAMENT, colour).astype(np.float32)


def shone(colour: RGB) -> RGB:
    """The light that the bulbs throw on the room: whitish, with a hint of their colour."""
    red, green, blue = (0.3 + 0.4 * value for value in colour)
    return red, green, blue


def pear() -> Mesh:
    """The glass of a bulb, hanging from the origin: a narrow neck that swells into a ball."""
    wide = BULB_M
    knots = [(1e-4, -2.3), (0.5, -2.16), (0.87, -1.8), (1.0, -1.3), (0.85, -0.8), (0.52, -0.35), (0.4, 0.0)]
    return turned(curve([(radius * wide, z * wide) for radius, z in knots], pieces=4))


def rail() -> Mesh:
    """A beam from which every bulb hangs under a shade."""
    shade = lathe([(0.105, -0.13), (0.1, -0.115), (0.035, -0.05), (0.02, -0.045), (0.02, 0.0)], around=28)
    under = lathe([(1e-4, -0.1), (0.105, -0.13)], around=28)
    lamps = [merged([shade, under]).at(bulb_x(number) - RAIL_X, 0, 0) for number in range(BULBS)]
    return merged([box(APART_M * BULBS + 0.06, 0.09, 0.06), *lamps])


def screw_bases() -> Mesh:
    """The threaded metal ends of the bulbs."""
    top, turns = -SCREW_M + 0.02, 3
    pitch = (GLASS_M - SCREW_M + 0.03) / turns
    thread = [(0.036 if step % 2 else 0.042, top - (2 * turns - step) * pitch / 2) for step in range(2 * turns + 1)]
    base = lathe([(1e-4, thread[0][1]), *thread], around=20)
    return merged([base.at(bulb_x(number) - RAIL_X, 0, 0) for number in range(BULBS)])


def stands() -> Mesh:
    """Two posts on cross feet under the ends of the beam."""
    posts = []
    for side in (-1, 1):
        place = side * (APART_M * BULBS / 2 + 0.005)
        posts += [box(0.05, 0.06, RAIL_M).at(place, 0, 0), box(0.07, 0.5, 0.05).at(place, 0, 0)]
    posts.append(box(APART_M * BULBS, 0.03, 0.06).at(0, 0, 0.22))
    return merged(posts)


def switch_box(timber: Material) -> list[Part]:
    """A wooden post with a big pale plate on which the lever is hinged; a bar marks on, a ring marks off."""
    post = merged([box(0.09, 0.07, SWITCH_M + 0.06), box(0.4, 0.34, 0.035)])
    plate = box(0.42, 0.1, 0.4).at(0, 0, SWITCH_M - 0.08)
    frame = box(0.46, 0.08, 0.44).at(0, 0.01, SWITCH_M - 0.1)
    boss = cylinder(0.055, 0.06, around=24).moved(tilted(90, 0)).at(0, -0.05, SWITCH_M)
    ring = lathe([(0.022, 0.0), (0.036, 0.0), (0.036, 0.006), (0.022, 0.006), (0.022, 0.0)], around=24)
    off = ring.moved(tilted(90, 0)).at(0.15, -0.05, SWITCH_M + 0.02)
    on = box(0.016, 0.012, 0.072).at(-0.15, -0.05, SWITCH_M - 0.016)
    return [
        Part("switch", post, timber),
        Part("switch", plate, PALE),
        Part("switch", merged([frame, off, on]), DARK),
        Part("switch", boss, STEEL),
    ]


def ram() -> list[Part]:
    """A slim housing on an arm of the switch; it pushes and pulls the rod at the height of the origin."""
    housing = lying(cylinder(0.03, 0.24, around=20)).at(0.47, -FRONT_M, 0)
    arm = box(0.16, 0.03, 0.03).at(0.27, -FRONT_M + 0.04, -0.015)
    return [Part("ram", merged([housing, arm]), DARK)]


def cable() -> Mesh:
    """From the switch down and up again to the beam."""
    left, right = RAIL_X + APART_M * BULBS / 2, SWITCH_X - 0.2
    along = np.linspace(0, 1, 25)
    level = SWITCH_M - 0.05 - 0.25 * 4 * along * (1 - along)
    return tube([(right + (left - right) * share, 0.0, z) for share, z in zip(along, level, strict=True)], 0.011)


def lever() -> Mesh:
    """Hinged at the origin, standing upright, with a ball on its end."""
    return merged([box(0.04, 0.024, LEVER_M + 0.03), sphere(0.052, 20).at(0, 0, LEVER_M + 0.06)])


def loop() -> Mesh:
    """An eye around the lever, so that the rod can push and pull it."""
    sides = [box(0.016, 0.06, 0.03).at(side * 0.036, 0, -0.015) for side in (-1, 1)]
    return merged([*sides, box(0.088, 0.012, 0.03).at(0, -0.03, -0.015)])
