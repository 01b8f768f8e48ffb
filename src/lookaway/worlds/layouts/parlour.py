"""A living room: books, a door, a lamp, pictures, a sofa under a window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.furniture.lamps import ceiling_lamp, ceiling_light
from lookaway.worlds.furniture.on_walls import clock, curtains, door, picture, poster, window
from lookaway.worlds.furniture.seating import chair, sofa
from lookaway.worlds.furniture.standing import floor_lamp, plant
from lookaway.worlds.furniture.storage import bookshelf, dresser
from lookaway.worlds.mesh import pose
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.pictures import abstract, landscape, window_view
from lookaway.worlds.patterns.surfaces import carpet, parquet, planks, plaster, wallpaper, wood, woven
from lookaway.worlds.patterns.textiles import rug_pattern
from lookaway.worlds.patterns.walls import panelled
from lookaway.worlds.room import Room, layout
from lookaway.worlds.shell import Shell, Wall, shuffled, told_apart

SHELL = Shell(half_width=2.9, near=-3.7, far=2.3, height=2.6)
WALLS = ("#d9cdb4", "#b7c2c4", "#c3c8b2", "#cdb8ac", "#c9c4cf", "#d2c9a8")
MOTIFS = ("#a8946e", "#8b9a9c", "#a58a80", "#98a084", "#b9ac93")
WOODS = ("#a9764a", "#8a5c3a", "#c29a68", "#70492f")
CARPETS = ("#8d8577", "#7b828a", "#8c7a72", "#79806f", "#a0927c")
CLOTHS = ("#6f7f8c", "#8a7a66", "#7d6a72", "#75806a", "#94897b", "#5e6468")
SIDE_PLACES = (0.65, -0.9, -2.45)
POTS = ("#a8694c", "#8b8a86", "#c9bfae", "#5b6670")


@dataclass(frozen=True)
class Finish:
    """The room's wood and paint, so that its furniture belongs together."""

    wood: str
    pale: str
    cloth: str
    frame: str


@layout("parlour", "indoor")
def parlour(rng: np.random.Generator, palette: Palette) -> Room:
    finish = Finish(
        wood=palette.choose(rng, WOODS),
        pale="#d8d2c4",
        cloth=palette.choose(rng, CLOTHS),
        frame=palette.choose(rng, ("#4a3a2c", "#b59a62", "#2f2f30", "#8a6a48")),
    )
    floor_word, floor = floor_covering(rng, palette)
    wall_word, walls = wall_covering(rng, palette)
    skirting, ceiling = Material(linear(finish.pale)), Material(texture=panelled(rng, "#ebe8e0"), tile_m=2.0)
    groups = [
        SHELL.parts(floor, walls, ceiling, skirting),
        *far_side(rng, palette, finish),
        *other_sides(rng, palette, finish),
    ]
    light = ceiling_light(rng, SHELL.height)
    groups += [behind_the_eye(rng, palette), ceiling_lamp(light, SHELL.height)]
    return Room(
        description=f"a living room with {floor_word}, {wall_word}, a bookshelf, a floor lamp and pictures",
        parts=told_apart(groups),
        light=light,
        eye=(0.0, -2.5, 1.3),
        pitch_deg=-8.0,
    )


def floor_covering(rng: np.random.Generator, palette: Palette) -> tuple[str, Material]:
    """Words for the floor, and its material."""
    match rng.integers(3):
        case 0:
            return "a plank floor", Material(
                texture=planks(rng, palette.choose(rng, WOODS[:3])), tile_m=1.5, shine=0.05
            )
        case 1:
            return "a parquet floor", Material(
                texture=parquet(rng, palette.choose(rng, WOODS[:3])), tile_m=1.6, shine=0.05
            )
        case _:
            return "a carpet", Material(texture=carpet(rng, palette.choose(rng, CARPETS)), tile_m=1.1)


