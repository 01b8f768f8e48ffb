"""Doors, windows, pictures and what else hangs on a wall; z is the height of the lower edge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import linear
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, rectangle, sphere, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.objects import clock_face, pegboard

STEEL = Material(linear("#9a9da0"), shine=0.5)
HANDLE = Material(linear("#7a5434"), shine=0.1)


def sheet(image: Floats, width: float, height: float, glow: float = 0.0) -> tuple[Mesh, Material]:
    """A flat picture that shows the image once, a hair in front of y = 0."""
    flat = rectangle((-width / 2, 0, 0), (width, 0, 0), (0, 0, height))
    once = Mesh(flat.points, flat.normals, flat.uv / (width, height), flat.faces)
    return once, Material(texture=image, tile_m=1.0, glow=glow)


def frame(width: float, height: float, bar: float, depth: float) -> Mesh:
    """Four bars around an opening of that size."""
    bars = [box(width + 2 * bar, depth, bar).at(0, -depth / 2, level) for level in (-bar, height)]
    bars += [box(bar, depth, height).at(side * (width + bar) / 2, -depth / 2, 0) for side in (-1, 1)]
    return merged(bars)


def picture(image: Floats, width: float, height: float, z: float, frame_code: str) -> list[Part]:
    """A framed picture."""
    flat, paint = sheet(image, width, height)
    return [
        Part("picture", flat.at(0, -0.015, z), paint),
        Part("picture", frame(width, height, 0.045, 0.035).at(0, 0, z), Material(linear(frame_code), shine=0.1)),
    ]


def poster(name: str, image: Floats, width: float, height: float, z: float) -> list[Part]:
    """An unframed sheet of paper."""
    flat, paint = sheet(image, width, height)
    return [Part(name, flat.at(0, -0.008, z), paint)]


def clock(z: float, rim_code: str) -> list[Part]:
    """A round wall clock."""
    radius, outward = 0.2, tilted(90, 0)
    disc = lathe([(radius, 0.0), (1e-4, 0.0)]).moved(outward)
    face = Mesh(disc.points, disc.normals, disc.points[:, [0, 2]] / (2 * radius) + 0.5, disc.faces)
    rim = lathe([(radius + 0.03, 0), (radius + 0.03, 0.05), (radius, 0.05), (radius, 0.0)]).moved(outward)
    return [
        Part("clock", face.at(0, -0.02, z), Material(texture=clock_face())),
        Part("clock", rim.at(0, 0, z), Material(linear(rim_code), shine=0.2)),
    ]


def door(texture: Floats, code: str, knob_side: int) -> list[Part]:
    """A panelled door in its casing."""
    width, height = 0.88, 2.02
    paint = Material(linear(code), texture, 1.3, shine=0.05)
    bars = [box(0.13, 0.05, height).at(place, -0.025, 0) for place in (-0.375, 0.0, 0.375)]
    bars += [
        box(0.245, 0.05, tall).at(side * 0.1875, -0.025, low)
        for side in (-1, 1)
        for low, tall in ((0.0, 0.2), (0.88, 0.16), (height - 0.14, 0.14))
    ]
    casing = [box(0.08, 0.06, height).at(side * (width / 2 + 0.04), -0.03, 0) for side in (-1, 1)]
    casing.append(box(width + 0.16, 0.06, 0.08).at(0, -0.03, height))
    panels = box(width, 0.015, height, cut_m=0.04).at(0, -0.0275, 0)
    knob = [
        sphere(0.034, 16).at(knob_side * 0.37, -0.11, 0.96),
        box(0.02, 0.06, 0.02).at(knob_side * 0.37, -0.08, 0.95),
    ]
    return [
        Part("door", merged([*bars, panels]), paint),
        Part("door", merged(casing), Material(linear("#d8d2c4"))),
        Part("door", merged(knob), Material(linear("#c8b27c"), shine=0.6)),
    ]


def window(image: Floats, frame_code: str, width: float, height: float, z: float) -> list[Part]:
    """A bright window with a cross of glazing bars and a sill."""
    flat, paint = sheet(image, width, height, glow=0.55)
    bars = [box(0.03, 0.03, height).at(0, -0.03, 0), box(width, 0.03, 0.03).at(0, -0.03, height / 2)]
    sill = box(width + 0.2, 0.16, 0.035).at(0, -0.08, -0.085)
    solid = merged([frame(width, height, 0.05, 0.05), *bars, sill]).at(0, 0, z)
    return [Part("window", flat.at(0, -0.012, z), paint), Part("window", solid, Material(linear(frame_code)))]


def curtains(texture: Floats, width: float, z_top: float, length: float) -> list[Part]:
    """A rod with two gathered curtains at the ends of that width."""
    cloth = []
    for side in (-1, 1):
        for fold in range(5):
            centre = side * (width / 2 - 0.055 * fold)
            depth = 0.05 + 0.02 * (fold % 2)
            cloth.append(box(0.055, depth, length).at(centre, -0.07 - depth / 2, z_top - length))
    rod = cylinder(0.014, width + 0.2, around=12).moved(tilted(90, 1)).at(-width / 2 - 0.1, -0.1, z_top + 0.012)
    return [
        Part("curtains", merged(cloth), Material(texture=texture, tile_m=0.5)),
        Part("curtains", rod, Material(linear("#5a4634"), shine=0.2)),
    ]


def tool_board(rng: np.random.Generator, board_code: str, z: float) -> list[Part]:
    """A pegboard with a hammer, a saw, spanners and screwdrivers."""
    width, height = 1.3, 0.78
    board = box(width, 0.02, height).at(0, -0.01, z)
    parts = [Part("tool board", board, Material(texture=pegboard(rng, board_code), tile_m=0.34))]
    makers = [hammer(), saw(), spanner(0.3), spanner(0.22), screwdriver(), screwdriver()]
    places = (-0.5, -0.2, 0.1, 0.26, 0.42, 0.54)
    for tool, place in zip(makers, places, strict=True):
        parts += [Part("tools", mesh.at(place, -0.035, z + height - 0.1), material) for mesh, material in tool]
    return parts


Tool = Sequence[tuple[Mesh, Material]]


def hammer() -> Tool:
    """Hangs with its head up at z = 0."""
    return [
        (box(0.03, 0.025, 0.42).at(0, 0, -0.42), HANDLE),
        (box(0.17, 0.05, 0.06).at(0, -0.01, -0.02), STEEL),
    ]


def saw() -> Tool:
    """A hand saw, blade down."""
    return [(box(0.12, 0.03, 0.12).at(0, 0, -0.1), HANDLE), (box(0.08, 0.012, 0.46).at(0.0, 0, -0.56), STEEL)]


def spanner(length: float) -> Tool:
    """An open-ended spanner."""
    shaft = box(0.026, 0.015, length).at(0, 0, -length)
    jaws = [box(0.022, 0.02, 0.05).at(side * 0.022, 0, end) for side in (-1, 1) for end in (-0.02, -length - 0.03)]
    return [(merged([shaft, *jaws]), STEEL)]


def screwdriver() -> Tool:
    """Handle up, blade down."""
    return [
        (cylinder(0.018, 0.12, around=12).at(0, 0, -0.12), HANDLE),
        (box(0.009, 0.009, 0.16).at(0, 0, -0.28), STEEL),
    ]
