"""Fences, sheds and what else stands in gardens and parks."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import linear
from lookaway.worlds.furniture.blocks import block, facetted
from lookaway.worlds.mesh import Mesh, box, cylinder, lathe, merged, pose, rectangle, tilted, tube
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.roofs import boarding, roof_tiles
from lookaway.worlds.patterns.surfaces import wood

COARSE_M = 0.3
IRON = Material(linear("#3b3d40"), shine=0.25)


def fence(rng: np.random.Generator, texture: Floats, length: float, height: float = 1.5) -> list[Part]:
    """Upright boards on two rails, 0.14 m apart, their back at y = 0."""
    count = round(length / 0.15)
    boards = []
    for number in range(count):
        x = (number - (count - 1) / 2) * 0.15
        tall = height + rng.uniform(-0.03, 0.03)
        board = block(0.125, 0.022, tall).at(x, -0.05 + rng.uniform(-0.004, 0.004), 0.04)
        shift = rng.uniform(0, 3, 2)
        boards.append(Mesh(board.points, board.normals, board.uv + shift, board.faces))
    rails = [box(length, 0.04, 0.09, cut_m=0.5).at(0, -0.02, level) for level in (0.3, height - 0.3)]
    return [Part("fence", merged(boards + rails), Material(texture=texture, tile_m=0.8))]


def gable(width: float, low: float, high: float) -> Mesh:
    """An upright triangle of that width between two heights, facing -y."""
    points = np.array([(-width / 2, 0, low), (width / 2, 0, low), (0, 0, high)])
    return Mesh(points, np.tile([0.0, -1.0, 0.0], (3, 1)), points[:, [0, 2]].copy(), np.array([[0, 1, 2]], np.int32))


def pitched_roof(width: float, depth: float, low: float, high: float, over: float = 0.15) -> Mesh:
    """Two slopes that meet over x = 0, walls from y = 0 to y = depth below them."""
    out, run = width / 2 + over, depth + 2 * over
    edge = low - over * (high - low) / (width / 2)
    left = rectangle((-out, depth + over, edge), (0, -run, 0), (out, 0, high - edge), COARSE_M)
    right = rectangle((out, -over, edge), (0, run, 0), (-out, 0, high - edge), COARSE_M)
    return merged([left, right])


def shed(rng: np.random.Generator, wall_code: str, roof_code: str) -> list[Part]:
    """A small boarded hut with a door, a window and a pitched roof; its front is at y = -1.6."""
    width, depth, wall, ridge = 2.0, 1.6, 1.9, 2.6
    boards = Material(texture=boarding(rng, wall_code), tile_m=0.9)
    front = -depth
    hut = merged(
        [
            box(width, depth, wall, cut_m=COARSE_M).at(0, front / 2, 0),
            gable(width, wall, ridge).at(0, front, 0),
            gable(width, wall, ridge).at(0, 0, 0, 180),
        ]
    )
    trim = [box(0.06, 0.03, 1.72).at(-0.45 + side * 0.4, front - 0.015, 0.06) for side in (-1, 1)]
    trim += [box(0.86, 0.03, 0.06).at(-0.45, front - 0.015, 1.75)]
    trim += [box(0.56, 0.03, 0.05).at(0.48, front - 0.015, z) for z in (0.98, 1.5)]
    trim += [box(0.05, 0.03, 0.5).at(0.48 + x, front - 0.015, 1.0) for x in (-0.26, 0.0, 0.26)]
    brace = box(0.07, 0.02, 1.75).moved(tilted(-24, 1)).at(-0.1, front - 0.012, 0.1)
    latch = box(0.1, 0.03, 0.03).at(-0.15, front - 0.04, 0.9)
    return [
        Part("shed", hut, boards),
        Part("shed", pitched_roof(width, depth, wall, ridge).at(0, front, 0), roof(rng, roof_code)),
        Part("shed", merged(trim), Material(linear("#d9d3c4"))),
        Part("shed", merged([brace, latch]), Material(linear("#6d6154"))),
        Part("shed", box(0.52, 0.01, 0.5).at(0.48, front - 0.006, 1.01), Material(linear("#4f5559"), shine=0.3)),
    ]


def roof(rng: np.random.Generator, code: str) -> Material:
    """A tiled roof of that colour."""
    return Material(texture=roof_tiles(rng, code), tile_m=1.3)


def bench(rng: np.random.Generator, wood_code: str) -> list[Part]:
    """A park bench: slats on iron sides, its back at y = 0."""
    slats = [box(1.5, 0.09, 0.035, cut_m=0.4).at(0, -0.16 - 0.11 * number, 0.43) for number in range(4)]
    slats += [box(1.5, 0.03, 0.09, cut_m=0.4).at(0, -0.06 + 0.02 * n, 0.82 - 0.13 * n) for n in range(3)]
    irons = []
    for side in (-0.66, 0.66):
        irons += [box(0.05, 0.05, 0.43).at(side, -0.48, 0), box(0.05, 0.05, 0.92).at(side, -0.05, 0)]
        irons += [box(0.05, 0.46, 0.04).at(side, -0.27, 0.4), box(0.06, 0.48, 0.03).at(side, -0.27, 0.64)]
        irons += [box(0.04, 0.04, 0.24).at(side, -0.48, 0.42)]
    grain = wood(rng, wood_code).transpose(1, 0, 2).copy()
    return [Part("bench", merged(slats), Material(texture=grain, tile_m=0.8)), Part("bench", merged(irons), IRON)]


def lamp_post(lit: bool) -> list[Part]:
    """An old street lantern on a fluted post, about its own axis."""
    post = lathe(
        [(0.13, 0), (0.13, 0.1), (0.08, 0.16), (0.07, 0.6), (0.05, 0.66), (0.04, 2.6), (0.09, 2.66), (0.03, 2.74)],
        around=16,
    )
    arms = merged([box(0.5, 0.03, 0.03).at(0, 0, 2.5), lathe([(0.19, 3.12), (0.02, 3.34), (0.02, 3.44)], around=8)])
    posts = [
        box(0.02, 0.02, 0.4).moved(pose(0, 0, 2.74, turn) @ pose(0.15, 0, 0) @ tilted(6, 1))
        for turn in range(0, 360, 60)
    ]
    glass = lathe([(0.12, 2.76), (0.17, 3.12)], around=6)
    shining = Material(linear("#fbe6b4"), glow=1.1 if lit else 0.25)
    return [Part("lamp post", merged([post, arms, *posts]), IRON), Part("lamp post", glass, shining)]


def picnic_table(rng: np.random.Generator, wood_code: str) -> list[Part]:
    """A table with a bench on both long sides, its middle at y = 0."""
    boards = [box(1.5, 0.13, 0.04, cut_m=0.3).at(0, -0.28 + 0.14 * number, 0.7) for number in range(5)]
    boards += [box(1.5, 0.12, 0.04, cut_m=0.3).at(0, side * y, 0.42) for side in (-1, 1) for y in (0.6, 0.73)]
    legs = [
        box(0.07, 0.07, 0.82).moved(pose(x, side * 0.52, 0) @ tilted(side * 24, 0))
        for x in (-0.6, 0.6)
        for side in (-1, 1)
    ]
    beams = [box(0.06, 1.55, 0.08).at(x, 0, 0.35) for x in (-0.6, 0.6)]
    grain = wood(rng, wood_code).transpose(1, 0, 2).copy()
    return [Part("picnic table", merged([*boards, *legs, *beams]), Material(texture=grain, tile_m=0.9))]


def wheelbarrow(code: str) -> list[Part]:
    """A tub on one wheel with two handles, pointing towards -y."""
    tub = lathe([(0.2, 0.0), (0.42, 0.3), (0.44, 0.3), (0.2, 0.02), (1e-4, 0.02)], around=4).moved(
        pose(0, -0.55, 0.28, 45) @ np.diag([1.0, 0.8, 1.0, 1.0])
    )
    wheel = merged([ring(0.17, 0.03), box(0.3, 0.02, 0.02).at(0, 0, -0.01), box(0.02, 0.02, 0.3).at(0, 0, -0.15)])
    handles = [box(0.035, 1.35, 0.035).moved(pose(side * 0.22, -0.5, 0.36) @ tilted(8, 0)) for side in (-1, 1)]
    legs = [box(0.03, 0.03, 0.4).at(side * 0.22, -0.2, 0) for side in (-1, 1)]
    return [
        Part("wheelbarrow", facetted(tub), Material(linear(code), shine=0.15)),
        Part("wheelbarrow", wheel.at(0, 0, 0.2, 90).at(0, -1.1, 0), IRON),
        Part("wheelbarrow", merged([*handles, *legs]), Material(linear("#8d7250"))),
    ]


def ring(radius: float, thickness: float, around: int = 28) -> Mesh:
    """An upright tyre in the plane y = 0 about the origin."""
    turns = np.linspace(0, 2 * np.pi, around + 1)
    closed = [(radius * np.cos(turn), 0.0, radius * np.sin(turn)) for turn in turns]
    return tube([*closed, closed[1]], thickness, around=8)


def watering_can(code: str) -> list[Part]:
    """Tin, with a spout and a handle."""
    body = cylinder(0.13, 0.24, top_radius=0.11, around=20)
    spout = tube([(0.08, 0, 0.06), (0.2, 0, 0.14), (0.34, 0, 0.32)], 0.02)
    rose = cylinder(0.05, 0.03, around=14).at(0.34, 0, 0.31)
    handle = tube([(-0.1, 0, 0.06), (-0.22, 0, 0.14), (-0.18, 0, 0.28), (0.0, 0, 0.32), (0.08, 0, 0.24)], 0.012)
    return [Part("watering can", merged([body, spout, rose, handle]), Material(linear(code), shine=0.3))]