def wall_covering(rng: np.random.Generator, palette: Palette) -> tuple[str, dict[Wall, Material]]:
    """Words for the walls, and the material of each."""
    code = palette.choose(rng, WALLS)
    plain = Material(texture=plaster(rng, code), tile_m=1.8)
    striped = Material(texture=wallpaper(rng, code, palette.choose(rng, MOTIFS)), tile_m=1.1)
    if rng.random() < 0.5:
        return "painted walls", {"far": plain, "left": striped, "right": striped, "near": plain}
    return "striped wallpaper", {"far": striped, "left": plain, "right": striped, "near": plain}


def far_side(rng: np.random.Generator, palette: Palette, finish: Finish) -> list[list[Part]]:
    """Four groups in random order along the wall one sees first."""
    wooden = Material(texture=wood(rng, finish.wood), tile_m=0.8)
    door_code = palette.choose(rng, ("#d6cfbf", "#a5835f", "#aab2b3", "#94725a"))
    landscape_picture = picture(landscape(rng, palette), 0.62, 0.46, 1.32, finish.frame)
    abstract_picture = picture(abstract(rng, palette), 0.5, 0.62, 1.2, finish.frame)
    seat = chair(wooden)
    groups = [
        bookshelf(rng, palette, finish.wood),
        door(wood(rng, "#ffffff"), door_code, knob_side=1),
        [*moved(floor_lamp("#f0dfb8"), pose(-0.38, 0, 0)), *moved(landscape_picture, pose(0.2, 0, 0))],
        [
            *moved(plant(rng, palette, palette.choose(rng, POTS)), pose(-0.28, 0, 0)),
            *moved(abstract_picture, pose(0.1, 0, 0)),
            *moved(seat, pose(0.42, -0.1, 0, rng.uniform(-12, 12))),
        ],
    ]
    return SHELL.spread(rng, groups, "far", (-2.05, -0.7, 0.7, 2.0))


def other_sides(rng: np.random.Generator, palette: Palette, finish: Finish) -> list[list[Part]]:
    """Six groups shared out at random over both side walls; a picture and more books behind the eye."""
    pot, vase = palette.choose(rng, POTS), palette.choose(rng, ("#c9bfae", "#6d7d86", "#8c5a4b", "#5d5a57"))
    cloth = woven(rng, palette.choose(rng, ("#b9ab92", "#9aa0a3", "#a3917f", "#8f957f")))
    pictures = [picture(landscape(rng, palette), 0.66, 0.5, 1.22, finish.frame) for _ in range(2)]
    pictures += [picture(abstract(rng, palette), 0.5, 0.62, 1.14, finish.frame) for _ in range(2)]
    groups = [
        [
            *window(window_view(rng, palette), finish.pale, 0.9, 0.86, 1.0),
            *curtains(cloth, 1.62, 1.98, 1.4),
            *moved(sofa(rng, finish.cloth, seats=2), pose(0, -0.14, 0)),
        ],
        [*dresser(rng, finish.wood, vase), *pictures[0]],
        [*moved(sofa(rng, finish.cloth, seats=1), pose(0, -0.1, 0, rng.uniform(-8, 8))), *pictures[2]],
        bookshelf(rng, palette, finish.wood),
        [*plant(rng, palette, pot), *moved(clock(1.5, finish.frame), pose(0.3, 0, 0))],
        [
            *moved(floor_lamp("#f0dfb8"), pose(-0.4, 0, 0)),
            *moved(chair(Material(texture=wood(rng, finish.wood), tile_m=0.8)), pose(0.3, -0.1, 0)),
            *moved(pictures[1], pose(0.15, 0, 0)),
        ],
    ]
    return [
        *SHELL.on_both_sides(rng, groups, SIDE_PLACES),
        *SHELL.spread(rng, [pictures[3], bookshelf(rng, palette, finish.wood)], "near", (-1.5, 1.5)),
    ]


def behind_the_eye(rng: np.random.Generator, palette: Palette) -> list[Part]:
    """A large tapestry between the picture and the books."""
    codes = shuffled(rng, palette.allowed(CLOTHS + MOTIFS))[:4]
    return moved(poster("tapestry", rug_pattern(rng, codes), 1.7, 1.35, 0.62), SHELL.against("near", 0.0))
