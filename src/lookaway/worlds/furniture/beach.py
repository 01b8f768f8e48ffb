"""Beach huts, boats, deck chairs, parasols, dunes and rocks."""

from __future__ import annotations

import itertools

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import linear
from lookaway.worlds.furniture.blocks import block, facetted
from lookaway.worlds.furniture.greenery import lump
from lookaway.worlds.furniture.yard import gable, pitched_roof, ring
from lookaway.worlds.mesh import Mesh, box, cylinder, grid, grid_faces, lathe, merged, pose, rectangle, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.canvas import noise
from lookaway.worlds.patterns.roofs import boarding, roof_tiles

WHITE = Material(linear("#e4e0d4"))


def beach_hut(rng: np.random.Generator, code: str, roof_code: str) -> list[Part]:
    """A painted hut on short stilts with a door and a porch board; its front is at y = -1.7."""
    width, depth, wall, ridge, lift = 1.7, 1.5, 1.95, 2.55, 0.18
    front = -depth - 0.1
    hut = merged(
        [
            box(width, depth, wall - lift, cut_m=0.25).at(0, front + depth / 2, lift),
            gable(width, wall, ridge).at(0, front, 0),
            gable(width, wall, ridge).at(0, front + depth, 0, 180),
        ]
    )
    trim = [box(0.07, 0.03, wall - lift).at(side * (width / 2 - 0.03), front - 0.015, lift) for side in (-1, 1)]
    trim += [box(0.06, 0.03, 1.5).at(side * 0.37, front - 0.015, lift) for side in (-1, 1)]
    trim += [box(0.8, 0.03, 0.06).at(0, front - 0.015, lift + 1.5), box(0.68, 0.02, 0.05).at(0, front - 0.01, 0.95)]
    stilts = [block(0.1, 0.1, lift).at(x, y, 0) for x in (-0.75, 0.75) for y in (front + 0.1, -0.2)]
    porch = box(width, 0.3, 0.04).at(0, front - 0.15, lift - 0.04)
    return [
        Part("beach hut", hut, Material(texture=boarding(rng, code, 8), tile_m=1.1)),
        Part("beach hut", merged(trim), WHITE),
        Part("beach hut", merged([*stilts, porch]), Material(linear("#8f7c64"))),
        Part(
            "beach hut",
            pitched_roof(width, depth, wall, ridge).at(0, front, 0),
            Material(texture=roof_tiles(rng, roof_code), tile_m=1.2),
        ),
    ]


