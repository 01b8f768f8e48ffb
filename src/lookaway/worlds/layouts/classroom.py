"""A classroom: a writing board, desks, a globe, a map, a filing cabinet, a projection screen."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.furniture.lamps import ceiling_lamp
from lookaway.worlds.furniture.on_walls import clock, door, poster, window
from lookaway.worlds.furniture.school import (
    computer,
    filing_cabinet,
    flask_shelf,
    globe,
    pull_down_screen,
    school_chair,
    school_desk,
    writing_board,
)
from lookaway.worlds.furniture.standing import plant
from lookaway.worlds.furniture.storage import TIN_CODES, bookshelf
from lookaway.worlds.mesh import pose
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.pictures import calendar, window_view
from lookaway.worlds.patterns.school import chalked, diagram, noticeboard, world_map
from lookaway.worlds.patterns.surfaces import parquet, plaster, tiles, wood
from lookaway.worlds.patterns.walls import ceiling_panels, panelled
from lookaway.worlds.rendering.light import Light
from lookaway.worlds.room import Room, layout
from lookaway.worlds.shell import Shell, Wall, told_apart

SHELL = Shell(half_width=3.3, near=-5.0, far=2.4, height=2.9, cut_m=0.1)
WALLS = ("#d2cbb8", "#c3cac4", "#cbbfae", "#c6c9cf", "#d4c8a8")
WOODS = ("#c29a68", "#b08a5c", "#d0b48a", "#9a7448")
METALS = ("#7d858a", "#8a8577", "#6f7a72", "#a59a84")
BOARDS = (("#2f4a3c", "#e6e6da"), ("#35383b", "#e6e3d6"), ("#e4e4de", "#3a4048"))  # board and writing


@layout("classroom", "indoor")
def classroom(rng: np.random.Generator, palette: Palette) -> Room:
    timber = palette.choose(rng, WOODS)
    floor_word, floor = floor_covering(rng, palette)
    code = palette.choose(rng, WALLS)
    painted = Material(texture=plaster(rng, code), tile_m=1.8)
    boarded = Material(texture=panelled(rng, code), tile_m=1.5)
    walls: dict[Wall, Material] = {"far": painted, "left": boarded, "right": painted, "near": boarded}
    ceiling = Material(texture=ceiling_panels(rng, "#dcdad2"), tile_m=1.2)
    light = strip_light(rng)
    groups = [
        SHELL.parts(floor, walls, ceiling, Material(linear("#8f8779"))),
        *far_side(rng, palette, timber),
        *other_sides(rng, palette, timber),
        ceiling_lamp(light, SHELL.height),
    ]
    return Room(
        description=f"a classroom with {floor_word}, a writing board, desks, a globe, a map and a filing cabinet",
        parts=told_apart(groups),
        light=light,
        eye=(0.0, -2.5, 1.34),
        pitch_deg=-8.3,
    )


def floor_covering(rng: np.random.Generator, palette: Palette) -> tuple[str, Material]:
    """Words for the floor, and its material."""
    if rng.random() < 0.5:
        return "a parquet floor", Material(texture=parquet(rng, palette.choose(rng, WOODS)), tile_m=1.6, shine=0.05)
    dull = palette.choose(rng, ("#8f9a98", "#9a8f80", "#8b8f96"))
    return "a tiled floor", Material(texture=tiles(rng, "#b5b0a4", dull), tile_m=1.6, shine=0.05)


def far_side(rng: np.random.Generator, palette: Palette, timber: str) -> list[list[Part]]:
    """Board, map, cabinet and shelf in random order along the wall one sees first."""
    allowed = [pair for pair in BOARDS if palette.allows(pair[0])]
    board, writing = allowed[int(rng.integers(len(allowed)))]
    top = Material(texture=wood(rng, timber).transpose(1, 0, 2).copy(), tile_m=0.9, shine=0.06)
    metal = palette.choose(rng, METALS)
    groups = [
        [
            *writing_board(chalked(rng, board, writing), 1.9, 1.05, 0.95, timber),
            *moved(school_chair(top), pose(0.55, -0.15, 0, rng.uniform(-15, 15))),
        ],
        [
            *poster("map", world_map(rng, palette), 1.25, 0.85, 1.15),
            *school_desk(top),
            *moved(computer(diagram(rng)), pose(-0.2, -0.35, 0.75)),
        ],
        [*filing_cabinet(metal), *moved(globe(world_map(rng, palette)), pose(0, -0.28, 1.02))],
        bookshelf(rng, palette, timber),
    ]
    return SHELL.side_by_side(rng, list(zip((2.0, 1.35, 0.6, 1.05), groups, strict=True)), margin=0.15)


def other_sides(rng: np.random.Generator, palette: Palette, timber: str) -> list[list[Part]]:
    """Six groups shared out at random over both side walls; three more behind the eye."""
    top = Material(texture=wood(rng, timber).transpose(1, 0, 2).copy(), tile_m=0.9, shine=0.06)
    metal, pot = palette.choose(rng, METALS), palette.choose(rng, ("#a8694c", "#8b8a86", "#c9bfae"))
    panes = window(window_view(rng, palette), "#d8d6cf", 1.2, 1.15, 1.0)
    seated = [*school_desk(top), *moved(school_chair(top), pose(0, -1.05, 0, 180))]
    groups = [
        [*panes, *seated],
        [*panes, *moved(plant(rng, palette, pot), pose(0.2, 0, 0))],
        [
            *poster("noticeboard", noticeboard(rng, palette), 1.3, 0.95, 1.05),
            *moved(school_chair(top), pose(0.3, -0.1, 0)),
        ],
        [*pull_down_screen(diagram(rng), 1.25, 1.15), *moved(school_chair(top), pose(-0.2, -0.15, 0))],
        [*filing_cabinet(metal), *moved(flask_shelf(rng, palette.allowed(TIN_CODES)), pose(0, 0, 1.55))],
        [
            *seated,
            *moved(computer(diagram(rng)), pose(0.25, -0.35, 0.75)),
            *moved(clock(1.7, "#3a3b3d"), pose(0, 0, 0)),
        ],
    ]
    behind = [
        [*poster("map", world_map(rng, palette), 1.3, 0.9, 1.1), *seated],
        door(wood(rng, "#ffffff"), palette.choose(rng, ("#a5835f", "#98a1a5", "#b3a78f")), knob_side=1),
        [*bookshelf(rng, palette, timber), *moved(poster("calendar", calendar(), 0.46, 0.62, 1.2), pose(0.85, 0, 0))],
    ]
    return [
        *SHELL.on_both_sides(rng, groups, (0.6, -1.3, -3.6)),
        *SHELL.spread(rng, behind, "near", (-2.0, 0.0, 2.0)),
    ]


def strip_light(rng: np.random.Generator) -> Light:
    """A long flat lamp, neutral to cool."""
    coolness, power = rng.uniform(0, 1), rng.uniform(6.6, 7.6)
    return Light(
        centre=(rng.uniform(-0.7, 0.7), rng.uniform(-1.0, -0.2), SHELL.height - 0.1),
        radii=(0.62, 0.16),
        colour=(power * (1 - 0.05 * coolness), power * 0.97, power * (0.92 + 0.06 * coolness)),
        ambient=(0.48, 0.485, 0.49),
    )
