"""A gripper carries a book over a table and pushes it into the gap of a row of books."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.carrying import Carried, CarryingPath
from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.facts import Traits, Words
from lookaway.worlds.furniture.gantry import Gantry
from lookaway.worlds.furniture.storage import BOOK_CODES
from lookaway.worlds.furniture.tables import table
from lookaway.worlds.mesh import Mesh, box, lathe, merged, pose
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.surfaces import wood
from lookaway.worlds.process import Process, ProcessStage, Props, process

AHEAD_M = 2.15
TABLE_M = 0.5
THICK_M, DEEP_M, TALL_M = 0.125, 0.26, 0.36
GAP_X, GAP_M = 0.42, 0.137
BOARD_M, END_M, RACK_HALF_M = 0.025, 0.3, 0.4
START_X, CLEAR_M = -0.68, 0.05
CARRY_S = 5.2


class IntoShelf(Carried):
    """The book on its way; it counts as in the shelf by how much of it is below the tops of its neighbours."""

    def state(self, process_s: float) -> dict[str, float]:
        """Way left to its place (m), and the share of the book that is in the gap."""
        x, z = self._way.at(process_s)
        below = TABLE_M + BOARD_M + TALL_M - z
        share = float(np.clip(below / TALL_M, 0, 1)) if x == GAP_X else 0.0
        return {"to_place_m": self._way.length - self._way.walked(process_s), "share_in_shelf": share}


@process("book", Traits("relational change", moves=True, changes_in_place=False))
def book(stage: ProcessStage) -> Process:
    rng, word = stage.rng, stage.palette.subject.word
    y = stage.room.eye[1] + AHEAD_M
    words = Words(
        subject=f"a thick {word} book",
        setting=f"upright in the gripper of a small gantry over a table on the {stage.here}",
        action=f"the gripper carries the {word} book over to a row of books on the {stage.there} with a gap in it",
        end="the book stands in the row of books, and the gap is closed",
        is_ended=f"Does the {word} book stand in the row of books?",
        is_as_before="Is there a gap in the row of books?",
    )
    gantry = Gantry(-1.0, 1.0, y, 1.52, THICK_M, jaw_m=0.05, jaw_depth_m=0.14)
    timber = Material(texture=wood(rng, "#a07a4e").transpose(1, 0, 2).copy(), tile_m=0.9, shine=0.05)
    solid = [
        *gantry.parts(),
        *moved(table(timber, 1.7, 0.5, TABLE_M), pose(0, y, 0)),
        *moved(rack(rng, stage.palette), pose(GAP_X, y, TABLE_M)),
    ]
    floor, over = TABLE_M + BOARD_M, TABLE_M + BOARD_M + TALL_M + CLEAR_M
    way = CarryingPath([(START_X, over), (GAP_X, over), (GAP_X, floor)], CARRY_S / rng.uniform(0.85, 1.15))
    return IntoShelf(words, volume(stage.palette), Props(solid), gantry, way, TALL_M + 0.01)


def volume(palette: Palette) -> list[Part]:
    """A big book, its rounded spine towards the viewer."""
    cover = Material(linear(palette.subject.code), shine=0.08)
    spine = lathe([(1e-4, 0.0), (THICK_M / 2, 0.0), (THICK_M / 2, TALL_M), (1e-4, TALL_M)], around=24)
    rounded = spine.moved(np.diag([1.0, 0.4, 1.0, 1.0])).at(0, -DEEP_M / 2 + 0.02, 0)
    covers = [box(0.012, DEEP_M, TALL_M).at(side * (THICK_M - 0.012) / 2, 0, 0) for side in (-1, 1)]
    pages = box(THICK_M - 0.024, DEEP_M - 0.03, TALL_M - 0.03).at(0, 0, 0.012)
    bands = [
        lathe([(THICK_M / 2 + 0.002, low), (THICK_M / 2 + 0.002, low + 0.012)], around=24)
        .moved(np.diag([1.0, 0.4, 1.0, 1.0]))
        .at(0, -DEEP_M / 2 + 0.0195, 0)
        for low in (0.05, 0.29)
    ]
    return [
        Part("carried book", merged([rounded, *covers]), cover),
        Part("pages", pages, Material(linear("#e6dfcf"))),
        Part("bands", merged(bands), Material(linear("#c9b070"), shine=0.3)),
    ]


def rack(rng: np.random.Generator, palette: Palette) -> list[Part]:
    """A low shelf without a top: a board, two ends, a back, and books on both sides of a gap about the origin."""
    wooden = Material(texture=wood(rng, "#6f5138"), tile_m=0.8, shine=0.05)
    frame = [box(2 * RACK_HALF_M, DEEP_M + 0.04, BOARD_M)]
    frame += [box(0.025, DEEP_M + 0.04, END_M).at(side * RACK_HALF_M, 0, 0) for side in (-1, 1)]
    parts = [Part("book rack", merged(frame), wooden)]
    colours = palette.allowed(BOOK_CODES)
    for side in (-1, 1):
        place = GAP_M / 2
        while place < RACK_HALF_M - 0.075:
            thick = min(rng.uniform(0.05, 0.075), RACK_HALF_M - 0.0125 - place)
            tall = TALL_M - rng.uniform(0.06, 0.11)
            spine = neighbour(thick - 0.003, tall).at(side * (place + thick / 2), rng.uniform(0, 0.02), BOARD_M)
            parts.append(Part("books in the rack", spine, Material(linear(colours[int(rng.integers(len(colours)))]))))
            place += thick
    return parts


def neighbour(thick: float, tall: float) -> Mesh:
    """A plain book."""
    return box(thick, DEEP_M - 0.04, tall)
