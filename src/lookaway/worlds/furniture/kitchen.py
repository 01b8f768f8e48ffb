"""Cupboards, a stove, a fridge, a sink, pans and crockery."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.furniture.blocks import block, facetted
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, rectangle, sphere, tilted, tube
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.surfaces import wood

DEPTH_M, WORKTOP_M = 0.6, 0.9
STEEL = Material(linear("#b6b8ba"), shine=0.5)
DARK = Material(linear("#2e2f31"), shine=0.3)
CROCKERY = ("#d8d2c4", "#a8b0b2", "#b98a5e", "#8a5a4a", "#c9b98f", "#6f7f86")


def base_cupboards(front: Material, worktop: Material, doors: int) -> list[Part]:
    """Cupboards of 0.5 m each under a worktop; the top drawer of every other one has a rail."""
    width = 0.5 * doors
    carcass = box(width, DEPTH_M - 0.04, WORKTOP_M - 0.14).at(0, -DEPTH_M / 2 + 0.02, 0.1)
    plinth = box(width, DEPTH_M - 0.1, 0.1).at(0, -DEPTH_M / 2 + 0.05, 0)
    fronts, rails = [], []
    for number in range(doors):
        x = (number - (doors - 1) / 2) * 0.5
        fronts += [box(0.47, 0.025, tall).at(x, -DEPTH_M + 0.015, low) for low, tall in ((0.12, 0.52), (0.67, 0.16))]
        fronts.append(door_frame(0.47, 0.52).at(x, -DEPTH_M, 0.12))
        rails.append(block(0.16, 0.03, 0.018).at(x, -DEPTH_M - 0.02, 0.75))
        rails.append(block(0.018, 0.03, 0.14).at(x + 0.17 * (-1) ** number, -DEPTH_M - 0.02, 0.42))
    top = box(width + 0.02, DEPTH_M + 0.02, 0.04).at(0, -DEPTH_M / 2, WORKTOP_M - 0.04)
    return [
        Part("kitchen cupboards", merged([carcass, *fronts]), front),
        Part("kitchen cupboards", plinth, DARK),
        Part("kitchen cupboards", merged(rails), STEEL),
        Part("worktop", top, worktop),
    ]


def door_frame(width: float, height: float) -> Mesh:
    """A raised border on a cupboard door."""
    bars = [block(width, 0.014, 0.06).at(0, -0.005, low) for low in (0, height - 0.06)]
    bars += [block(0.06, 0.014, height - 0.12).at(side * (width - 0.06) / 2, -0.005, 0.06) for side in (-1, 1)]
    return merged(bars)


def wall_cupboards(front: Material, doors: int, z: float = 1.45) -> list[Part]:
    """Hanging cupboards of 0.5 m each."""
    width, depth, height = 0.5 * doors, 0.34, 0.68
    pieces, knobs = [box(width, depth, height).at(0, -depth / 2, z)], []
    for number in range(doors):
        x = (number - (doors - 1) / 2) * 0.5
        pieces.append(box(0.475, 0.02, height - 0.03).at(x, -depth - 0.01, z + 0.015))
        pieces.append(door_frame(0.475, height - 0.03).at(x, -depth - 0.02, z + 0.015))
        knobs.append(sphere(0.018, 10).at(x + 0.18 * (-1) ** number, -depth - 0.045, z + 0.1))
    return [Part("wall cupboards", merged(pieces), front), Part("wall cupboards", merged(knobs), STEEL)]


def stove(body_code: str, pot_code: str) -> list[Part]:
    """A cooker with an oven window, knobs, four rings, a pot and a pan."""
    width, face = 0.6, -DEPTH_M
    body = box(width, DEPTH_M, WORKTOP_M - 0.02).at(0, face / 2, 0)
    window = box(0.42, 0.02, 0.26).at(0, face - 0.01, 0.3)
    knobs = [
        cylinder(0.025, 0.03, around=14).moved(tilted(90, 0)).at(x, face, 0.79) for x in np.linspace(-0.22, 0.22, 5)
    ]
    handle = block(0.46, 0.03, 0.025).at(0, face - 0.04, 0.64)
    rings = [cylinder(0.09, 0.012, around=24).at(x, y, WORKTOP_M) for x in (-0.15, 0.15) for y in (-0.16, -0.44)]
    top = box(width, DEPTH_M, 0.02).at(0, face / 2, WORKTOP_M - 0.02)
    pot = lathe(
        [(1e-4, 0), (0.11, 0), (0.11, 0.15), (0.118, 0.15), (0.118, 0.165), (0.02, 0.19), (0.02, 0.21), (1e-4, 0.21)]
    )
    grips = [box(0.04, 0.05, 0.02).at(side * 0.13, 0, 0.1) for side in (-1, 1)]
    lifted = WORKTOP_M + 0.012
    return [
        Part("stove", body, Material(linear(body_code), shine=0.15)),
        Part("stove", merged([window, *rings, top]), DARK),
        Part("stove", merged([handle, *knobs]), STEEL),
        Part("pot", merged([pot, *grips]).at(-0.15, -0.16, lifted), Material(linear(pot_code), shine=0.3)),
        Part("pan", pan(0.12).at(0.15, -0.44, lifted, 150), DARK),
    ]


def pan(radius: float) -> Mesh:
    """A frying pan whose handle points along x."""
    bowl = lathe(
        [(1e-4, 0), (0.8 * radius, 0), (radius, 0.05), (radius - 0.008, 0.05), (0.78 * radius, 0.008), (1e-4, 0.008)]
    )
    return merged([bowl, block(0.2, 0.025, 0.014).at(radius + 0.09, 0, 0.036)])


def cooker_hood(code: str) -> list[Part]:
    """A sloping hood and its flue, over a stove."""
    hood = lathe([(0.42, 1.5), (0.42, 1.56), (0.17, 1.82), (0.17, 2.6)], around=4).moved(pose(0, -0.3, 0, 45))
    return [Part("cooker hood", facetted(hood).moved(np.diag([1.0, 0.9, 1.0, 1.0])), Material(linear(code), shine=0.3))]


def fridge(code: str) -> list[Part]:
    """Two doors, long handles, notes held by magnets."""
    width, depth, height = 0.68, 0.64, 1.72
    body = box(width, depth - 0.06, height).at(0, -depth / 2 + 0.03, 0)
    doors = [box(width - 0.01, 0.06, tall).at(0, -depth + 0.03, low) for low, tall in ((0.06, 1.06), (1.14, 0.56))]
    handles = [block(0.03, 0.04, tall).at(-0.26, -depth - 0.03, low) for low, tall in ((0.68, 0.4), (1.18, 0.26))]
    notes = [box(0.12, 0.004, 0.15).at(0.1, -depth - 0.004, 1.4), box(0.1, 0.004, 0.08).at(0.2, -depth - 0.004, 1.24)]
    magnet = box(0.03, 0.012, 0.03).at(0.1, -depth - 0.008, 1.52)
    return [
        Part("fridge", merged([body, *doors]), Material(linear(code), shine=0.2)),
        Part("fridge", merged(handles), STEEL),
        Part("fridge", merged(notes), Material(linear("#efe9d2"))),
        Part("fridge", magnet, DARK),
    ]


def sink() -> list[Part]:
    """A steel basin and an arched tap, to set on a worktop."""
    rim = [block(0.62, 0.03, 0.012).at(0, y, WORKTOP_M) for y in (-0.1, -0.5)]
    rim += [block(0.03, 0.4, 0.012).at(x, -0.3, WORKTOP_M) for x in (-0.3, 0.3)]
    floor = rectangle((-0.3, -0.5, WORKTOP_M + 0.004), (0.6, 0, 0), (0, 0.4, 0))
    turns = np.linspace(0, np.pi, 9)
    arch = [(0.08 - 0.08 * np.cos(turn), 0.0, 0.24 + 0.08 * np.sin(turn)) for turn in turns]
    neck = tube([(0, 0, 0), (0, 0, 0.12), *arch, (0.16, 0, 0.2)], 0.014).moved(pose(0, -0.08, WORKTOP_M, -90))
    return [
        Part("sink", merged(rim), STEEL),
        Part("sink", floor, Material(linear("#6f7274"))),
        Part("kitchen tap", neck, STEEL),
    ]


def hanging_pans(code: str, z: float) -> list[Part]:
    """A rail with four pans and two ladles."""
    rail = cylinder(0.012, 1.3, around=10).moved(tilted(90, 1)).at(-0.65, -0.06, z)
    copper: list[Mesh] = []
    iron: list[Mesh] = []
    for number, radius in enumerate((0.14, 0.12, 0.1, 0.085)):
        turned = pan(radius).moved(tilted(90, 0)).moved(tilted(-90, 1))
        hung = turned.at(-0.5 + 0.27 * number, -0.06, z - radius - 0.2)
        (copper if number % 2 == 0 else iron).append(hung)
    for x in (0.48, 0.58):
        iron += [block(0.015, 0.012, 0.26).at(x, -0.06, z - 0.27), sphere(0.04, 12).at(x, -0.07, z - 0.3)]
    return [
        Part("pan rail", rail, STEEL),
        Part("hanging pans", merged(copper), Material(linear(code), shine=0.4)),
        Part("hanging pans", merged(iron), DARK),
    ]


def crockery_shelf(rng: np.random.Generator, palette: Palette, wood_code: str, z: float) -> list[Part]:
    """Two boards with jars, bowls and standing plates."""
    width, depth = 1.2, 0.24
    boards = [box(width, depth, 0.025).at(0, -depth / 2, z + level) for level in (0.0, 0.36)]
    brackets = [
        block(0.03, depth - 0.04, 0.08).at(x, -depth / 2, z + level - 0.08)
        for x in (-0.5, 0.5)
        for level in (0.0, 0.36)
    ]
    parts = [Part("kitchen shelf", merged(boards + brackets), Material(texture=wood(rng, wood_code), tile_m=0.8))]
    codes = palette.allowed(CROCKERY)
    for level in (0.025, 0.385):
        x = -0.5
        while x < 0.5:
            shape, wide = vessel(rng)
            material = Material(linear(codes[int(rng.integers(len(codes)))]), shine=0.2)
            parts.append(Part("crockery", shape.at(x + wide, -0.12, z + level), material))
            x += 2 * wide + 0.035
    return parts


def vessel(rng: np.random.Generator) -> tuple[Mesh, float]:
    """A jar, a bowl or a standing plate, and half its width."""
    match rng.integers(3):
        case 0:
            radius, tall = rng.uniform(0.05, 0.065), rng.uniform(0.14, 0.2)
            profile = [
                (1e-4, 0),
                (radius, 0),
                (radius, tall),
                (0.7 * radius, tall + 0.02),
                (0.75 * radius, tall + 0.05),
            ]
            return lathe([*profile, (1e-4, tall + 0.05)], around=20), radius
        case 1:
            return lathe([(1e-4, 0), (0.04, 0), (0.09, 0.08), (0.082, 0.08), (1e-4, 0.015)], around=20), 0.09
        case _:
            plate = lathe([(1e-4, 0), (0.07, 0), (0.12, 0.02), (0.07, 0.01), (1e-4, 0.008)], around=24)
            return plate.moved(pose(0, 0.07, 0.118) @ tilted(78, 0)), 0.12


def set_table(top: Sequence[Part], height: float, bowl_code: str, fruit_codes: Sequence[str]) -> list[Part]:
    """A table with a bowl of fruit, two plates and two cups on it."""
    bowl = lathe([(1e-4, 0), (0.06, 0), (0.15, 0.09), (0.14, 0.09), (0.05, 0.015), (1e-4, 0.015)]).at(0, 0, height)
    fruits = [
        Part("fruit", sphere(0.045, 16).at(x, y, height + 0.09), Material(linear(code), shine=0.1))
        for (x, y), code in zip(((0.05, 0.03), (-0.06, 0.02), (0.0, -0.06)), fruit_codes, strict=True)
    ]
    plates = [
        lathe([(1e-4, 0), (0.07, 0), (0.12, 0.018), (1e-4, 0.006)]).at(side * 0.36, -0.1, height) for side in (-1, 1)
    ]
    cups = [
        lathe([(1e-4, 0), (0.03, 0), (0.04, 0.08), (0.034, 0.08), (1e-4, 0.01)], around=18).at(side * 0.3, 0.12, height)
        for side in (-1, 1)
    ]
    china = Material(linear(bowl_code), shine=0.25)
    return [*top, Part("fruit bowl", bowl, china), *fruits, Part("crockery", merged([*plates, *cups]), china)]
