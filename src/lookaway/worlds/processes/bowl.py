"""A bowl is swung over by an arm and set down upside down on the other side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.staging import wooden_table
from lookaway.worlds.mesh import Mesh, box, cylinder, merged, pose, tilted
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process
from lookaway.worlds.rounded import curve, turned

AHEAD_M, TABLE_M = 2.15, 0.6
RADIUS_M, HEIGHT_M, WALL_M = 0.2, 0.17, 0.012
ARM_M = 0.42  # from the axle to the bowl's middle
START_DEG, FLIP_S = 2.0, 5.2


class Bowl(Process):
    """Scripted: half a turn about an axle at half the bowl's height carries the bowl over and turns it."""

    def __init__(self, words: Words, props: Props, bodies: Sequence[Body], axle: FloatArray, rate: float) -> None:
        self.words, self.props, self.bodies = words, props, bodies
        self.subject = "bowl"
        self._axle, self._rate = axle, rate

    def state(self, process_s: float) -> dict[str, float]:
        """How far the bowl is turned over (degrees), and the share of the way across the table."""
        flipped = min(START_DEG + max(process_s, 0.0) * self._rate, 180.0)
        return {"flipped_deg": flipped, "carried": (1 - float(np.cos(np.deg2rad(flipped)))) / 2}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        swung = self._axle @ tilted(self.state(process_s)["flipped_deg"], 1)
        held = swung @ pose(-ARM_M, 0, -HEIGHT_M / 2)
        return {body.part.name: held if body.owner == "bowl" else swung for body in self.bodies}


@process("bowl", Traits("state transformation", moves=True, changes_in_place=True))
def bowl(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    words = Words(
        subject=f"a {word} bowl",
        setting=f"on a wooden table on the {stage.here}, held by a metal arm",
        action=f"the arm lifts the {word} bowl and swings it over towards the {stage.there}, turning it as it goes",
        end=f"the bowl lies upside down on the {stage.there} of the table",
        is_ended=f"Is the bowl upside down on the {stage.there} of the table?",
        is_as_before=f"Is the bowl standing the right way up on the {stage.here} of the table?",
    )
    x, y = rng.uniform(-0.06, 0.0), stage.room.eye[1] + AHEAD_M
    axle = pose(x, y, TABLE_M + HEIGHT_M / 2)
    glaze = Material(linear(stage.palette.subject.code), shine=0.3, gloss=60)
    steel = Material(linear("#8f9294"), shine=0.4)
    bodies = (
        Body(Part("bowl", shell(), glaze), "bowl"),
        Body(Part("arm", arm(), steel), "arm"),
    )
    solid = [
        *moved(wooden_table(rng, 1.5, 0.7, TABLE_M), pose(0, y, 0)),
        Part("bearing", bearing().at(x, y, TABLE_M), Material(linear("#4c4f52"), shine=0.2)),
    ]
    return Bowl(words, Props(solid), bodies, axle, (180 - START_DEG) / FLIP_S * rng.uniform(0.85, 1.15))


def shell() -> Mesh:
    """A round bowl on a low foot, open at the top."""
    outside = [(0.075, 0.0), (0.078, 0.012), (0.13, 0.035), (0.178, 0.09), (RADIUS_M, HEIGHT_M - 0.006)]
    lip = [(RADIUS_M, HEIGHT_M - 0.006), (RADIUS_M - WALL_M / 2, HEIGHT_M), (RADIUS_M - WALL_M, HEIGHT_M - 0.006)]
    inside = [(RADIUS_M - WALL_M, HEIGHT_M - 0.006), (0.164, 0.095), (0.12, 0.048), (0.06, 0.03), (1e-4, 0.028)]
    foot = turned([(1e-4, 0.004), (0.07, 0.004), (0.075, 0.0)], 48)
    return merged([foot, *(turned(curve(line, 5), 48) for line in (outside, lip, inside))])


def arm() -> Mesh:
    """A flat bar from the axle to the bowl's wall, with a clamp at its end and a short counterweight."""
    reach = ARM_M - RADIUS_M
    bar = box(reach + 0.09, 0.03, 0.02).at(-reach / 2 + 0.03, 0, -0.01)
    clamp = merged(
        [box(0.02, 0.1, 0.05).at(-reach - 0.008, 0, -0.025), box(0.05, 0.05, 0.04).at(-reach + 0.02, 0, -0.02)]
    )
    hub = cylinder(0.035, 0.12, around=24).moved(pose(0, 0.06, 0) @ tilted(90, 0))
    weight = cylinder(0.032, 0.05, around=20).moved(pose(0.05, 0, 0) @ tilted(90, 1))
    return merged([bar, clamp, hub, weight])


def bearing() -> Mesh:
    """Two cheeks that carry the axle."""
    cheeks = [box(0.09, 0.02, HEIGHT_M / 2 + 0.045).at(0, side * 0.08, 0) for side in (-1, 1)]
    return merged([*cheeks, box(0.14, 0.22, 0.016)])
