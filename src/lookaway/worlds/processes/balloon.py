"""A pump blows up a balloon, which grows and lifts its carriage between two wires; or its gas is let out again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.machines import DARK, PAINT, STEEL
from lookaway.worlds.furniture.tables import table
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, sphere, tilted
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process

AHEAD_M = 2.5
TABLE_M = 0.42
FULL_RADIUS_M = 0.25
EMPTY_SHARE = 0.1
LOW_M, RISE_M = 0.1, 0.42
WIRE_X, WIRE_M = 0.36, 1.22
PUMP_X, PUMP_M = 0.68, 0.24
STROKE_M, STROKE_S = 0.13, 0.9
LASTS_S = 5.2
LEVER_S = 0.5
LONGER_BELOW = 1.2  # a balloon tapers towards its mouth


class Balloon(Process):
    """Scripted: the gas comes or goes at an even rate, and the lift of the gas raises the carriage."""

    def __init__(self, words: Words, place: FloatArray, pace: float, props: Props, colour: Material, emptied: bool):
        self.words, self.props = words, props
        self.subject = "balloon"
        self._place, self._pace, self._emptied = place, pace, emptied
        self.bodies: Sequence[Body] = (
            Body(Part("balloon", skin(), colour), owner="balloon"),
            Body(Part("carriage", carriage(), DARK), owner="carriage"),
            Body(Part("hose", cylinder(0.016, 1.0, around=14), STEEL), owner="carriage"),
            Body(Part("piston", piston(), STEEL), owner="pump"),
            Body(Part("valve lever", box(0.02, 0.02, 0.12), PAINT), owner="pump"),
        )

    def state(self, process_s: float) -> dict[str, float]:
        """Gas in the balloon as a share, its radius (m), and how far it has risen (m)."""
        done = float(np.clip(process_s * self._pace / LASTS_S, 0, 1))
        share = EMPTY_SHARE + (1 - EMPTY_SHARE) * (1 - done if self._emptied else done)
        return {"gas": share, "radius_m": FULL_RADIUS_M * share ** (1 / 3), "risen_m": RISE_M * share}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        state = self.state(process_s)
        neck, radius = LOW_M + state["risen_m"], state["radius_m"]
        local = {
            "balloon": pose(0, 0, neck + 0.03) @ np.diag([radius, radius, radius, 1.0]),
            "carriage": pose(0, 0, neck),
            "hose": pose(0, 0, 0.02) @ np.diag([1.0, 1.0, neck - 0.02, 1.0]),
            "piston": pose(PUMP_X, 0, PUMP_M + self._stroke(process_s)),
            "valve lever": pose(PUMP_X - 0.16, -0.06, 0.07) @ tilted(self._lever_deg(process_s), 1),
        }
        return {name: self._place @ transform for name, transform in local.items()}

    def _stroke(self, process_s: float) -> float:
        """The piston goes up and down while it pumps, and rests low otherwise."""
        pumping = 0.0 if self._emptied else min(max(process_s, 0.0) * self._pace, LASTS_S)
        phase = 2 * np.pi * (pumping / STROKE_S)
        return STROKE_M * float(0.5 - 0.5 * np.cos(phase))

    def _lever_deg(self, process_s: float) -> float:
        """Upright while the valve is shut, lying over when it is open."""
        return -70.0 * float(np.clip(0.3 + process_s / LEVER_S, 0, 1)) if self._emptied else 0.0


@process("balloon", Traits("causal change", moves=True, changes_in_place=True, opposite=True))
def balloon(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    place = pose(rng.uniform(-0.62, -0.54), stage.room.eye[1] + AHEAD_M, TABLE_M)
    timber = Material(texture=wood(rng, "#a98458").transpose(1, 0, 2).copy(), tile_m=0.9, shine=0.05)
    solid = [
        *moved(table(timber, 1.5, 0.5, TABLE_M), pose(float(place[0, 3]) + 0.2, float(place[1, 3]), 0)),
        *moved(frame_and_pump(), place),
    ]
    colour = Material(linear(stage.palette.subject.code), shine=0.35, gloss=50, glow=0.05)
    return Balloon(told(stage, word), place, rng.uniform(0.85, 1.15), Props(solid), colour, stage.opposite)


def told(stage: ProcessStage, word: str) -> Words:
    """Blown up, or the other way round."""
    subject, setting = f"a {word} balloon", f"between two upright wires on a table on the {stage.here}"
    if stage.opposite:
        return Words(
            subject,
            setting,
            action=f"the gas flows out and the {word} balloon shrinks and sinks between the wires",
            end="the balloon is small and has sunk to the bottom of the wires",
            is_ended="Is the balloon small and near the table?",
            is_as_before="Is the balloon large and high above the table?",
            trigger="the lever of the valve beside it tips over and opens the valve",
        )
    return Words(
        subject,
        setting,
        action=f"the {word} balloon swells and rises between the wires",
        end="the balloon is large and has risen to the upper part of the wires",
        is_ended="Is the balloon large and high above the table?",
        is_as_before="Is the balloon small and near the table?",
        trigger="the piston of the pump beside it goes up and down and presses gas into it",
    )


def skin() -> Mesh:
    """A balloon of radius 1 with its mouth at z = 0."""
    ball = sphere(1.0, 36)
    drawn = np.where(ball.points[:, 2:] < 0, LONGER_BELOW, 1.0) * [0.0, 0.0, 1.0] + [1.0, 1.0, 0.0]
    normals = ball.normals / drawn
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    bulb = Mesh(ball.points * drawn, normals, ball.uv, ball.faces).at(0, 0, LONGER_BELOW + 0.08)
    return merged([bulb, lathe([(0.14, 0.0), (0.07, 0.05), (0.16, 0.12)], around=24)])


def carriage() -> Mesh:
    """A bar with an eye round each wire and a nozzle in the middle."""
    eyes = [cylinder(0.026, 0.05, around=16).at(side * WIRE_X, 0, -0.02) for side in (-1, 1)]
    return merged([box(2 * WIRE_X, 0.03, 0.02), *eyes, cylinder(0.03, 0.05, around=16)])


def piston() -> Mesh:
    """A rod with a cross handle."""
    handle = cylinder(0.018, 0.24, around=14).moved(tilted(90, 1)).at(-0.12, 0, 0.16)
    return merged([cylinder(0.014, 0.36, around=14).at(0, 0, -0.2), handle])


def frame_and_pump() -> list[Part]:
    """Two wires between a sill and a lintel, and the pump with its pipe on the same table."""
    wires = [cylinder(0.007, WIRE_M, around=10).at(side * WIRE_X, 0, 0) for side in (-1, 1)]
    bars = [box(2 * WIRE_X + 0.12, 0.07, 0.04).at(0, 0, level) for level in (0.0, WIRE_M)]
    barrel = cylinder(0.065, PUMP_M, around=28).at(PUMP_X, 0, 0.02)
    caps = [cylinder(0.075, 0.025, around=28).at(PUMP_X, 0, level) for level in (0.0, PUMP_M)]
    pipe = cylinder(0.014, PUMP_X, around=14).moved(tilted(90, 1)).at(0, 0, 0.045)
    tap = merged([sphere(0.035, 16).at(PUMP_X - 0.16, 0, 0.045), box(0.03, 0.07, 0.03).at(PUMP_X - 0.16, -0.04, 0.05)])
    return [
        Part("wires", merged(wires), STEEL),
        Part("frame", merged(bars), DARK),
        Part("pump", barrel, PAINT),
        Part("pump", merged([*caps, pipe, tap]), DARK),
    ]
