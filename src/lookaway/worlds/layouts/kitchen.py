"""A kitchen: cupboards, a stove, a fridge, wall tiles, hanging pans, a laid table."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.furniture.kitchen import (
    base_cupboards,
    cooker_hood,
    crockery_shelf,
    fridge,
    hanging_pans,
    set_table,
    sink,
    stove,
    wall_cupboards,
)
from lookaway.worlds.furniture.lamps import ceiling_lamp, ceiling_light
from lookaway.worlds.furniture.on_walls import clock, curtains, door, picture, poster, window
from lookaway.worlds.furniture.seating import chair
from lookaway.worlds.furniture.standing import plant
from lookaway.worlds.furniture.tables import table
from lookaway.worlds.mesh import pose
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.pictures import calendar, landscape, window_view
from lookaway.worlds.patterns.surfaces import concrete, planks, tiles, wallpaper, wood, woven
from lookaway.worlds.patterns.walls import wall_tiles
from lookaway.worlds.room import Room, layout
from lookaway.worlds.shell import Shell, Wall, told_apart

SHELL = Shell(half_width=3.0, near=-4.7, far=2.35, height=2.6, cut_m=0.1)
WALLS = ("#d9cdb4", "#c3c8b2", "#cdb8ac", "#c6ccd0", "#d2c9a8")
FRONTS = ("#8c9a8a", "#7f8f99", "#b79a72", "#d4cdbd", "#9a7a5c", "#a5918c")
TILES = ("#dcd8cc", "#c9d0cc", "#d6c7ae", "#c4c9d2")
ACCENTS = ("#7d8f84", "#8a6f5a", "#6f7f92", "#a5804c")
WOODS = ("#a9764a", "#8a5c3a", "#c29a68")
WHITES = ("#d6d4cc", "#b9bdbd", "#d8cdb0")
FRUITS = ("#d9a03c", "#c9c04c", "#c4583c", "#b8763c")


@layout("kitchen", "indoor")
def kitchen(rng: np.random.Generator, palette: Palette) -> Room:
    timber = palette.choose(rng, WOODS)
    floor_word, floor = floor_covering(rng, palette)
    tiled = Material(
        texture=wall_tiles(rng, palette.choose(rng, TILES), palette.choose(rng, ACCENTS)), tile_m=1.2, shine=0.06
    )
    papered = Material(texture=wallpaper(rng, palette.choose(rng, WALLS), palette.choose(rng, ACCENTS)), tile_m=1.2)
    walls: dict[Wall, Material] = {"far": tiled, "left": papered, "right": tiled, "near": papered}
    ceiling = Material(texture=planks(rng, "#cdc4b2"), tile_m=2.2)
    light = ceiling_light(rng, SHELL.height)
    groups = [
        SHELL.parts(floor, walls, ceiling, Material(linear("#c9c2b2"))),
        *far_side(rng, palette, timber),
        *other_sides(rng, palette, timber),
        ceiling_lamp(light, SHELL.height),
    ]
    return Room(
        description=f"a kitchen with {floor_word}, wall tiles, cupboards, a stove, a fridge and hanging pans",
        parts=told_apart(groups),
        light=light,
        eye=(0.0, -2.5, 1.32),
        pitch_deg=-8.0,
    )


def floor_covering(rng: np.random.Generator, palette: Palette) -> tuple[str, Material]:
    """Words for the floor, and its material."""
    match rng.integers(3):
        case 0:
            pair = (palette.choose(rng, ("#cbc3b3", "#c9c9c4")), palette.choose(rng, ("#77726a", "#8a6f5a", "#6d7a80")))
            return "a chequered floor", Material(texture=tiles(rng, *pair), tile_m=1.7, shine=0.06)
        case 1:
            return "a plank floor", Material(texture=planks(rng, palette.choose(rng, WOODS)), tile_m=1.5, shine=0.04)
        case _:
            return "a stone floor", Material(texture=concrete(rng, "#b8ae9d"), tile_m=0.8)


def far_side(rng: np.random.Generator, palette: Palette, timber: str) -> list[list[Part]]:
    """Four groups in random order along the wall one sees first."""
    front = Material(linear(palette.choose(rng, FRONTS)), wood(rng, "#ffffff"), 0.9, shine=0.05)
    worktop = Material(texture=wood(rng, timber).transpose(1, 0, 2).copy(), tile_m=0.9, shine=0.06)
    copper = palette.choose(rng, ("#b0704a", "#a8a8a4"))
    pot = palette.choose(rng, ("#8a4a3c", "#5f6f7a", "#b08a4c"))
    groups = [
        [*base_cupboards(front, worktop, 3), *sink(), *wall_cupboards(front, 3)],
        [*base_cupboards(front, worktop, 3), *hanging_pans(copper, 1.86)],
        [*stove(palette.choose(rng, WHITES), pot), *cooker_hood("#a9abad")],
        [*fridge(palette.choose(rng, WHITES))],
    ]
    return SHELL.side_by_side(rng, list(zip((1.5, 1.5, 0.74, 0.74), groups, strict=True)), margin=0.15)


def other_sides(rng: np.random.Generator, palette: Palette, timber: str) -> list[list[Part]]:
    """Six groups shared out at random over both side walls; three more behind the eye."""
    wooden = Material(texture=wood(rng, timber).transpose(1, 0, 2).copy(), tile_m=0.9, shine=0.05)
    front = Material(linear(palette.choose(rng, FRONTS)), wood(rng, "#ffffff"), 0.9, shine=0.05)
    cloth = woven(rng, palette.choose(rng, ("#b9ab92", "#9aa0a3", "#a3917f", "#b08f5c")))
    fruits = [palette.choose(rng, FRUITS) for _ in range(3)]
    laid = set_table(table(wooden, 1.1, 0.7, 0.74), 0.74, palette.choose(rng, ("#d8d2c4", "#8fa0a8")), fruits)
    glazed = [*window(window_view(rng, palette), "#d8d2c4", 1.0, 0.86, 1.12), *curtains(cloth, 1.6, 2.1, 0.55)]
    frame = palette.choose(rng, ("#4a3a2c", "#8a6a48", "#2f2f30"))
    pot = palette.choose(rng, ("#a8694c", "#8b8a86", "#c9bfae"))
    groups = [
        [*moved(laid, pose(0, -0.42, 0)), *glazed],
        [*base_cupboards(front, wooden, 2), *crockery_shelf(rng, palette, timber, 1.3)],
        [*moved(plant(rng, palette, pot), pose(-0.2, 0, 0)), *moved(clock(1.6, frame), pose(0.3, 0, 0))],
        [*moved(chair(wooden), pose(-0.2, -0.1, 0)), *picture(landscape(rng, palette), 0.6, 0.45, 1.3, frame)],
        [*base_cupboards(front, wooden, 2), *wall_cupboards(front, 2)],
        [*crockery_shelf(rng, palette, timber, 1.2), *moved(chair(wooden), pose(0.1, -0.1, 0))],
    ]
    behind = [
        [
            *moved(chair(wooden), pose(0.5, -0.2, 0, 20)),
            *moved(poster("calendar", calendar(), 0.5, 0.66, 1.2), pose(-0.2, 0, 0)),
        ],
        [*crockery_shelf(rng, palette, timber, 1.15), *base_cupboards(front, wooden, 2)],
        door(wood(rng, "#ffffff"), palette.choose(rng, ("#d6cfbf", "#a5835f", "#aab2b3")), knob_side=1),
    ]
    return [
        *SHELL.on_both_sides(rng, groups, (0.55, -1.2, -3.4)),
        *SHELL.spread(rng, behind, "near", (-1.9, 0.0, 1.9)),
    ]
