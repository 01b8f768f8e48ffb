"""A motor opens, or closes, the valve of a fountain: its jets rise, or sink, with the turning wheel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.machines import DARK, PAINT, STEEL
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, sphere, tilted, tube
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.surfaces import concrete
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process

CENTRE_X, AHEAD_M = -0.52, 2.9
BOWL_M, RIM_M, WATER_M = 0.5, 0.5, 0.455
JETS = 8
JET_M, MIDDLE_M, REACH_M = 0.68, 0.9, 0.41
JET_THICK_M = 0.021
VALVE_X, VALVE_M, WHEEL_M = 0.3, 0.72, 0.15
OPENS, CLOSES = (0.28, 1.0), (0.95, 0.0)  # the valve at start and end
CLOSED_M = 0.02
TURN_DEG = 720.0
OPEN_S = 5.2
TAIL = 0.015  # share of an arc that dips below the water


class Sprinkler(Process):
    """Scripted: all jets are parabolas of one launch angle, so height and reach grow alike with the valve."""

    def __init__(self, words: Words, y: float, pace: float, props: Props, colour: Material, closing: bool) -> None:
        self.words, self.props = words, props
        self.subject = "water"
        self._y, self._pace, self._closing = y, pace, closing
        arc = merged([jet_arc().moved(pose(0, 0, 0, 360 * (number + 0.5) / JETS)) for number in range(JETS)])
        self.bodies: Sequence[Body] = (
            Body(Part("water", cylinder(BOWL_M - 0.045, 0.02, around=48), colour), owner="water"),
            Body(Part("jets", arc, colour), owner="water"),
            Body(Part("middle jet", middle_jet(), colour), owner="water"),
            Body(Part("valve wheel", wheel(), PAINT), owner="valve"),
        )

    def state(self, process_s: float) -> dict[str, float]:
        """How far the valve is open (share), its angle (degrees) and the height of the middle jet (m)."""
        start, end = CLOSES if self._closing else OPENS
        opened = start + (end - start) * min(max(process_s, 0.0) * self._pace / OPEN_S, 1.0)
        return {"valve_open": opened, "valve_deg": opened * TURN_DEG, "jet_m": opened * MIDDLE_M}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        state = self.state(process_s)
        water = pose(CENTRE_X, self._y, WATER_M)
        poses = {
            "water": water @ pose(0, 0, -0.02),
            "valve wheel": pose(VALVE_X, self._y - 0.13, VALVE_M) @ tilted(state["valve_deg"], 1),
        }
        if state["jet_m"] > CLOSED_M:
            opened = state["valve_open"]
            poses["jets"] = water @ np.diag([opened, opened, opened, 1.0])
            poses["middle jet"] = water @ np.diag([0.5 + 0.5 * opened, 0.5 + 0.5 * opened, opened, 1.0])
        return poses


@process("sprinkler", Traits("causal change", moves=False, changes_in_place=True, opposite=True))
def sprinkler(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y, pace = stage.room.eye[1] + AHEAD_M, rng.uniform(0.85, 1.15)
    stone = Material(texture=concrete(rng, "#bdb6a8"), tile_m=0.9)
    solid = [Part("fountain", bowl().at(CENTRE_X, y, 0), stone), *moved(valve(), pose(VALVE_X, y, 0)), pipe(y)]
    colour = Material(linear(stage.palette.subject.code), shine=0.25, gloss=50, glow=0.12)
    return Sprinkler(told(stage, word), y, pace, Props(solid), colour, stage.opposite)


def told(stage: ProcessStage, word: str) -> Words:
    """The jets rise, or the other way round."""
    subject, setting = f"{word} water", f"in a stone fountain bowl on the {stage.here}"
    if stage.opposite:
        return Words(
            subject,
            setting,
            action=f"the jets of {word} water sink lower and lower",
            end="the jets have run dry and the water in the bowl is calm",
            is_ended="Is the water in the bowl calm?",
            is_as_before="Do tall jets of water rise from the bowl?",
            trigger="a motor turns the wheel of the valve and closes it",
        )
    return Words(
        subject,
        setting,
        action=f"the jets of {word} water rise higher and higher",
        end="tall jets of water rise from the bowl",
        is_ended="Do tall jets of water rise from the bowl?",
        is_as_before="Are the jets of water only small?",
        trigger="a motor turns the wheel of the valve and opens it",
    )


def jet_arc() -> Mesh:
    """A parabola from the origin to its reach along +x."""
    along = np.linspace(0, 1 + TAIL, 25)
    path = [(REACH_M * share, 0.0, 4 * JET_M * share * (1 - share)) for share in along]
    return tube(path, JET_THICK_M, around=8)


def middle_jet() -> Mesh:
    """An upright jet that frays into a round head."""
    column = lathe([(0.03, 0.0), (0.024, MIDDLE_M * 0.6), (0.04, MIDDLE_M * 0.9), (0.02, MIDDLE_M)], around=14)
    return merged([column, sphere(0.02, 10).at(0, 0, MIDDLE_M)])


def bowl() -> Mesh:
    """A wide bowl on a foot."""
    outer = [(1e-4, 0.0), (0.26, 0.0), (0.26, 0.05), (0.12, 0.1), (0.11, 0.2), (0.2, 0.29), (0.42, 0.36)]
    lip = [(BOWL_M, RIM_M - 0.06), (BOWL_M + 0.02, RIM_M), (BOWL_M - 0.04, RIM_M)]
    return lathe([*outer, *lip, (BOWL_M - 0.05, WATER_M - 0.06), (1e-4, WATER_M - 0.06)], around=48)


def pipe(y: float) -> Part:
    """From the valve down and along the floor to the foot of the bowl."""
    turns = np.linspace(0, np.pi / 2, 7)
    bend = [(VALVE_X - 0.1 + 0.1 * np.cos(turn), 0.0, 0.15 - 0.1 * np.sin(turn)) for turn in turns]
    path = [(VALVE_X, 0.0, VALVE_M), (VALVE_X, 0.0, 0.4), *bend, (CENTRE_X + 0.4, 0.0, 0.05), (CENTRE_X, 0.0, 0.05)]
    return Part("pipe", tube(path, 0.035).at(0, y, 0), STEEL)


def valve() -> list[Part]:
    """The valve's body on the pipe and the geared motor behind its wheel, on a stand of its own."""
    forward = tilted(90, 0)
    spindle = cylinder(0.02, 0.15, around=14).moved(forward).at(0, 0, VALVE_M)
    knot = merged(
        [sphere(0.07, 20).at(0, 0, VALVE_M), cylinder(0.05, 0.1, around=20).at(0, 0, VALVE_M - 0.15), spindle]
    )
    motor = merged(
        [
            box(0.16, 0.16, 0.18).at(0, 0.15, VALVE_M - 0.09),
            box(0.06, 0.06, VALVE_M).at(0, 0.15, 0),
            box(0.3, 0.3, 0.03).at(0, 0.1, 0),
        ]
    )
    return [Part("valve", knot, STEEL), Part("motor", motor, DARK)]


def wheel() -> Mesh:
    """A hand wheel of five spokes that faces the viewer, with one knob, so that its turning shows."""
    rim = lathe(
        [(WHEEL_M - 0.018, 0.0), (WHEEL_M, -0.012), (WHEEL_M + 0.012, 0.0), (WHEEL_M, 0.012), (WHEEL_M - 0.018, 0.0)]
    )
    spokes = [box(0.022, 0.016, WHEEL_M).moved(tilted(72 * number, 1)) for number in range(5)]
    knob = cylinder(0.024, 0.06, around=16).moved(tilted(90, 0)).at(0, 0, WHEEL_M)
    return merged([rim.moved(tilted(90, 0)), *spokes, cylinder(0.035, 0.03, around=18).moved(tilted(90, 0)), knob])
