"""Shelves, drawers, crates and barrels."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.objects import carton, crate
from lookaway.worlds.patterns.surfaces import wood

BOOK_CODES = (
    "#8a4b3c",
    "#4f5f78",
    "#6d7b5a",
    "#c9b98f",
    "#57495f",
    "#a07a45",
    "#3f4446",
    "#7c8f93",
    "#b7a79a",
)
TIN_CODES = ("#a58b4f", "#6f7d85", "#8d5b48", "#c8c2b3", "#5b6557", "#4b4f5c")


def bookshelf(rng: np.random.Generator, palette: Palette, wood_code: str) -> list[Part]:
    """Four boards full of books."""
    width, depth, height, board = 1.0, 0.3, 1.75, 0.03
    levels = np.linspace(0.06, height - board, 5)
    frame = [box(board, depth, height).at(side * (width - board) / 2, -depth / 2, 0) for side in (-1, 1)]
    frame += [box(width - 2 * board, depth - 0.02, board).at(0, -depth / 2, level) for level in levels]
    frame.append(box(width, 0.015, height).at(0, -0.0075, 0))
    parts = [Part("bookshelf", merged(frame), Material(texture=wood(rng, wood_code), tile_m=0.9, shine=0.04))]
    colours = palette.allowed(BOOK_CODES)
    books: dict[str, list[Mesh]] = {}
    block = box(1.0, 1.0, 1.0, cut_m=1.0)
    for level in levels[:-1]:
        place = -width / 2 + board + 0.01
        end = width / 2 - board - rng.uniform(0.02, 0.25)
        while place < end:
            thick, tall = rng.uniform(0.035, 0.07), rng.uniform(0.22, 0.33)
            book = block.moved(np.diag([thick - 0.004, 0.19, tall, 1.0]))
            shelf_place = (place + thick / 2, -0.14 - rng.uniform(0, 0.03), level + board)
            books.setdefault(colours[int(rng.integers(len(colours)))], []).append(book.at(*shelf_place))
            place += thick
    parts += [Part("books", merged(meshes), Material(linear(code))) for code, meshes in books.items()]
    return parts


def dresser(rng: np.random.Generator, wood_code: str, vase_code: str) -> list[Part]:
    """Three wide drawers with knobs, and a vase on top."""
    width, depth, height = 1.1, 0.42, 0.82
    texture = wood(rng, wood_code).transpose(1, 0, 2).copy()
    body = box(width, depth, height - 0.08).at(0, -depth / 2 - 0.01, 0.08)
    top = box(width + 0.06, depth + 0.04, 0.03).at(0, -depth / 2 - 0.02, height)
    feet = [box(0.06, 0.06, 0.08).at(side * 0.48, -depth / 2, 0) for side in (-1, 1)]
    fronts, knobs = [], []
    for number in range(3):
        low = 0.11 + number * 0.235
        fronts.append(box(width - 0.06, 0.02, 0.21).at(0, -depth - 0.02, low))
        knobs += [box(0.12, 0.025, 0.02).at(side * 0.28, -depth - 0.042, low + 0.1) for side in (-1, 1)]
    vase = lathe([(1e-4, 0), (0.07, 0), (0.11, 0.14), (0.05, 0.28), (0.07, 0.34), (0.055, 0.34)])
    return [
        Part("dresser", merged([body, top, *feet]), Material((0.82,) * 3, texture, 1.0, shine=0.05)),
        Part("dresser", merged(fronts), Material(texture=texture, tile_m=1.2, shine=0.05)),
        Part("dresser", merged(knobs), Material(linear("#c8b27c"), shine=0.4)),
        Part("vase", vase.at(0.25, -depth / 2, height + 0.03), Material(linear(vase_code), shine=0.25)),
    ]


def tin_rack(rng: np.random.Generator, palette: Palette, metal_code: str) -> list[Part]:
    """Steel uprights, four boards, tins and cartons."""
    width, depth, height = 1.3, 0.42, 1.85
    levels = (0.12, 0.66, 1.2, 1.74)
    posts = [
        box(0.045, 0.045, height).at(side * (width / 2 - 0.02), back, 0) for side in (-1, 1) for back in (-0.04, -depth)
    ]
    boards = [box(width, depth, 0.03).at(0, -depth / 2 - 0.02, level) for level in levels]
    parts = [Part("storage rack", merged(posts + boards), Material(linear(metal_code), shine=0.15))]
    colours = palette.allowed(TIN_CODES)
    cardboard = Material(texture=carton(rng, "#a8845c"), tile_m=0.36)
    for level in levels[:-1]:
        place = -width / 2 + 0.16
        while place < width / 2 - 0.14:
            if rng.random() < 0.3 and place < width / 2 - 0.3:
                parts.append(Part("cartons", box(0.32, 0.3, 0.28).at(place + 0.06, -0.24, level + 0.03), cardboard))
                place += 0.42
                continue
            radius, tall = rng.uniform(0.07, 0.1), rng.uniform(0.18, 0.32)
            code = colours[int(rng.integers(len(colours)))]
            parts += tin(code, radius, tall, (place, -0.25, level + 0.03))
            place += 2 * radius + 0.04
    return parts


def tin(code: str, radius: float, tall: float, place: tuple[float, float, float]) -> list[Part]:
    """A paint tin: coloured label between bare metal rims."""
    rim = Material(linear("#b9b9b4"), shine=0.4)
    x, y, z = place
    metal = merged([cylinder(radius, tall).at(x, y, z), cylinder(radius * 0.8, 0.012).at(x, y, z + tall)])
    label = lathe([(radius + 0.003, tall * 0.15), (radius + 0.003, tall * 0.85)]).at(x, y, z)
    return [Part("tins", metal, rim), Part("tins", label, Material(linear(code), shine=0.1))]


def crates(rng: np.random.Generator, wood_code: str, stacked: bool) -> list[Part]:
    """Two crates side by side, and one on top if stacked."""
    side = 0.5
    material = Material(texture=crate(rng, wood_code), tile_m=side)
    places = [(-0.28, 0.0, rng.uniform(-4, 4)), (0.28, 0.0, rng.uniform(-4, 4))]
    if stacked:
        places.append((rng.uniform(-0.1, 0.1), side, rng.uniform(-14, 14)))
    return [Part("crates", box(side, side, side).at(x, -0.36, z, turn), material) for x, z, turn in places]


def barrel(rng: np.random.Generator, wood_code: str) -> list[Part]:
    """A bellied oak barrel with iron hoops."""
    heights = np.linspace(0, 0.86, 9)
    radii = 0.24 + 0.08 * np.sin(heights / 0.86 * np.pi)
    profile = [(1e-4, 0.0), *zip(radii, heights, strict=True), (0.21, 0.86), (0.21, 0.83), (1e-4, 0.83)]
    hoops = []
    for low in (0.08, 0.24, 0.58, 0.74):
        inner, outer = (0.245 + 0.08 * np.sin(z / 0.86 * np.pi) for z in (low, low + 0.05))
        hoops.append(lathe([(inner + 0.006, low), (outer + 0.006, low + 0.05)]))
    staves = Material(texture=wood(rng, wood_code), tile_m=0.7)
    return [
        Part("barrel", lathe([(float(r), float(z)) for r, z in profile]).at(0, -0.36, 0), staves),
        Part("barrel", merged(hoops).at(0, -0.36, 0), Material(linear("#4a4a4c"), shine=0.2)),
    ]


def pallet(rng: np.random.Generator, wood_code: str) -> list[Part]:
    """A shipping pallet, stood on its edge and leaned against the wall by the caller's transform."""
    slats = [box(1.1, 0.1, 0.022).at(0, -0.4 + 0.16 * number, 0.1) for number in range(6)]
    beams = [box(0.09, 0.9, 0.1).at(place, 0, 0) for place in (-0.5, 0.0, 0.5)]
    return [Part("pallet", merged(slats + beams), Material(texture=wood(rng, wood_code), tile_m=0.8))]
