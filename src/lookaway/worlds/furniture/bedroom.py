"""Beds, wardrobes, toys and rugs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.furniture.blocks import block, facetted
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, rectangle, sphere, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.surfaces import woven
from lookaway.worlds.shell import shuffled

TOY_CODES = ("#c9574e", "#d8a53c", "#4f7fb0", "#8a9a54", "#b98fc0", "#d98a4c", "#e0d6bd")


def bed(frame: Material, blanket: Floats, sheet_code: str) -> list[Part]:
    """A single bed along x, its long side against the wall at y = 0, the pillow to the left."""
    length, width = 1.95, 0.92
    boards = [
        box(0.05, width, 0.86).at(-length / 2, -width / 2 - 0.02, 0),
        box(0.05, width, 0.6).at(length / 2, -width / 2 - 0.02, 0),
    ]
    boards += [box(length, 0.04, 0.2).at(0, y, 0.22) for y in (-0.04, -width)]
    mattress = box(length - 0.06, width - 0.06, 0.16).at(0, -width / 2 - 0.02, 0.34)
    cover = box(1.36, width + 0.02, 0.2).at(0.26, -width / 2 - 0.03, 0.32)
    pillow = sphere(1.0, 24).moved(pose(-0.7, -width / 2 - 0.02, 0.54) @ np.diag([0.2, 0.36, 0.09, 1.0]))
    fold = box(0.16, width + 0.03, 0.21).at(-0.46, -width / 2 - 0.03, 0.32)
    white = Material(linear(sheet_code))
    return [
        Part("bed", merged(boards), frame),
        Part("bed", merged([mattress, fold]), white),
        Part("pillow", pillow, white),
        Part("blanket", cover, Material(texture=blanket, tile_m=0.7)),
    ]


def wardrobe(front: Material, knob_code: str) -> list[Part]:
    """Two tall panelled doors over a drawer."""
    width, depth, height = 1.15, 0.56, 1.95
    body = [
        box(width, depth, height - 0.06).at(0, -depth / 2, 0.06),
        box(width + 0.08, depth + 0.06, 0.05).at(0, -depth / 2 - 0.03, height),
    ]
    body += [box(0.07, 0.07, 0.06).at(side * 0.5, y, 0) for side in (-1, 1) for y in (-0.06, -depth + 0.06)]
    knobs = []
    for side in (-1, 1):
        x = side * width / 4
        body.append(box(width / 2 - 0.03, 0.02, 1.4).at(x, -depth - 0.01, 0.5))
        bars = [block(width / 2 - 0.1, 0.02, 0.05).at(x, -depth - 0.03, low) for low in (0.54, 1.18, 1.82)]
        bars += [block(0.05, 0.02, 1.33).at(x + edge * (width / 4 - 0.06), -depth - 0.03, 0.54) for edge in (-1, 1)]
        body += bars
        knobs.append(sphere(0.022, 12).at(side * 0.06, -depth - 0.05, 1.05))
        knobs.append(sphere(0.022, 12).at(side * 0.3, -depth - 0.05, 0.3))
    body.append(box(width - 0.05, 0.02, 0.32).at(0, -depth - 0.01, 0.13))
    return [
        Part("wardrobe", merged(body), front),
        Part("wardrobe", merged(knobs), Material(linear(knob_code), shine=0.3)),
    ]


def toy_shelf(rng: np.random.Generator, palette: Palette, board: Material) -> list[Part]:
    """Three boards with blocks, stacking rings, a teddy bear, a toy house and boxes."""
    width, depth, height = 1.15, 0.34, 1.3
    levels = (0.06, 0.48, 0.88, 1.27)
    frame = [box(0.03, depth, height).at(side * (width - 0.03) / 2, -depth / 2, 0) for side in (-1, 1)]
    frame += [box(width - 0.06, depth - 0.01, 0.03).at(0, -depth / 2, level) for level in levels]
    frame.append(box(width, 0.015, height).at(0, -0.0075, 0))
    codes = palette.allowed(TOY_CODES)
    makers = [toy_blocks, stacking_rings, teddy, toy_house, toy_blocks, toy_box, toy_train]
    parts = [Part("toy shelf", merged(frame), board)]
    order = rng.permutation(len(makers))
    places = [(x, level + 0.03) for level in levels[:3] for x in (-0.32, 0.28)]
    for (x, z), number in zip(places, order, strict=False):
        colours = shuffled(rng, codes)[:3]
        parts += [Part("toys", mesh.at(x, -depth / 2, z), material) for mesh, material in makers[number](colours)]
    bear = [Part("teddy bear", mesh.at(0.2, -depth / 2, height), material) for mesh, material in teddy(codes)]
    return [*parts, *bear]


Toy = list[tuple[Mesh, Material]]


def toy_blocks(codes: Sequence[str]) -> Toy:
    """A small pyramid of cubes."""
    cubes = [block(0.1, 0.1, 0.1).at(x, 0, z, turn) for x, z, turn in ((-0.08, 0, 6), (0.06, 0, -8), (-0.01, 0.1, 20))]
    return [(cube, Material(linear(code))) for cube, code in zip(cubes, codes, strict=True)]


def stacking_rings(codes: Sequence[str]) -> Toy:
    """Rings on a peg, wide ones below."""
    rings = []
    for number in range(5):
        wide, low = 0.11 - 0.015 * number, 0.05 * number
        profile = [(1e-4, low), (wide - 0.02, low), (wide, low + 0.025), (wide - 0.02, low + 0.05), (1e-4, low + 0.05)]
        rings.append((lathe(profile, around=20), Material(linear(codes[number % len(codes)]), shine=0.1)))
    return [*rings, (sphere(0.03, 12).at(0, 0, 0.27), Material(linear(codes[0])))]


def teddy(codes: Sequence[str]) -> Toy:
    """A sitting bear."""
    fur = Material(linear("#a9804f"))
    pale = Material(linear("#d4b98c"))
    body = [sphere(0.09, 18).at(0, 0, 0.09), sphere(0.07, 18).at(0, -0.01, 0.22)]
    body += [sphere(0.028, 12).at(side * 0.055, 0, 0.28) for side in (-1, 1)]
    body += [sphere(0.04, 12).at(side * 0.08, -0.1, 0.04) for side in (-1, 1)]
    body += [sphere(0.035, 12).at(side * 0.1, -0.03, 0.13) for side in (-1, 1)]
    eyes = [sphere(0.01, 8).at(side * 0.026, -0.073, 0.24) for side in (-1, 1)]
    return [
        (merged(body), fur),
        (sphere(0.03, 12).at(0, -0.065, 0.205), pale),
        (merged(eyes), Material(linear("#1d1a18"))),
    ]


def toy_house(codes: Sequence[str]) -> Toy:
    """Walls, a roof, a door and two windows."""
    roof = facetted(lathe([(0.17, 0.16), (1e-4, 0.29)], around=4)).moved(pose(0, 0, 0, 45))
    openings = [
        block(0.05, 0.01, 0.09).at(0, -0.1, 0),
        *(block(0.04, 0.01, 0.04).at(x, -0.1, 0.08) for x in (-0.06, 0.06)),
    ]
    return [
        (box(0.2, 0.19, 0.16), Material(linear(codes[0]))),
        (roof, Material(linear(codes[1]))),
        (merged(openings), Material(linear("#3a342e"))),
    ]


def toy_box(codes: Sequence[str]) -> Toy:
    """A box with a lid."""
    return [
        (box(0.34, 0.26, 0.2), Material(linear(codes[0]))),
        (block(0.36, 0.28, 0.03).at(0, 0, 0.2), Material(linear(codes[1]))),
    ]


def toy_train(codes: Sequence[str]) -> Toy:
    """An engine with a funnel and a waggon."""
    wheels = [
        cylinder(0.025, 0.02, around=12).moved(tilted(90, 0)).at(x, -0.05, 0.025) for x in (-0.18, -0.09, 0.06, 0.16)
    ]
    return [
        (
            merged([block(0.17, 0.09, 0.08).at(-0.13, 0, 0.025), cylinder(0.022, 0.08).at(-0.18, 0, 0.1)]),
            Material(linear(codes[0])),
        ),
        (block(0.07, 0.09, 0.15).at(-0.08, 0, 0.025), Material(linear(codes[1]))),
        (block(0.16, 0.09, 0.09).at(0.11, 0, 0.025), Material(linear(codes[2]))),
        (merged(wheels), Material(linear("#2c2a28"))),
    ]


def rug(texture: Floats, width: float, depth: float) -> list[Part]:
    """A flat rug about the origin, showing its pattern once."""
    flat = rectangle((-width / 2, -depth / 2, 0.008), (width, 0, 0), (0, depth, 0))
    once = Mesh(flat.points, flat.normals, flat.uv / (width, depth), flat.faces)
    return [Part("rug", once, Material(texture=texture))]


def bunting(codes: Sequence[str], width: float, z: float) -> list[Part]:
    """A string of little flags that sags in the middle."""
    count = round(width / 0.16)
    parts = []
    for number in range(count):
        share = (number + 0.5) / count * 2 - 1
        top = z - 0.14 * (1 - share**2)
        points = np.array([(-0.065, 0, 0), (0.065, 0, 0), (0, 0, -0.16)])
        flag = Mesh(
            points, np.tile([0.0, -1.0, 0.0], (3, 1)), points[:, [0, 2]].copy(), np.array([[0, 2, 1]], np.int32)
        )
        parts.append(
            Part("bunting", flag.at(share * width / 2, -0.02, top), Material(linear(codes[number % len(codes)])))
        )
    return parts


def bedside_table(rng: np.random.Generator, material: Material, lamp_code: str) -> list[Part]:
    """A small chest with a lit lamp and a book."""
    chest = [
        box(0.44, 0.36, 0.5).at(0, -0.19, 0.0),
        *(block(0.38, 0.02, 0.19).at(0, -0.38, low) for low in (0.05, 0.27)),
    ]
    knobs = [sphere(0.016, 10).at(0, -0.4, low) for low in (0.14, 0.36)]
    lamp = merged([cylinder(0.06, 0.02), cylinder(0.012, 0.2, around=10)]).at(-0.08, -0.18, 0.5)
    shade = lathe([(0.11, 0), (0.07, 0.15)]).at(-0.08, -0.18, 0.66)
    book = block(0.14, 0.2, 0.03).at(0.13, -0.2, 0.5, rng.uniform(-20, 20))
    return [
        Part("bedside table", merged(chest), material),
        Part("bedside table", merged([*knobs, lamp]), Material(linear("#5a5048"), shine=0.2)),
        Part("bedside lamp", shade, Material(linear(lamp_code), glow=0.6)),
        Part("book", book, Material(linear("#7c6a58"))),
    ]


def pouffe(rng: np.random.Generator, code: str) -> list[Part]:
    """A round cushioned seat."""
    profile = [(1e-4, 0), (0.24, 0), (0.28, 0.1), (0.28, 0.26), (0.22, 0.36), (1e-4, 0.38)]
    return [Part("pouffe", lathe(profile).at(0, -0.34, 0), Material(texture=woven(rng, code), tile_m=0.4))]
