"""A garden behind a house: a lawn, a wooden fence, a hedge, a shed, trees, a low sun."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import Palette
from lookaway.worlds.furniture.greenery import Plants, conifer, flower_bed, flower_pots, hedge, tree
from lookaway.worlds.furniture.street import Facade, house_front
from lookaway.worlds.furniture.yard import bench, fence, picnic_table, roof, shed, watering_can, wheelbarrow
from lookaway.worlds.mesh import pose
from lookaway.worlds.outdoors import daylight, direction, ground, sky_dome
from lookaway.worlds.parts import SHELL, Material, Part, moved
from lookaway.worlds.patterns.facades import pane
from lookaway.worlds.patterns.ground import grass, paving
from lookaway.worlds.patterns.skies import day_sky, hills, painted_sky
from lookaway.worlds.patterns.surfaces import brick, plaster, wood
from lookaway.worlds.room import Room, layout
from lookaway.worlds.shell import Shell, sides, told_apart

BORDER = Shell(half_width=4.8, near=-7.2, far=3.6, height=2.0)
LAWNS = ("#7da271", "#76986b", "#b0995a", "#a89468")  # the last two where green belongs to the subject
TIMBERS = ("#a9825a", "#8d7358", "#b39a78", "#9c9384")
POTS = ("#a8694c", "#b98a62", "#c9bfae")
HUTS = ("#9a7a58", "#7d8a86", "#a39a86", "#8a6a58")
ROOFS = ("#7d5a4c", "#5f6165", "#8a6f5a")


@layout("garden", "outdoor")
def garden(rng: np.random.Generator, palette: Palette) -> Room:
    plants = Plants.grown(rng, palette)
    timber = palette.choose(rng, TIMBERS)
    lawns = palette.allowed(LAWNS)
    lawn = Material(texture=grass(rng, lawns[int(rng.integers(2))]), tile_m=1.3)
    boards = wood(rng, timber)
    towards_sun = direction(rng.choice((-1, 1)) * rng.uniform(65, 125), rng.uniform(33, 44))
    sky = day_sky(rng, palette)
    hill_code = palette.choose(rng, ("#7f9377", "#9a917e"))
    groups = [
        [Part(SHELL, ground((-16, 16), (-7.2, 16)), lawn)],
        sky_dome(painted_sky(rng, sky, towards_sun, hill_code, hills)),
        *far_side(rng, palette, plants, timber),
        *other_sides(rng, palette, plants, timber),
        moved(fence(rng, boards, 9.6), BORDER.against("far", 0)),
        *side_borders(rng, plants.leaves, boards),
        *house_side(rng, palette),
        *[
            moved(tree(rng, plants.leaves, rng.uniform(4.2, 5.2)), pose(x, rng.uniform(5.0, 6.5), 0))
            for x in (-3.6, 2.6)
        ],
    ]
    return Room(
        description=f"a garden with a lawn, a wooden fence, a shed, trees and {sky.word}",
        parts=told_apart(groups),
        light=daylight(rng, towards_sun),
        eye=(0.0, -2.5, 1.3),
        pitch_deg=-8.0,
    )


def far_side(rng: np.random.Generator, palette: Palette, plants: Plants, timber: str) -> list[list[Part]]:
    """Four groups in random order before the fence one sees first."""
    groups = [
        moved(shed(rng, palette.choose(rng, HUTS), palette.choose(rng, ROOFS)), pose(0, -0.15, 0)),
        [*moved(bench(rng, timber), pose(-0.3, -0.9, 0)), *flower_bed(rng, plants.flowers, 1.8)],
        [
            *moved(tree(rng, plants.leaves, 3.0), pose(0, -1.0, 0)),
            *moved(flower_pots(rng, plants.flowers, POTS), pose(0.2, -1.5, 0)),
        ],
        [
            *flower_bed(rng, plants.flowers, 1.9),
            *moved(wheelbarrow(palette.choose(rng, ("#7d8a6a", "#8f8f8a", "#a5743f"))), pose(0.2, -0.8, 0, 30)),
        ],
    ]
    return BORDER.spread(rng, groups, "far", (-3.4, -1.1, 1.1, 3.4))


def other_sides(rng: np.random.Generator, palette: Palette, plants: Plants, timber: str) -> list[list[Part]]:
    """Six groups shared out at random over both sides."""
    can = watering_can(palette.choose(rng, ("#8b9294", "#a88a4c")))
    groups = [
        moved(picnic_table(rng, timber), pose(0, -1.3, 0, rng.uniform(-10, 10))),
        moved(tree(rng, plants.leaves, 3.6), pose(0, -1.2, 0)),
        [*moved(flower_bed(rng, plants.flowers, 2.0), pose(0, -0.7, 0)), *moved(can, pose(0.4, -1.6, 0, 30))],
        [
            *moved(flower_pots(rng, plants.flowers, POTS), pose(0, -1.2, 0)),
            *moved(bench(rng, timber), pose(0, -0.7, 0)),
        ],
        moved(conifer(rng, plants.leaves, 3.2), pose(0, -1.4, 0)),
        [
            *moved(bench(rng, timber), pose(0.1, -0.8, 0, rng.uniform(-10, 10))),
            *moved(flower_pots(rng, plants.flowers, POTS, 1), pose(1.2, -0.9, 0)),
        ],
    ]
    return BORDER.on_both_sides(rng, groups, (1.0, -1.8, -4.4))


def side_borders(rng: np.random.Generator, leaves: Floats, boards: Floats) -> list[list[Part]]:
    """A hedge on one side, the fence on the other."""
    hedged, fenced = sides(rng)
    middle, length = (BORDER.near + BORDER.far) / 2, BORDER.far - BORDER.near
    return [
        moved(hedge(leaves, length, 1.7), BORDER.against(hedged, middle)),
        moved(fence(rng, boards, length), BORDER.against(fenced, middle)),
    ]


def house_side(rng: np.random.Generator, palette: Palette) -> list[list[Part]]:
    """The house behind the eye, with a terrace."""
    if rng.random() < 0.5:
        wall = Material(texture=brick(rng, palette.choose(rng, ("#a5694f", "#b39a74", "#9a948a"))), tile_m=1.35)
    else:
        wall = Material(texture=plaster(rng, palette.choose(rng, ("#d8cdb4", "#cfcfc8", "#d9c7b0"))), tile_m=1.8)
    facade = Facade(
        width=9.6,
        storeys=2,
        wall=wall,
        roof=roof(rng, palette.choose(rng, ROOFS)),
        trim_code="#e2ddd0",
        door_code=palette.choose(rng, ("#6d7f77", "#8a5f45", "#5d6670")),
        shutter_code=palette.choose(rng, ("#7d8f84", "#8f6f56", "#6f7a84")),
        door_place=rng.choice((-1.0, 1.0)) * 0.9,
        windows=(-3.3, -0.9, 0.9, 3.3),
        panes=[pane(rng, code) for code in ("#59636a", "#66655f")],
    )
    terrace = Material(texture=paving(rng, "#b3aa9a"), tile_m=2.2)
    flags = ground((-4.4, 4.4), (-7.2, -5.0), fine=None, z=0.02)
    return [moved(house_front(rng, facade), BORDER.against("near", 0)), [Part("terrace", flags, terrace)]]
