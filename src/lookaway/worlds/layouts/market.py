"""A market square in the evening: cobbles, stalls with striped awnings, a well, lit windows, a low warm sun."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.colours import Palette
from lookaway.worlds.furniture.beach import parasol
from lookaway.worlds.furniture.greenery import Plants, flower_pots, tree
from lookaway.worlds.furniture.market import PRODUCE, cafe_table, hand_cart, stacked_boxes, stall, well
from lookaway.worlds.furniture.storage import barrel
from lookaway.worlds.furniture.street import Facade, house_front
from lookaway.worlds.furniture.yard import bench, lamp_post, roof
from lookaway.worlds.mesh import pose
from lookaway.worlds.outdoors import direction, ground, sky_dome, sun
from lookaway.worlds.parts import SHELL, Material, Part, moved
from lookaway.worlds.patterns.facades import pane
from lookaway.worlds.patterns.ground import cobbles
from lookaway.worlds.patterns.skies import DUSK, GOLDEN, painted_sky, roofs
from lookaway.worlds.patterns.surfaces import brick, plaster, wood
from lookaway.worlds.patterns.textiles import stripes
from lookaway.worlds.room import Room, layout
from lookaway.worlds.shell import Shell, Wall, shuffled, told_apart

SQUARE = Shell(half_width=11.0, near=-10.5, far=7.0, height=6.0)
STALLS_Y = 2.95
STONES = ("#a39a8c", "#9a958e", "#b0a08a")
WALLS = ("#d2bd9a", "#cbb8a4", "#c9c2b0", "#bda58a", "#b8b4ac")
ROOFS = ("#8a5f4c", "#6f6763", "#7d6a5a")
TIMBERS = ("#9a7448", "#7d6040", "#b08a5c")
CLOTHS = ("#a8443a", "#4f7a8f", "#c08f3c", "#5f8a64", "#7a6a8f", "#8f8a80")
SHUTTERS = ("#6f7f77", "#8a6a50", "#6a7078")


@layout("market", "outdoor")
def market(rng: np.random.Generator, palette: Palette) -> Room:
    plants = Plants.grown(rng, palette)
    sunny = float(rng.choice((-1, 1)))
    towards_sun = direction(sunny * rng.uniform(70, 112), rng.uniform(21, 27))
    sky = (GOLDEN, DUSK)[int(rng.integers(2))]
    stones = Material(texture=cobbles(rng, palette.choose(rng, STONES)), tile_m=1.5)
    cloths = shuffled(rng, palette.allowed(CLOTHS))
    warm = rng.uniform(1.45, 1.75)
    groups = [
        [Part(SHELL, ground((-26, 26), (-22, 22)), stones)],
        sky_dome(painted_sky(rng, sky, towards_sun, "#8a7f78", roofs)),
        *houses(rng, palette, sunny),
        *stalls(rng, palette, cloths, plants),
        *around(rng, palette, cloths, plants),
    ]
    return Room(
        description=f"a cobbled market square with stalls, striped awnings, a lamp post, houses and {sky.word}",
        parts=told_apart(groups),
        light=sun(towards_sun, (warm, warm * 0.78, warm * 0.5), (0.44, 0.43, 0.46)),
        eye=(0.0, -2.5, 1.33),
        pitch_deg=-8.2,
    )


def houses(rng: np.random.Generator, palette: Palette, sunny: float) -> list[list[Part]]:
    """Fronts with lit windows on three sides; the side of the sun stays open."""
    tiled = roof(rng, palette.choose(rng, ROOFS))
    codes = shuffled(rng, palette.allowed(WALLS))[:3]
    walls = [Material(texture=plaster(rng, code), tile_m=1.8) for code in codes]
    walls.append(Material(texture=brick(rng, palette.choose(rng, ("#a5694f", "#9a8a72"))), tile_m=1.35))
    panes = [pane(rng, code) for code in ("#59636a", "#f0cf8c", "#e8c07c")]
    fronts = []
    for number in range(6):
        facade = Facade(
            width=7.4,
            storeys=2,
            wall=walls[number % len(walls)],
            roof=tiled,
            trim_code="#cfc6b4",
            door_code=palette.choose(rng, ("#6d5a48", "#5d6670", "#6f5048")),
            shutter_code=palette.choose(rng, SHUTTERS),
            door_place=float(rng.choice((-2.4, 2.4))),
            windows=(-2.4, 0.0, 2.4),
            panes=panes,
            lit=0.35,
        )
        fronts.append(house_front(rng, facade))
    shady: Wall = "left" if sunny > 0 else "right"
    return [
        *[moved(fronts[number], SQUARE.against("far", (number - 0.5) * 7.4)) for number in range(2)],
        *[moved(fronts[number + 2], SQUARE.against("near", (number - 0.5) * 7.4)) for number in range(2)],
        *[moved(fronts[number + 4], SQUARE.against(shady, -5.4 + 7.4 * number)) for number in range(2)],
    ]


def stalls(rng: np.random.Generator, palette: Palette, cloths: list[str], plants: Plants) -> list[list[Part]]:
    """Two stalls, a lamp post and a cart or barrels in random order before the eye."""
    row = Shell(half_width=9.0, near=-9.0, far=STALLS_Y, height=3.0)
    timber, goods = palette.choose(rng, TIMBERS), shuffled(rng, palette.allowed(PRODUCE))
    wooden = Material(texture=wood(rng, timber), tile_m=0.8)
    groups = [
        stall(rng, stripes(rng, cloths[0], "#e2d9c4"), wooden, goods[:3]),
        stall(rng, stripes(rng, cloths[1], "#e2d9c4"), wooden, goods[2:]),
        [
            *moved(lamp_post(lit=True), pose(-0.3, -0.9, 0)),
            *moved(flower_pots(rng, plants.flowers, ("#a8694c", "#8b8a86"), 2), pose(0.3, -0.7, 0)),
        ],
        [*stacked_boxes(rng, timber), *moved(barrel(rng, "#8c6a44"), pose(0.85, 0, 0))],
    ]
    return row.spread(rng, groups, "far", (-3.0, -0.95, 1.0, 3.0))


def around(rng: np.random.Generator, palette: Palette, cloths: list[str], plants: Plants) -> list[list[Part]]:
    """Six groups to the left and right, three behind the eye."""
    timber = palette.choose(rng, TIMBERS)
    wooden = Material(texture=wood(rng, timber), tile_m=0.8)
    sacks = palette.allowed(("#b59f78", "#a08f7c", "#c2b08a"))
    stone = cobbles(rng, "#a89e8c")
    goods = palette.allowed(PRODUCE)
    shade = moved(parasol(stripes(rng, cloths[0], "#e2d9c4", 2)), pose(0, 0.5, 0))
    groups = [
        well(stone, "#7d6040"),
        [*cafe_table(cloths[1], "#5d5048"), *shade],
        moved(stall(rng, stripes(rng, cloths[2 % len(cloths)], "#e2d9c4"), wooden, goods), pose(0, 0.5, 0)),
        hand_cart(rng, timber, sacks),
        tree(rng, plants.leaves, 4.0),
        [*lamp_post(lit=True), *moved(bench(rng, timber), pose(0.2, -0.3, 0))],
    ]
    order = rng.permutation(len(groups))
    places = [(-4.6, -0.6), (-4.4, -3.6), (-7.4, -2.0), (4.6, -0.6), (4.4, -3.6), (7.4, -2.0)]
    sides = [
        moved(groups[number], pose(x, y, 0, 90 if x < 0 else -90)) for number, (x, y) in zip(order, places, strict=True)
    ]
    behind = [
        moved(stall(rng, stripes(rng, cloths[0], "#e2d9c4"), wooden, goods[1:]), pose(-1.8, -7.4, 0, 180)),
        moved(cafe_table(cloths[1], "#5d5048"), pose(0.6, -5.6, 0, 30)),
        [
            *moved(barrel(rng, "#96703f"), pose(2.3, -6.6, 0)),
            *moved(stacked_boxes(rng, timber), pose(3.1, -6.2, 0, 150)),
        ],
    ]
    return sides + behind
