"""Boards, desks, globes and what else stands in a classroom."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import linear
from lookaway.worlds.furniture.blocks import block
from lookaway.worlds.furniture.on_walls import frame, sheet
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, sphere, tilted
from lookaway.worlds.parts import Material, Part

STEEL = Material(linear("#7d8083"), shine=0.3)


def writing_board(image: Floats, width: float, height: float, z: float, frame_code: str) -> list[Part]:
    """A blackboard or whiteboard with a ledge, chalk and a sponge."""
    flat, paint = sheet(image, width, height)
    ledge = [box(width, 0.09, 0.02).at(0, -0.05, z - 0.06)]
    chalk = [block(0.08, 0.012, 0.012).at(x, -0.05, z - 0.04) for x in (-0.4, -0.28, 0.1)]
    sponge = block(0.14, 0.06, 0.04).at(0.4, -0.05, z - 0.04)
    wooden = Material(linear(frame_code), shine=0.05)
    return [
        Part("writing board", flat.at(0, -0.015, z), paint),
        Part("writing board", merged([frame(width, height, 0.05, 0.04).at(0, 0, z), *ledge]), wooden),
        Part("chalk", merged(chalk), Material(linear("#ece8dc"))),
        Part("sponge", sponge, Material(linear("#b59a5c"))),
    ]


def school_desk(top: Material) -> list[Part]:
    """A desk on steel legs with a shelf below and a chair pushed under it; the sitter faces the wall."""
    slab = box(1.15, 0.5, 0.03).at(0, -0.4, 0.72)
    shelf = box(1.05, 0.36, 0.02).at(0, -0.36, 0.56)
    legs = [block(0.04, 0.04, 0.72).at(x, y, 0) for x in (-0.52, 0.52) for y in (-0.2, -0.6)]
    legs += [block(0.04, 0.44, 0.04).at(x, -0.4, 0.02) for x in (-0.52, 0.52)]
    return [Part("desk", merged([slab, shelf]), top), Part("desk", merged(legs), STEEL)]


def school_chair(seat: Material) -> list[Part]:
    """A bent plywood seat on steel legs, its back at y = 0."""
    boards = [box(0.4, 0.4, 0.02).at(0, -0.24, 0.44), box(0.38, 0.02, 0.2).moved(pose(0, -0.02, 0.62) @ tilted(-8, 0))]
    legs = [block(0.028, 0.028, 0.44).at(side * 0.17, y, 0) for side in (-1, 1) for y in (-0.06, -0.4)]
    legs += [block(0.028, 0.028, 0.42).at(side * 0.17, -0.03, 0.4) for side in (-1, 1)]
    return [Part("school chair", merged(boards), seat), Part("school chair", merged(legs), STEEL)]


def globe(image: Floats) -> list[Part]:
    """A tilted globe on a brass foot, about its own axis, 0.5 m tall."""
    ball = sphere(0.17, 36).moved(pose(0, 0, 0.3) @ tilted(20, 1))
    turns = np.linspace(-np.pi / 2, np.pi / 2, 15)
    arc = merged([sphere(0.014, 8).at(0.2 * np.cos(turn), 0, 0.3 + 0.2 * np.sin(turn)) for turn in turns])
    foot = lathe([(1e-4, 0), (0.12, 0), (0.11, 0.025), (0.02, 0.05), (0.016, 0.11), (1e-4, 0.11)])
    brass = Material(linear("#a5854c"), shine=0.4)
    return [Part("globe", ball, Material(texture=image, shine=0.15)), Part("globe", merged([arc, foot]), brass)]


def filing_cabinet(code: str, drawers: int = 3) -> list[Part]:
    """Steel drawers with handles and label holders."""
    width, depth, step = 0.46, 0.56, 0.32
    body = box(width, depth, drawers * step + 0.06).at(0, -depth / 2, 0)
    fronts = [
        box(width - 0.04, 0.02, step - 0.03).at(0, -depth - 0.01, 0.05 + number * step) for number in range(drawers)
    ]
    grips = [block(0.14, 0.03, 0.025).at(0, -depth - 0.03, 0.16 + number * step) for number in range(drawers)]
    labels = [block(0.1, 0.006, 0.05).at(0, -depth - 0.022, 0.24 + number * step) for number in range(drawers)]
    return [
        Part("filing cabinet", merged([body, *fronts]), Material(linear(code), shine=0.12)),
        Part("filing cabinet", merged(grips), STEEL),
        Part("filing cabinet", merged(labels), Material(linear("#e9e4d4"))),
    ]


def computer(screen: Floats) -> list[Part]:
    """A monitor with something on it and a keyboard, to set on a desk; the screen faces -y."""
    flat, shown = sheet(screen, 0.5, 0.3, glow=0.35)
    case = [box(0.54, 0.03, 0.34).at(0, 0.018, 0.1), block(0.06, 0.04, 0.12).at(0, 0.02, 0), block(0.22, 0.16, 0.015)]
    keys = block(0.42, 0.14, 0.018).at(0, -0.24, 0)
    return [
        Part("computer screen", flat.at(0, 0.0, 0.12), shown),
        Part("computer screen", merged(case), Material(linear("#3a3b3d"))),
        Part("keyboard", keys, Material(linear("#6f7072"))),
    ]


def pull_down_screen(image: Floats, width: float, z: float) -> list[Part]:
    """A projection screen with a picture on it, rolled from a case."""
    height = 0.72 * width
    flat, shown = sheet(image, width, height, glow=0.25)
    case = box(width + 0.16, 0.09, 0.09).at(0, -0.05, z + height)
    weight = block(width + 0.06, 0.03, 0.03).at(0, -0.03, z - 0.03)
    return [
        Part("projection screen", flat.at(0, -0.03, z), shown),
        Part("projection screen", merged([case, weight]), Material(linear("#cfcdc6"))),
    ]


def flask_shelf(rng: np.random.Generator, codes: list[str]) -> list[Part]:
    """A narrow board of flasks and rolled charts."""
    board = box(1.2, 0.22, 0.025).at(0, -0.11, 0)
    flasks: list[Mesh] = [
        lathe([(1e-4, 0), (0.07, 0), (0.022, 0.12), (0.022, 0.2), (0.03, 0.2), (1e-4, 0.19)], around=18).at(
            x, -0.11, 0.025
        )
        for x in (-0.5, -0.33, -0.16)
    ]
    rolls = [cylinder(0.035, rng.uniform(0.3, 0.42), around=14).at(x, -0.11, 0.025) for x in (0.1, 0.19, 0.28)]
    parts = [Part("wall shelf", board, Material(linear("#8f7450")))]
    parts += [
        Part("flasks", flask, Material(linear(codes[n % len(codes)]), shine=0.4)) for n, flask in enumerate(flasks)
    ]
    return [*parts, Part("rolled charts", merged(rolls), Material(linear("#d9d0b8")))]
