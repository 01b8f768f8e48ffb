"""A street: paving stones, house fronts, a lamp post, a letter box, a bicycle, a road with a parked car behind."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.furniture.greenery import Plants, flower_pots, tree
from lookaway.worlds.furniture.street import Facade, bicycle, bin_on_post, car, house_front, letter_box
from lookaway.worlds.furniture.yard import bench, lamp_post, roof
from lookaway.worlds.mesh import box, merged, pose
from lookaway.worlds.outdoors import daylight, direction, ground, sky_dome
from lookaway.worlds.parts import SHELL, Material, Part, moved
from lookaway.worlds.patterns.facades import pane
from lookaway.worlds.patterns.ground import asphalt, paving
from lookaway.worlds.patterns.skies import day_sky, painted_sky, roofs
from lookaway.worlds.patterns.surfaces import brick, plaster
from lookaway.worlds.room import Room, layout
from lookaway.worlds.shell import Shell, shuffled, told_apart

KERB_Y, OTHER_KERB_Y = -4.6, -9.4
ROW = Shell(half_width=17.0, near=-11.6, far=3.3, height=6.0)
STONES = ("#b5ada0", "#a9a7a2", "#b8a890")
BRICKS = ("#a5694f", "#b39a74", "#9a948a", "#8f5f4c")
PAINTS = ("#d8cdb4", "#cfcfc8", "#d9c0a4", "#c2c9c4", "#cdbcc0", "#c6cfd6")
DOORS = ("#6d7f77", "#8a5f45", "#5d6670", "#8c4a44", "#4f6a54", "#4d5a78")
ROOFS = ("#7d5a4c", "#5f6165", "#8a6f5a")
PAINTED = ("#b8433a", "#3f6fa8", "#d0a340", "#54805a", "#8b8f93")
TIMBERS = ("#a9825a", "#8d7358", "#b39a78")
POTS = ("#a8694c", "#8b8a86", "#c9bfae")
HOUSE_M = 6.8


@layout("street", "outdoor")
def street(rng: np.random.Generator, palette: Palette) -> Room:
    plants = Plants.grown(rng, palette)
    towards_sun = direction(180 + rng.choice((-1, 1)) * rng.uniform(35, 70), rng.uniform(36, 48))
    sky = day_sky(rng, palette)
    groups = [
        *grounds(rng, palette),
        sky_dome(painted_sky(rng, sky, towards_sun, "#a39d94", roofs)),
        *houses(rng, palette),
        *before_the_houses(rng, palette, plants),
        *along_the_street(rng, palette, plants),
    ]
    return Room(
        description=f"a street with house fronts, paving stones, a lamp post, a bicycle, a letter box and {sky.word}",
        parts=told_apart(groups),
        light=daylight(rng, towards_sun),
        eye=(0.0, -2.5, 1.32),
        pitch_deg=-8.0,
    )


def grounds(rng: np.random.Generator, palette: Palette) -> list[list[Part]]:
    """Both pavements, their kerbs and the road between them, a hand lower."""
    stones = Material(texture=paving(rng, palette.choose(rng, STONES)), tile_m=2.1)
    tar = Material(texture=asphalt(rng, "#6f6f6e"), tile_m=1.9)
    kerbs = [box(60, 0.18, 0.13, cut_m=1.0).at(0, y, -0.125) for y in (KERB_Y - 0.09, OTHER_KERB_Y + 0.09)]
    dashes = [
        box(1.1, 0.12, 0.006, cut_m=0.6).at(x, (KERB_Y + OTHER_KERB_Y) / 2, -0.12) for x in np.arange(-20, 21, 2.6)
    ]
    return [
        [Part(SHELL, ground((-30, 30), (KERB_Y, ROW.far)), stones)],
        [Part(SHELL, ground((-30, 30), (-12.5, OTHER_KERB_Y), fine=None), stones)],
        [
            Part("road", ground((-30, 30), (OTHER_KERB_Y, KERB_Y), fine=None, z=-0.12), tar),
            Part("road", merged(dashes), Material(linear("#dcd9cf"))),
            Part("kerb", merged(kerbs), Material(linear("#b9b4aa"))),
        ],
    ]


def houses(rng: np.random.Generator, palette: Palette) -> list[list[Part]]:
    """A row before the eye, a row across the road, and a house at both ends of the street."""
    tiled = roof(rng, palette.choose(rng, ROOFS))
    bricks = [Material(texture=brick(rng, code), tile_m=1.35) for code in palette.allowed(BRICKS)[:2]]
    paints = shuffled(rng, palette.allowed(PAINTS))[:3]
    walls = bricks + [Material(texture=plaster(rng, code), tile_m=1.8) for code in paints]
    order = rng.permutation(len(walls))
    panes = [pane(rng, code) for code in ("#59636a", "#66655f", "#4f565c")]
    built = []
    for number in range(9):
        side = rng.choice((-1.0, 1.0))
        facade = Facade(
            width=HOUSE_M,
            storeys=2,
            wall=walls[order[number % len(walls)]],
            roof=tiled,
            trim_code="#e2ddd0",
            door_code=palette.choose(rng, DOORS),
            shutter_code=palette.choose(rng, ("#7d8f84", "#8f6f56", "#6f7a84")) if rng.random() < 0.5 else None,
            door_place=side * 2.3,
            windows=(-2.3, 0.0, 2.3),
            panes=panes,
        )
        built.append(house_front(rng, facade))
    start = rng.uniform(-1.5, 1.5)
    before = [moved(built[number], ROW.against("far", start + (number - 1.5) * HOUSE_M)) for number in range(4)]
    across = [moved(built[number + 4], ROW.against("near", start + (number - 1) * HOUSE_M)) for number in range(3)]
    ends = [moved(built[7], ROW.against("left", -6.5)), moved(built[8], ROW.against("right", -2.5))]
    return before + across + ends


def before_the_houses(rng: np.random.Generator, palette: Palette, plants: Plants) -> list[list[Part]]:
    """Four groups in random order along the house fronts one sees first."""
    groups = [
        moved(bicycle(palette.choose(rng, PAINTED)), pose(0, -0.12, 0)),
        [*moved(bench(rng, palette.choose(rng, TIMBERS)), pose(-0.2, -0.5, 0))],
        [*moved(letter_box(palette.choose(rng, PAINTED)), pose(0, -1.0, 0))],
        [
            *moved(lamp_post(lit=False), pose(-0.5, -1.2, 0)),
            *moved(flower_pots(rng, plants.flowers, POTS), pose(0.3, -0.7, 0)),
        ],
    ]
    return ROW.spread(rng, groups, "far", (-2.7, -0.9, 0.9, 2.7))


def along_the_street(rng: np.random.Generator, palette: Palette, plants: Plants) -> list[list[Part]]:
    """Trees, cars and lamp posts to the left, to the right and behind."""
    bin_code = palette.choose(rng, ("#54605a", "#6d6a64", "#75543f"))
    groups = [
        moved(tree(rng, plants.leaves, 4.2), pose(0, 0, 0)),
        moved(bench(rng, palette.choose(rng, TIMBERS)), pose(0, 0.4, 0, 90)),
        [*moved(bin_on_post(bin_code), pose(-0.2, 0, 0)), *moved(lamp_post(lit=False), pose(0.5, 0, 0))],
        [
            *moved(letter_box(palette.choose(rng, PAINTED)), pose(0, 0, 0)),
            *moved(bin_on_post(bin_code), pose(0.9, 0.6, 0)),
        ],
        moved(tree(rng, plants.leaves, 3.6), pose(0, 0, 0)),
        [
            *moved(flower_pots(rng, plants.flowers, POTS), pose(0, 0, 0, 90)),
            *moved(lamp_post(lit=False), pose(0.9, -0.6, 0)),
        ],
    ]
    order = rng.permutation(len(groups))
    places = [(-4.2, -3.6), (-4.8, -0.9), (-7.5, -3.4), (4.4, -3.6), (4.8, -0.9), (7.6, -3.4)]
    placed = [
        moved(groups[number], pose(x, y + rng.uniform(-0.1, 0.1), 0))
        for number, (x, y) in zip(order, places, strict=True)
    ]
    parked = [(-5.6, KERB_Y - 0.3), (0.4, OTHER_KERB_Y + 1.95), (6.6, KERB_Y - 0.3)]
    paints = shuffled(rng, palette.allowed(PAINTED))
    cars = [
        moved(car(code), pose(x + rng.uniform(-0.5, 0.5), y, -0.12))
        for code, (x, y) in zip(paints, parked, strict=False)
    ]
    return placed + cars
