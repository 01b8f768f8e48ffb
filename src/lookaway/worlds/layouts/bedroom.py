"""A child's bedroom: a bed, a wardrobe, toys on shelves, a rug, bunting on the wall."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.furniture.bedroom import TOY_CODES, bed, bedside_table, bunting, pouffe, rug, toy_shelf, wardrobe
from lookaway.worlds.furniture.lamps import ceiling_lamp, ceiling_light
from lookaway.worlds.furniture.on_walls import clock, curtains, door, picture, poster, window
from lookaway.worlds.furniture.seating import chair
from lookaway.worlds.furniture.standing import floor_lamp, plant
from lookaway.worlds.furniture.storage import bookshelf, dresser
from lookaway.worlds.furniture.tables import table
from lookaway.worlds.mesh import pose
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.pictures import abstract, landscape, window_view
from lookaway.worlds.patterns.surfaces import carpet, planks, wallpaper, wood, woven
from lookaway.worlds.patterns.textiles import quilt, rug_pattern
from lookaway.worlds.patterns.walls import dotted, panelled
from lookaway.worlds.room import Room, layout
from lookaway.worlds.shell import Shell, Wall, shuffled, told_apart

SHELL = Shell(half_width=3.0, near=-4.8, far=2.35, height=2.6, cut_m=0.1)
WALLS = ("#c6ccd0", "#d9cdb4", "#cdbcb4", "#c3c8b2", "#cfc6d2", "#d8d0b0")
MOTIFS = ("#e9e2d0", "#8fa0a8", "#b08f7c", "#98a084", "#c9a85c", "#a08fb0")
WOODS = ("#c29a68", "#a9764a", "#d0b48a", "#8a5c3a")
PAINTED = ("#d8d2c4", "#b7c2c4", "#c9b79a", "#b5bda8", "#c4aaa4")
CLOTHS = ("#8fa0b0", "#b39a7c", "#a5848c", "#8f9a7c", "#c2ab74", "#9a8fae", "#7f8c90")
CARPETS = ("#a59a88", "#8f979d", "#a08f86", "#8f957f", "#b3a68c")


@layout("bedroom", "indoor")
def bedroom(rng: np.random.Generator, palette: Palette) -> Room:
    floor_word, floor = floor_covering(rng, palette)
    code = palette.choose(rng, WALLS)
    starry = Material(texture=dotted(rng, code, palette.choose(rng, MOTIFS)), tile_m=1.3)
    striped = Material(texture=wallpaper(rng, code, palette.choose(rng, MOTIFS)), tile_m=1.2)
    walls: dict[Wall, Material] = {"far": starry, "left": striped, "right": starry, "near": striped}
    ceiling = Material(texture=panelled(rng, "#e6e2d8"), tile_m=2.0)
    timber = Material(texture=wood(rng, palette.choose(rng, WOODS)), tile_m=0.9, shine=0.04)
    light = ceiling_light(rng, SHELL.height)
    groups = [
        SHELL.parts(floor, walls, ceiling, Material(linear("#d8d2c4"))),
        *far_side(rng, palette, timber),
        *other_sides(rng, palette, timber),
        ceiling_lamp(light, SHELL.height),
    ]
    return Room(
        description=f"a child's bedroom with {floor_word}, patterned wallpaper, a bed, a wardrobe and toys on a shelf",
        parts=told_apart(groups),
        light=light,
        eye=(0.0, -2.5, 1.28),
        pitch_deg=-8.0,
    )


def floor_covering(rng: np.random.Generator, palette: Palette) -> tuple[str, Material]:
    """Words for the floor, and its material."""
    if rng.random() < 0.5:
        return "a plank floor", Material(texture=planks(rng, palette.choose(rng, WOODS)), tile_m=1.5, shine=0.04)
    return "a carpet", Material(texture=carpet(rng, palette.choose(rng, CARPETS)), tile_m=1.1)


def cloths(rng: np.random.Generator, palette: Palette, count: int) -> list[str]:
    """Several cloth colours, all different."""
    return shuffled(rng, palette.allowed(CLOTHS))[:count]


def far_side(rng: np.random.Generator, palette: Palette, timber: Material) -> list[list[Part]]:
    """Bed, wardrobe and toys in random order along the wall one sees first, flags above."""
    front = Material(linear(palette.choose(rng, PAINTED)), wood(rng, "#ffffff"), 0.9, shine=0.04)
    frame = palette.choose(rng, ("#4a3a2c", "#b59a62", "#8a6a48"))
    groups = [
        [
            *bed(timber, quilt(rng, cloths(rng, palette, 3)), "#e6e1d6"),
            *moved(picture(landscape(rng, palette), 0.6, 0.45, 1.25, frame), pose(-0.3, 0, 0)),
        ],
        wardrobe(front, palette.choose(rng, ("#c8b27c", "#5a5048"))),
        [*toy_shelf(rng, palette, timber), *bunting(palette.allowed(TOY_CODES), 1.3, 2.0)],
        bedside_table(rng, timber, "#f0dfb8"),
    ]
    return SHELL.side_by_side(rng, list(zip((2.1, 1.25, 1.2, 0.5), groups, strict=True)), margin=0.1)


def other_sides(rng: np.random.Generator, palette: Palette, timber: Material) -> list[list[Part]]:
    """Six groups shared out at random over both side walls; three more and a rug behind the eye."""
    cloth = woven(rng, palette.choose(rng, ("#b9ab92", "#9aa0a3", "#b08f7c", "#a5a886")))
    frame = palette.choose(rng, ("#4a3a2c", "#b59a62", "#8a6a48"))
    seat, pot = palette.choose(rng, CLOTHS), palette.choose(rng, ("#a8694c", "#8b8a86", "#c9bfae"))
    shelf_code, vase = palette.choose(rng, WOODS), palette.choose(rng, ("#c9bfae", "#6d7d86", "#8c5a4b"))
    desk = [*moved(table(timber, 1.1, 0.55, 0.7), pose(0, -0.32, 0)), *moved(chair(timber), pose(0.1, -0.95, 0, 180))]
    groups = [
        [*window(window_view(rng, palette), "#d8d2c4", 0.95, 0.9, 1.05), *curtains(cloth, 1.6, 2.05, 1.3), *desk],
        bookshelf(rng, palette, shelf_code),
        [*dresser(rng, shelf_code, vase), *picture(abstract(rng, palette), 0.5, 0.6, 1.3, frame)],
        [*toy_shelf(rng, palette, timber), *poster("poster", landscape(rng, palette), 0.7, 0.5, 1.75)],
        [*pouffe(rng, seat), *moved(clock(1.6, frame), pose(0.1, 0, 0))],
        [*moved(floor_lamp("#f0dfb8"), pose(-0.3, 0, 0)), *moved(plant(rng, palette, pot), pose(0.3, 0, 0))],
    ]
    behind = [
        [*dresser(rng, shelf_code, vase), *bunting(palette.allowed(TOY_CODES), 1.6, 1.9)],
        door(wood(rng, "#ffffff"), palette.choose(rng, ("#d6cfbf", "#a5835f", "#aab2b3")), knob_side=-1),
        [*pouffe(rng, seat), *picture(abstract(rng, palette), 0.7, 0.7, 1.05, frame)],
    ]
    return [
        *SHELL.on_both_sides(rng, groups, (0.4, -1.35, -3.5)),
        *SHELL.spread(rng, behind, "near", (-1.9, 0.0, 1.9)),
        moved(rug(rug_pattern(rng, cloths(rng, palette, 3)), 1.9, 1.2), pose(0, -3.3, 0)),
    ]
