"""A beach: sand, the sea to the horizon, a boat, deck chairs, huts on one side, dunes behind."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.furniture.beach import (
    beach_grass,
    beach_hut,
    breakwater,
    bucket_and_spade,
    deck_chair,
    dune,
    lifebuoy_post,
    parasol,
    rocks,
    rowing_boat,
    sand_castle,
)
from lookaway.worlds.furniture.greenery import LEAF_CODES
from lookaway.worlds.furniture.yard import bench, fence
from lookaway.worlds.mesh import box, merged, pose
from lookaway.worlds.outdoors import daylight, direction, ground, sky_dome
from lookaway.worlds.parts import SHELL, Material, Part, moved
from lookaway.worlds.patterns.greenery import bark
from lookaway.worlds.patterns.ground import gravel, sand, water
from lookaway.worlds.patterns.skies import day_sky, painted_sky, sea
from lookaway.worlds.patterns.surfaces import leaf, wood
from lookaway.worlds.patterns.textiles import stripes
from lookaway.worlds.room import Room, layout
from lookaway.worlds.shell import Shell, shuffled, sides, told_apart

SHORE_Y, HORIZON_M = 6.4, 86.0
EDGE = Shell(half_width=6.5, near=-9.0, far=3.2, height=3.0)
SANDS = ("#d2bd92", "#c9b48c", "#cbbba0")
SEAS = ("#5f8794", "#6d8a86", "#8f989a")
PAINTS = ("#b8433a", "#4f7fb0", "#d8a53c", "#6f9a7c", "#d0c6b4", "#8f7fa8")
ROOFS = ("#7d5a4c", "#5f6165", "#8a7a62")
TIMBERS = ("#a9825a", "#8d7358", "#b39a78")


@layout("beach", "outdoor")
def beach(rng: np.random.Generator, palette: Palette) -> Room:
    grains = sand(rng, palette.choose(rng, SANDS))
    towards_sun = direction(rng.choice((-1, 1)) * rng.uniform(60, 140), rng.uniform(34, 46))
    sky = day_sky(rng, palette)
    paints = shuffled(rng, palette.allowed(PAINTS))
    groups = [
        *shore(rng, palette, grains),
        sky_dome(painted_sky(rng, sky, towards_sun, "#b5a98a", sea)),
        *towards_the_sea(rng, palette, paints, grains),
        *both_sides(rng, palette, paints),
        *behind(rng, palette, grains),
    ]
    return Room(
        description=f"a sandy beach with the sea, a rowing boat, a deck chair, a parasol and {sky.word}",
        parts=told_apart(groups),
        light=daylight(rng, towards_sun),
        eye=(0.0, -2.5, 1.3),
        pitch_deg=-8.0,
    )


def shore(rng: np.random.Generator, palette: Palette, grains: Floats) -> list[list[Part]]:
    """Sand, a line of foam, and water as far as one sees."""
    waves = Material(texture=water(rng, palette.choose(rng, SEAS)), tile_m=4.0)
    foam = box(2 * HORIZON_M, 0.35, 0.03, cut_m=3.0).at(0, SHORE_Y, 0)
    breakers = [box(30, 0.2, 0.05, cut_m=2.0).at(x, y, 0) for x, y in ((-9, 9.5), (14, 11.0), (2, 14.0), (-20, 18.0))]
    return [
        [Part(SHELL, ground((-60, 60), (-30, SHORE_Y)), Material(texture=grains, tile_m=1.7))],
        [
            Part("sea", ground((-HORIZON_M, HORIZON_M), (SHORE_Y, HORIZON_M), fine=None, z=0.01), waves),
            Part("sea", merged([foam, *breakers]), Material(linear("#e6e8e6"))),
        ],
    ]


def towards_the_sea(rng: np.random.Generator, palette: Palette, paints: list[str], grains: Floats) -> list[list[Part]]:
    """Four groups in random order between the eye and the water."""
    boards = wood(rng, palette.choose(rng, TIMBERS))
    cloth = stripes(rng, paints[0], "#e9e2d2")
    groups = [
        moved(rowing_boat(rng, paints[1], boards), pose(0, -0.9, 0, rng.uniform(-14, 14))),
        [
            *moved(deck_chair(cloth), pose(-0.3, -0.5, 0, rng.uniform(-25, 25))),
            *moved(parasol(stripes(rng, paints[2], "#e9e2d2", 2)), pose(0.45, -0.2, 0)),
        ],
        [
            *moved(sand_castle(grains, paints[0]), pose(0, -1.0, 0)),
            *moved(bucket_and_spade(paints[3], paints[0]), pose(0.6, -1.3, 0)),
        ],
        [
            *moved(lifebuoy_post(paints[0]), pose(0, -0.6, 0)),
            *moved(breakwater(rng, boards, 5), pose(-0.5, 1.2, 0, 80)),
        ],
    ]
    return EDGE.spread(rng, groups, "far", (-3.0, -1.05, 1.05, 3.0))


def both_sides(rng: np.random.Generator, palette: Palette, paints: list[str]) -> list[list[Part]]:
    """Painted huts on one side, rocks and a breakwater on the other."""
    hutted, rocky = sides(rng)
    roof_code = palette.choose(rng, ROOFS)
    huts = [beach_hut(rng, paints[number % len(paints)], roof_code) for number in range(4)]
    stone = gravel(rng, palette.choose(rng, ("#8f897e", "#a0937f", "#7f8488")))
    boards = bark(rng, "#7f6f5c")
    heap = [moved(rocks(rng, stone), pose(0, -1.2, 0)), moved(rocks(rng, stone, 7), pose(0, -0.6, 0))]
    return [
        *[moved(hut, EDGE.against(hutted, y)) for hut, y in zip(huts, (2.2, -0.3, -2.8, -5.3), strict=True)],
        moved(deck_chair(stripes(rng, paints[1], "#e9e2d2")), pose(-3.4 if hutted == "left" else 3.4, -3.6, 0, 60)),
        *[moved(group, EDGE.against(rocky, y)) for group, y in zip(heap, (-1.0, -4.2), strict=True)],
        moved(breakwater(rng, boards, 16), EDGE.against(rocky, 1.4) @ pose(-2.0, -1.6, 0)),
        moved(
            rowing_boat(rng, paints[2 % len(paints)], wood(rng, "#9a7a58")),
            EDGE.against(rocky, -2.6) @ pose(0, -2.6, 0, 20),
        ),
    ]


def behind(rng: np.random.Generator, palette: Palette, grains: Floats) -> list[list[Part]]:
    """Dunes with grass, a fence and a bench."""
    codes = palette.allowed((*LEAF_CODES[:2], "#b0a05c"))
    blades = leaf(rng, codes[int(rng.integers(len(codes)))])
    tufts = [
        moved(beach_grass(rng, blades), pose(x, -6.2 - rng.uniform(0, 2.2), 0.1 + rng.uniform(0, 0.15)))
        for x in np.linspace(-5, 5, 9) + rng.uniform(-0.4, 0.4, 9)
    ]
    timber = palette.choose(rng, TIMBERS)
    return [
        moved(dune(rng, grains, 40, 5.0, 1.6), EDGE.against("near", 0) @ pose(0, 2.0, 0)),
        *tufts,
        moved(fence(rng, wood(rng, timber), 3.2, 0.9), pose(rng.choice((-1, 1)) * 2.4, -6.0, 0, 180)),
        moved(bench(rng, timber), pose(rng.uniform(-0.6, 0.6), -5.6, 0, 180)),
    ]