def rowing_boat(rng: np.random.Generator, code: str, wood_texture: Floats) -> list[Part]:
    """A clinker boat along x with two benches and a pair of oars, about its middle."""
    length, beam, height = 2.4, 0.95, 0.5
    share_v, share_u = grid(np.linspace(0, 1, 9), np.linspace(-1, 1, 25))
    half = beam / 2 * (1 - np.abs(share_u) ** 2.6)
    keel, rim = 0.3 * np.abs(share_u) ** 3, height * (1 + 0.3 * share_u**2)
    turn = (share_v - 0.5) * np.pi
    belly = np.clip(np.cos(turn), 0, 1) ** 0.8
    points = np.stack([share_u * length / 2, half * np.sin(turn), rim + (keel - rim) * belly], axis=1)
    normals = np.stack([0.3 * share_u, np.sin(turn), -np.cos(turn) - 0.05], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    uv = np.stack([share_v * 1.4, share_u * length / 2], axis=1)
    hull = Mesh(points, normals, uv, grid_faces(24, 8))
    inside = Mesh(points * [0.985, 0.94, 1.0] + [0, 0, 0.02], -normals, uv, grid_faces(24, 8))
    benches = [box(0.2, 0.7 * beam, 0.03).at(x, 0, 0.32) for x in (-0.45, 0.35)]
    oars = [cylinder(0.02, 1.8, around=8).moved(pose(-0.9, y, 0.52) @ tilted(88, 1)) for y in (-0.12, 0.12)]
    blades = [block(0.4, 0.1, 0.02).at(0.75, y, 0.54) for y in (-0.12, 0.12)]
    steady = pose(0, 0, -0.05) @ tilted(rng.uniform(-5, 5), 0)
    plain = Material(texture=wood_texture, tile_m=0.8)
    return [
        Part("rowing boat", hull.moved(steady), Material(texture=boarding(rng, code), tile_m=0.8, shine=0.1)),
        Part("rowing boat", merged([inside, *benches]).moved(steady), plain),
        Part("oars", merged([*oars, *blades]).moved(steady), plain),
    ]


def deck_chair(cloth: Floats) -> list[Part]:
    """A folding chair with striped cloth, its back towards y = 0."""
    bars = []
    for side in (-0.27, 0.27):
        bars += [block(0.04, 0.05, 1.25).moved(pose(side, -0.75, 0.0) @ tilted(-38, 0))]
        bars += [block(0.04, 0.05, 0.95).moved(pose(side * 0.9, -0.05, 0.0) @ tilted(46, 0))]
    bars += [block(0.58, 0.04, 0.04).at(0, -0.02, 0.96), block(0.58, 0.04, 0.04).at(0, -0.72, 0.62)]
    path = [(-0.7, 0.64), (-0.56, 0.36), (-0.4, 0.3), (-0.24, 0.46), (-0.02, 0.98)]
    cloths = [
        rectangle((-0.24, y0, z0), (0.48, 0, 0), (0, y1 - y0, z1 - z0), 0.12)
        for (y0, z0), (y1, z1) in itertools.pairwise(path)
    ]
    return [
        Part("deck chair", merged(bars), Material(linear("#a9825a"))),
        Part("deck chair", merged(cloths), Material(texture=cloth, tile_m=0.48)),
    ]


def parasol(cloth: Floats) -> list[Part]:
    """An open sunshade on a pole, about its own axis."""
    pole = cylinder(0.025, 2.2, around=12)
    shade = facetted(lathe([(1.05, 1.78), (0.6, 2.06), (0.02, 2.24)], around=12, cut_m=0.3))
    knob = lathe([(0.03, 2.24), (0.02, 2.32), (1e-4, 2.34)], around=10)
    return [
        Part("parasol", shade, Material(texture=cloth, tile_m=2 * np.pi * 1.05 / 3)),
        Part("parasol", merged([pole, knob]), WHITE),
    ]


def sand_castle(texture: Floats, flag_code: str) -> list[Part]:
    """Four towers round a keep with a flag."""
    towers = []
    for x, y, size in ((-0.26, -0.2, 1.0), (0.26, -0.2, 1.0), (-0.26, 0.2, 1.0), (0.26, 0.2, 1.0), (0, 0, 1.5)):
        profile = [(0.15 * size, 0), (0.11 * size, 0.26 * size), (0.13 * size, 0.26 * size), (0.12 * size, 0.32 * size)]
        towers.append(lathe([*profile, (1e-4, 0.3 * size)], around=18).at(x, y, 0))
    walls = [block(0.52, 0.1, 0.16).at(0, y, 0) for y in (-0.2, 0.2)] + [
        block(0.1, 0.4, 0.16).at(x, 0, 0) for x in (-0.26, 0.26)
    ]
    flag = block(0.12, 0.006, 0.08).at(0.06, 0, 0.68)
    return [
        Part("sand castle", merged([*towers, *walls]), Material((0.82, 0.8, 0.78), texture, 0.8)),
        Part("sand castle", flag, Material(linear(flag_code))),
        Part("sand castle", block(0.01, 0.01, 0.32).at(0, 0, 0.46), Material(linear("#7d6a50"))),
    ]


def bucket_and_spade(code: str, other_code: str) -> list[Part]:
    """A child's bucket and spade."""
    bucket = lathe(
        [(1e-4, 0), (0.08, 0), (0.115, 0.19), (0.125, 0.19), (0.105, 0.18), (0.07, 0.02), (1e-4, 0.02)], around=20
    )
    spade = [block(0.03, 0.02, 0.34), block(0.12, 0.02, 0.14), block(0.1, 0.025, 0.03).at(0, 0, 0.34)]
    return [
        Part("bucket", bucket, Material(linear(code), shine=0.15)),
        Part("spade", merged(spade).moved(pose(0.3, 0, 0.0) @ tilted(12, 1)), Material(linear(other_code))),
    ]


def lifebuoy_post(band_code: str) -> list[Part]:
    """A post with a lifebuoy and a sign board."""
    post = box(0.12, 0.12, 1.9)
    board = box(0.7, 0.03, 0.4).at(0, -0.08, 1.4)
    words = [block(0.5, 0.01, 0.035).at(0, -0.1, z) for z in (1.49, 1.57, 1.65)]
    buoy, wrapped = (ring(0.24, thickness, around=24) for thickness in (0.055, 0.06))
    banded = np.abs(np.sin(2 * np.arctan2(wrapped.points[:, 2], wrapped.points[:, 0]))) < 0.5
    faces = wrapped.faces[banded[wrapped.faces].all(axis=1)]
    bands = Mesh(wrapped.points, wrapped.normals, wrapped.uv, faces)
    return [
        Part("lifebuoy post", merged([post, board]), Material(linear("#a08a6c"))),
        Part("lifebuoy post", merged(words), Material(linear("#4a4440"))),
        Part("lifebuoy", buoy.at(0, -0.13, 1.0), Material(linear("#e8e2d4"))),
        Part("lifebuoy", bands.at(0, -0.13, 1.0), Material(linear(band_code))),
    ]


def rocks(rng: np.random.Generator, texture: Floats, count: int = 5) -> list[Part]:
    """A heap of boulders about the origin."""
    stones = []
    for number in range(count):
        size = rng.uniform(0.3, 0.62) * (1.0 if number else 1.5)
        flat = np.diag([rng.uniform(0.9, 1.3), rng.uniform(0.8, 1.1), rng.uniform(0.6, 0.85), 1.0])
        place = pose(rng.uniform(-1.0, 1.0), rng.uniform(-0.45, 0.45), 0.25 * size, rng.uniform(0, 360))
        stones.append(lump(rng, size, 14).moved(place @ flat))
    return [Part("rocks", facetted(merged(stones)), Material(texture=texture, tile_m=1.3))]


def dune(rng: np.random.Generator, texture: Floats, length: float, depth: float, height: float) -> list[Part]:
    """A bank of sand along x that rises towards y = 0."""
    columns, rows = round(length / 0.5), round(depth / 0.3)
    share_v, share_u = grid(np.linspace(0, 1, rows + 1), np.linspace(0, 1, columns + 1))
    bumps = noise(rng, 2.0)[(share_v * 60).astype(int) % 256, (share_u * 200).astype(int) % 256]
    z = height * np.sin(share_v * np.pi / 2) ** 2 * (0.55 + 0.9 * bumps)
    points = np.stack([(share_u - 0.5) * length, (share_v - 1) * depth, z], axis=1)
    slope = np.pi / 2 * height / depth * np.sin(share_v * np.pi)
    normals = np.stack([0 * slope, -slope, np.ones_like(slope)], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return [
        Part(
            "dune",
            Mesh(points, normals, points[:, :2].copy(), grid_faces(columns, rows)),
            Material(texture=texture, tile_m=1.6),
        )
    ]


def beach_grass(rng: np.random.Generator, texture: Floats, count: int = 40) -> list[Part]:
    """A tuft of long thin blades about the origin."""
    blades = []
    for number in range(count):
        turn, lean = number * 137.5, rng.uniform(4, 34)
        away = 0.16 * np.sqrt(number / count)
        blade = block(0.012, 0.03, rng.uniform(0.35, 0.7)).moved(tilted(lean, 1))
        blades.append(blade.moved(pose(0, 0, 0, turn) @ pose(away, 0, 0)))
    return [Part("beach grass", merged(blades), Material(texture=texture, tile_m=0.6))]


def breakwater(rng: np.random.Generator, texture: Floats, posts: int) -> list[Part]:
    """A row of weathered posts along x from the origin."""
    stakes = [
        cylinder(rng.uniform(0.09, 0.13), rng.uniform(0.6, 1.0), around=12).at(
            0.3 * number, rng.uniform(-0.04, 0.04), 0
        )
        for number in range(posts)
    ]
    return [Part("breakwater", merged(stakes), Material(texture=texture, tile_m=0.7))]
