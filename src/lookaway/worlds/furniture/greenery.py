"""Trees, hedges, shrubs and flower pots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats
from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.mesh import Mesh, box, lathe, merged, pose, sphere, tilted
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.patterns.greenery import bark, foliage
from lookaway.worlds.shell import shuffled

LEAF_CODES = ("#75a069", "#7da871", "#ddb84e", "#b9b354")  # the last two where green belongs to the subject
BLOSSOM_CODES = ("#e8d9a8", "#d8b04c", "#c9574e", "#b98fc0", "#ded7e6", "#d98a4c")
LEAF_TILE_M = 0.9
CLUMPS = 36
OUTER_LIGHT = 1.5


@dataclass(frozen=True, eq=False)
class Plants:
    """What grows in one place looks alike: green, or autumnal where green belongs to the subject."""

    leaves: Floats
    flowers: Floats

    @classmethod
    def grown(cls, rng: np.random.Generator, palette: Palette) -> Plants:
        """Leaves of one colour, blossoms of two."""
        leaf = palette.allowed(LEAF_CODES)[int(rng.integers(2))]
        return cls(foliage(rng, leaf), foliage(rng, leaf, shuffled(rng, palette.allowed(BLOSSOM_CODES))[:2]))


def lump(rng: np.random.Generator, radius: float, around: int = 16) -> Mesh:
    """An uneven ball of leaves, texture in metres."""
    ball = sphere(radius, around)
    swell = np.ones(len(ball.points))
    for waves in (3, 4, 6):
        axis = rng.standard_normal(3)
        axis *= waves / np.linalg.norm(axis)
        swell += 0.07 * np.sin(ball.normals @ axis * 1.6 + rng.uniform(0, 6))
    return Mesh(ball.points * swell[:, None], ball.normals, ball.uv * (2 * np.pi * radius, np.pi * radius), ball.faces)


def leafy(rng: np.random.Generator, core: Mesh, sprays: int, size: float) -> tuple[Mesh, Mesh]:
    """A crown about the origin: its core, shaded as one soft ball, and sprays of leaves that stick out of it."""
    reach = np.linalg.norm(core.points, axis=1)
    normals = 0.35 * core.normals + core.points / reach[:, None]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    outer = np.flatnonzero(reach >= np.quantile(reach, 0.35))
    twigs = outer[rng.integers(len(outer), size=sprays)]
    outermost = [spray(rng, core.points[twig], normals[twig], size) for twig in twigs]
    return Mesh(core.points, normals, core.uv, core.faces), merged(outermost)


def spray(rng: np.random.Generator, place: FloatArray, normal: FloatArray, size: float) -> Mesh:
    """A pointed tuft of leaves, lit like the surface it grows from."""
    along = 0.5 * normal + 0.7 * rng.standard_normal(3)
    along *= size * rng.uniform(0.7, 1.3) / np.linalg.norm(along)
    across = np.cross(along, rng.standard_normal(3))
    across *= 0.42 * size / np.linalg.norm(across)
    start = place + size * rng.uniform(-0.7, 0.7, 3)
    points = start + np.stack([-0.6 * along, across, along, -across])
    uv = rng.uniform(0, LEAF_TILE_M, 2) + size * np.array([(0, 0), (0.5, 0.35), (1, 0), (0.5, -0.35)])
    return Mesh(points, np.tile(normal, (4, 1)), uv, np.array([(0, 1, 2), (0, 2, 3)], np.int32))


def bush(rng: np.random.Generator, radius: float) -> tuple[Mesh, Mesh]:
    """Core and sprays of a round bush about the origin."""
    return leafy(rng, lump(rng, radius, 10), sprays=90, size=0.3 * radius)


def foliated(name: str, leaves: Iterable[Mesh], texture: Floats, tile_m: float = LEAF_TILE_M) -> list[Part]:
    """Core and sprays: leaves in the light around others in the shade."""
    core, sprays = leaves
    return [
        Part(name, core, Material(texture=texture, tile_m=tile_m)),
        Part(name, sprays, Material((OUTER_LIGHT,) * 3, texture, tile_m)),
    ]


def tree(rng: np.random.Generator, texture: Floats, height: float, bark_code: str = "#7d6650") -> list[Part]:
    """A broad-leaved tree about its own axis."""
    stem, crown = 0.42 * height, 0.3 * height
    trunk = lathe([(0.075 * height**0.5, 0), (0.05 * height**0.5, 0.25), (0.035 * height**0.5, stem)], around=14)
    limbs = [
        lathe([(0.05, 0), (0.025, 0.34 * height)], around=8).moved(pose(0, 0, 0.8 * stem, turn) @ tilted(lean, 1))
        for turn, lean in zip((15, 140, 260), rng.uniform(22, 40, 3), strict=True)
    ]
    clumps = [lump(rng, 0.72 * crown, 18)]
    for number, turn in enumerate(np.deg2rad(np.arange(CLUMPS) * 137.5 + rng.uniform(0, 360))):
        climb = 2 * (number + 0.5) / CLUMPS - 1
        away, up = 0.74 * crown * np.sqrt(1 - climb**2), 0.7 * crown * climb
        ball = lump(rng, rng.uniform(0.17, 0.27) * crown, 8)
        clumps.append(ball.at(away * np.cos(turn), away * np.sin(turn), up))
    crown_leaves = (mesh.at(0, 0, stem + crown) for mesh in leafy(rng, merged(clumps), 600, 0.12 * crown))
    return [
        Part("tree", merged([trunk, *limbs]), Material(texture=bark(rng, bark_code), tile_m=0.6)),
        *foliated("tree", crown_leaves, texture),
    ]


def conifer(rng: np.random.Generator, texture: Floats, height: float) -> list[Part]:
    """A fir: four skirts of needles on a short trunk."""
    trunk = lathe([(0.1, 0), (0.07, 0.2 * height)], around=12)
    skirts = []
    for number in range(4):
        low = (0.14 + 0.2 * number) * height
        wide = (0.27 - 0.052 * number) * height
        skirts.append(lathe([(0.05, low + 0.02), (wide, low), (0.02, low + 0.36 * height)], around=18, cut_m=0.4))
    return [
        Part("fir tree", trunk, Material(texture=bark(rng, "#6d5844"), tile_m=0.5)),
        Part("fir tree", merged(skirts), Material(texture=texture, tile_m=LEAF_TILE_M)),
    ]


def hedge(texture: Floats, length: float, height: float, depth: float = 0.5) -> list[Part]:
    """A clipped hedge, its back at y = 0."""
    body = box(length, depth, height - 0.06, cut_m=0.25).at(0, -depth / 2, 0)
    top = box(length - 0.08, depth - 0.1, 0.06, cut_m=0.25).at(0, -depth / 2, height - 0.06)
    return [Part("hedge", merged([body, top]), Material(texture=texture, tile_m=LEAF_TILE_M))]


def flower_bed(rng: np.random.Generator, flowers: Floats, length: float, depth: float = 0.4) -> list[Part]:
    """Flowering shrubs in a row behind a low edging, its back at y = 0."""
    count = max(2, round(length / 0.42))
    shrubs = []
    for place in (np.arange(count) + 0.5) / count * length - length / 2:
        stretch = np.diag([1.0, 1.0, rng.uniform(0.9, 1.35), 1.0])
        shrub = bush(rng, rng.uniform(0.17, 0.22))
        up = pose(place, -depth / 2, rng.uniform(0.2, 0.26))
        shrubs.append([mesh.moved(up @ stretch) for mesh in shrub])
    edging = box(length, 0.05, 0.12, cut_m=0.3).at(0, -depth + 0.02, 0)
    earth = box(length, depth - 0.06, 0.08, cut_m=0.3).at(0, -depth / 2 + 0.02, 0)
    return [
        Part("flower bed", earth, Material(linear("#5b4a3a"))),
        Part("flower bed", edging, Material(linear("#8f8779"))),
        *foliated("flower bed", map(merged, zip(*shrubs, strict=True)), flowers, 0.55),
    ]


def flower_pots(rng: np.random.Generator, flowers: Floats, pot_codes: Sequence[str], count: int = 3) -> list[Part]:
    """Pots with round flowering plants, side by side, 0.42 m apart."""
    parts = []
    for number in range(count):
        x, size = (number - (count - 1) / 2) * 0.42, rng.uniform(0.85, 1.15)
        pot = lathe([(1e-4, 0), (0.1, 0), (0.14, 0.22), (0.16, 0.22), (0.16, 0.26), (1e-4, 0.25)], around=20)
        scale = pose(x, -0.2, 0) @ np.diag([size, size, size, 1.0])
        plant = [mesh.moved(scale @ pose(0, 0, 0.4)) for mesh in bush(rng, 0.17)]
        clay = Material(linear(pot_codes[int(rng.integers(len(pot_codes)))]), shine=0.05)
        parts += [
            Part("flower pots", pot.moved(scale), clay),
            *foliated("flower pots", plant, flowers, 0.5),
        ]
    return parts
