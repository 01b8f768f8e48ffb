"""Stalls, carts, a well and café tables of a market square."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import linear
from lookaway.worlds.furniture.blocks import block, facetted
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, rectangle, sphere, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.objects import crate
from lookaway.worlds.patterns.surfaces import wood

PRODUCE = ("#c9832f", "#b5a83c", "#a8553c", "#7f6a9a", "#6a9a5c", "#d0b48a", "#8a4a3c")


def stall(rng: np.random.Generator, awning: Floats, timber: Material, goods: Sequence[str]) -> list[Part]:
    """A stall with a striped awning and boxes of produce on a sloping counter; its back is at y = 0."""
    width, depth = 1.8, 0.95
    posts = [
        block(0.07, 0.07, tall).at(side * (width / 2 - 0.05), y, 0)
        for side in (-1, 1)
        for y, tall in ((-0.08, 2.2), (-depth, 1.86))
    ]
    counter = box(width, depth - 0.15, 0.05).at(0, -depth / 2 - 0.03, 0.66)
    apron = box(width - 0.04, 0.03, 0.5).at(0, -depth + 0.06, 0.16)
    slope = rectangle((-width / 2 - 0.1, -depth - 0.3, 1.84), (width + 0.2, 0, 0), (0, depth + 0.35, 0.38))
    valance = rectangle((-width / 2 - 0.1, -depth - 0.3, 1.64), (width + 0.2, 0, 0), (0, 0, 0.2))
    parts = [
        Part("market stall", merged([*posts, counter, apron]), timber),
        Part("awning", merged([slope, valance]), Material(texture=awning, tile_m=0.9)),
    ]
    boxes = []
    for number, x in enumerate((-0.6, 0.0, 0.6)):
        tray = pose(x, -depth / 2 - 0.04, 0.74) @ tilted(14, 0)
        boxes.append(tray_of_wood().moved(tray))
        parts.append(Part("produce", heap(rng).moved(tray), Material(linear(goods[number % len(goods)]), shine=0.08)))
    return [*parts, Part("produce boxes", merged(boxes), Material(linear("#a98c62")))]


def tray_of_wood() -> Mesh:
    """An open flat box, 0.5 m wide."""
    sides = [block(0.5, 0.02, 0.12).at(0, y, 0) for y in (-0.28, 0.28)] + [
        block(0.02, 0.56, 0.12).at(x, 0, 0) for x in (-0.25, 0.25)
    ]
    return merged([*sides, block(0.5, 0.56, 0.02)])


def heap(rng: np.random.Generator) -> Mesh:
    """Round fruit in a box, some on top of others."""
    ball = sphere(0.07, 8)
    rows = [ball.at(x, y, 0.08) for x in (-0.15, 0.0, 0.15) for y in (-0.2, -0.07, 0.07, 0.2)]
    rows += [ball.at(x + rng.uniform(-0.02, 0.02), y, 0.17) for x in (-0.08, 0.08) for y in (-0.13, 0.0, 0.13)]
    return merged(rows)


def well(stone: Floats, timber: str) -> list[Part]:
    """A round stone well with a windlass under a small roof, about its own axis."""
    wall = lathe([(0.6, 0), (0.6, 0.72), (0.66, 0.72), (0.66, 0.82), (0.46, 0.82), (0.46, 0.5), (1e-4, 0.5)], around=36)
    posts = [block(0.09, 0.09, 1.9).at(side * 0.56, 0, 0) for side in (-1, 1)]
    drum = cylinder(0.07, 1.1, around=14).moved(tilted(90, 1)).at(-0.55, 0, 1.3)
    rope = cylinder(0.012, 0.4, around=8).at(0, -0.07, 0.9)
    pail = lathe([(1e-4, 0), (0.1, 0), (0.13, 0.22), (0.12, 0.22), (0.09, 0.02), (1e-4, 0.02)], around=18).at(
        0, -0.07, 0.82
    )
    roof = facetted(lathe([(0.95, 1.8), (0.02, 2.35)], around=4)).moved(pose(0, 0, 0, 45))
    return [
        Part("well", wall, Material(texture=stone, tile_m=1.2)),
        Part("well", merged([*posts, drum]), Material(linear(timber))),
        Part("well", roof, Material(linear("#6d5a4c"))),
        Part("pail", merged([rope, pail]), Material(linear("#8a8c8e"), shine=0.3)),
    ]


def hand_cart(rng: np.random.Generator, timber: str, load: Sequence[str]) -> list[Part]:
    """A two-wheeled cart with sacks on it, about its middle."""
    grain = Material(texture=wood(rng, timber), tile_m=0.8)
    bed = [box(1.3, 0.8, 0.05).at(0, 0, 0.56)] + [box(1.3, 0.03, 0.24).at(0, y, 0.58) for y in (-0.4, 0.4)]
    shafts = [block(1.1, 0.05, 0.05).moved(pose(-1.05, y, 0.5) @ tilted(-12, 1)) for y in (-0.3, 0.3)]
    wheels = []
    for y in (-0.47, 0.47):
        wheels.append(cylinder(0.06, 0.1, around=12).moved(tilted(90, 0)).at(0, y + 0.05, 0.42))
        wheels.append(
            lathe([(0.4, 0), (0.4, 0.06), (0.35, 0.06), (0.35, 0), (0.4, 0)], around=28)
            .moved(tilted(90, 0))
            .at(0, y + 0.03, 0.42)
        )
        wheels += [
            block(0.035, 0.035, 0.74).moved(pose(0, y, 0.42) @ tilted(turn, 1) @ pose(0, 0, -0.37))
            for turn in range(0, 180, 30)
        ]
    prop = block(0.05, 0.05, 0.52).at(-0.58, 0, 0.04)
    sacks = []
    for number, (x, y) in enumerate(((-0.35, 0.1), (0.05, -0.12), (0.4, 0.12))):
        shape = lathe(
            [(1e-4, 0), (0.2, 0.02), (0.23, 0.18), (0.16, 0.4), (0.06, 0.46), (0.09, 0.54), (1e-4, 0.52)], around=18
        )
        sacks.append(Part("sacks", shape.at(x, y, 0.61), Material(linear(load[number % len(load)]))))
    return [
        Part("hand cart", merged([*bed, *shafts, prop]), grain),
        Part("hand cart", merged(wheels), Material(linear("#5d4a38"))),
        *sacks,
    ]


def cafe_table(cloth_code: str, chair_code: str) -> list[Part]:
    """A small round table with a cloth and two chairs, about its own axis."""
    foot = merged([cylinder(0.2, 0.03, around=20), cylinder(0.03, 0.72, around=12)])
    cloth = lathe([(0.4, 0.52), (0.36, 0.73), (1e-4, 0.735)], around=28)
    pot = lathe([(1e-4, 0.735), (0.05, 0.735), (0.06, 0.86), (0.035, 0.9), (1e-4, 0.9)], around=16)
    chairs = []
    for side in (-1, 1):
        chair = [
            cylinder(0.18, 0.03, around=18).at(0, 0, 0.44),
            *(block(0.025, 0.025, 0.44).at(x, y, 0) for x in (-0.12, 0.12) for y in (-0.12, 0.12)),
        ]
        chair += [block(0.025, 0.025, 0.42).at(x, 0.15, 0.46) for x in (-0.13, 0.0, 0.13)] + [
            block(0.34, 0.03, 0.06).at(0, 0.15, 0.84)
        ]
        chairs.append(merged(chair).moved(pose(side * 0.66, 0, 0, -side * 90)))
    return [
        Part("café table", foot, Material(linear("#3b3d40"))),
        Part("café table", cloth, Material(linear(cloth_code))),
        Part("coffee pot", pot, Material(linear("#8a8c8e"), shine=0.4)),
        Part("café chairs", merged(chairs), Material(linear(chair_code))),
    ]


def stacked_boxes(rng: np.random.Generator, timber: str) -> list[Part]:
    """Three market crates, one across two, their backs near y = 0."""
    material = Material(texture=crate(rng, timber), tile_m=0.45)
    places = ((-0.25, 0.0, 4), (0.26, 0.0, -6), (0.02, 0.42, rng.uniform(-12, 12)))
    return [Part("crates", box(0.46, 0.42, 0.42).at(x, -0.3, z, turn), material) for x, z, turn in places]
