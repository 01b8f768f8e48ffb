"""Rings wait on a tall post, held by forks; one after the other is let go, slides down and lands on the stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.machines import DARK, STEEL
from lookaway.worlds.furniture.tables import table
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, sphere
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Body, Process, ProcessStage, Props, process

AHEAD_M = 2.2
TABLE_M = 0.5
POST_M, POST_THICK_M = 1.06, 0.022
BASE_M, BASE_RADIUS_M = 0.03, 0.2
RINGS, RING_M = 5, 0.072
RADII_M = (0.185, 0.168, 0.151, 0.134, 0.117)
WAITS_AT_M, WAIT_APART_M = 0.54, 0.1
RACK_X = 0.34
DRAWN_M, DRAW_S = 0.2, 0.35
SLIDE_S = 5.2
HEAD_START_M = 0.06
SHADES = (1.0, 0.72)


class Rings(Process):
    """Scripted: a snug bore brakes every ring to one even pace, and each sets out when the one before has landed."""

    def __init__(self, words: Words, place: FloatArray, pace: float, props: Props, colours: Sequence[Material]) -> None:
        self.words, self.props = words, props
        self.subject = "rings"
        self._place = place
        self._speed = (sum(drop(number) for number in range(RINGS)) - HEAD_START_M) / SLIDE_S * pace
        self.bodies: Sequence[Body] = (
            *(
                Body(Part(ring_name(number), ring(radius), colours[number % len(colours)]), owner="rings")
                for number, radius in enumerate(RADII_M)
            ),
            *(Body(Part(fork_name(number), fork(), STEEL), owner="rack") for number in range(RINGS)),
        )

    def state(self, process_s: float) -> dict[str, float]:
        """Rings on the stack, height of the stack (m) and metres that all rings together have slid."""
        slid = [self._slid(number, process_s) for number in range(RINGS)]
        landed = sum(way >= drop(number) for number, way in enumerate(slid))
        return {"stacked": float(landed), "stack_m": landed * RING_M, "slid_m": sum(slid)}

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        poses = {}
        for number in range(RINGS):
            slid = self._slid(number, process_s)
            poses[ring_name(number)] = self._place @ pose(0, 0, waits_at(number) - slid)
            sets_out = self._sets_out(number)
            drawn = DRAWN_M * float(np.clip((process_s - sets_out) / DRAW_S + 1, 0, 1))
            poses[fork_name(number)] = self._place @ pose(drawn, 0, waits_at(number))
        return poses

    def _sets_out(self, number: int) -> float:
        return (sum(drop(before) for before in range(number)) - HEAD_START_M) / self._speed

    def _slid(self, number: int, process_s: float) -> float:
        return float(np.clip((max(process_s, 0.0) - self._sets_out(number)) * self._speed, 0, drop(number)))


@process("rings", Traits("relational change", moves=True, changes_in_place=False))
def rings(stage: ProcessStage) -> Process:
    rng, palette = stage.rng, stage.palette
    place = pose(rng.uniform(-0.52, -0.42), stage.room.eye[1] + AHEAD_M, TABLE_M)
    word = palette.subject.word
    words = Words(
        subject=f"a set of five {word} rings",
        setting=f"held high up on the post of a stacking toy on a table on the {stage.here}",
        action=f"one after the other the {word} rings slide down the post",
        end="all five rings lie on one another at the foot of the post",
        is_ended="Do all five rings lie stacked at the foot of the post?",
        is_as_before="Are the rings still high up on the post?",
    )
    timber = Material(texture=wood(rng, "#a07a4e").transpose(1, 0, 2).copy(), tile_m=0.9, shine=0.05)
    pale = Material(linear("#dccfb4"), wood(rng, "#ffffff"), 0.5, shine=0.05)
    solid = [
        *moved(table(timber, 1.2, 0.5, TABLE_M), pose(-0.12, float(place[1, 3]), 0)),
        Part("post", post().moved(place), pale),
        Part("rack", rack().moved(place), DARK),
    ]
    red, green, blue = linear(palette.subject.code)
    colours = [Material((red * shade, green * shade, blue * shade), shine=0.25, gloss=40) for shade in SHADES]
    return Rings(words, place, rng.uniform(0.85, 1.15), Props(solid), colours)


def ring_name(number: int) -> str:
    """From the lowest up; the first bears the subject's name."""
    return "rings" if number == 0 else f"ring {number + 1}"


def fork_name(number: int) -> str:
    return f"fork {number + 1}"


def waits_at(number: int) -> float:
    """Height of the waiting ring's underside above the table."""
    return WAITS_AT_M + WAIT_APART_M * number


def drop(number: int) -> float:
    """Metres from where the ring waits to where it lies."""
    return waits_at(number) - BASE_M - RING_M * number


def ring(radius: float) -> Mesh:
    """A thick ring with rounded edges, lying on z = 0."""
    thick, bore = RING_M, POST_THICK_M + 0.004
    edge = 0.022
    profile = [(bore, thick / 2), (bore, 0.004), (radius - edge, 0.0), (radius - edge / 3, edge / 3), (radius, edge)]
    profile += [(radius, thick - edge), (radius - edge / 3, thick - edge / 3), (radius - edge, thick)]
    return lathe([*profile, (bore, thick - 0.004), (bore, thick / 2)], around=40)


def post() -> Mesh:
    """A round foot, a tall post and a ball on top."""
    foot = cylinder(BASE_RADIUS_M, BASE_M, around=40)
    shaft = cylinder(POST_THICK_M, POST_M, around=20)
    return merged([foot, shaft, sphere(0.04, 20).at(0, 0, POST_M)])


def rack() -> Mesh:
    """The column beside the post in which the forks slide, and the arm that steadies the post."""
    column = box(0.07, 0.1, POST_M + 0.03).at(RACK_X, 0, 0)
    foot = box(0.2, 0.26, 0.025).at(RACK_X, 0, 0)
    guides = [box(0.11, 0.13, 0.03).at(RACK_X, 0, waits_at(number) - 0.023) for number in range(RINGS)]
    return merged([column, foot, *guides])


def fork() -> Mesh:
    """Two prongs on both sides of the post just below z = 0, reaching to the column."""
    prongs = [box(RACK_X + 0.1, 0.016, 0.014).at((RACK_X - 0.04) / 2, side * 0.045, -0.015) for side in (-1, 1)]
    return merged([*prongs, box(0.03, 0.106, 0.02).at(RACK_X + 0.05, 0, -0.018)])
