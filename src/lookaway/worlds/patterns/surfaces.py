"""Floors, walls and raw materials."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import srgb
from lookaway.worlds.patterns.canvas import light, noise, pixels, tinted
from lookaway.worlds.rendering.atlas import SIDE


def wood(rng: np.random.Generator, code: str) -> Floats:
    """Grain that runs along the rows' direction (texture v)."""
    grain = noise(rng, 1.1, row_stretch=14.0)
    cloud = noise(rng, 1.8, row_stretch=3.0)
    return light(tinted(srgb(code), 0.72 + 0.36 * grain + 0.18 * (cloud - 0.5)))


def planks(rng: np.random.Generator, code: str, boards: int = 8) -> Floats:
    """Floor boards along texture v with staggered ends."""
    rows, columns = pixels()
    width = SIDE // boards
    board = columns // width
    shift = rng.integers(0, SIDE, boards)[board]
    piece = ((rows + shift) % SIDE) // (SIDE // 2)
    tone = rng.uniform(0.72, 1.08, (boards, 2))[board, piece]
    grain = noise(rng, 1.0, row_stretch=12.0)
    brightness = tone * (0.78 + 0.34 * grain)
    gap = (columns % width == 0) | ((rows + shift) % (SIDE // 2) < 2)
    brightness[gap] *= 0.5
    return light(tinted(srgb(code), brightness))


def parquet(rng: np.random.Generator, code: str) -> Floats:
    """Square blocks of four strips, turned by turns."""
    rows, columns = pixels()
    block = SIDE // 4
    block_row, block_column = rows // block, columns // block
    upright = (block_row + block_column) % 2 == 0
    across = np.where(upright, columns, rows) % block
    strip = across // (block // 4)
    tone = rng.uniform(0.74, 1.06, (4, 4, 4))[block_row, block_column, strip]
    grain = np.where(upright, noise(rng, 1.0, row_stretch=10.0), noise(rng, 1.0, column_stretch=10.0))
    brightness = tone * (0.8 + 0.32 * grain)
    brightness[across % (block // 4) == 0] *= 0.6
    return light(tinted(srgb(code), brightness))


def carpet(rng: np.random.Generator, code: str) -> Floats:
    """Short pile with a faint woven lattice."""
    rows, columns = pixels()
    lattice = (((rows + columns) % 32) < 3) | (((rows - columns) % 32) < 3)
    brightness = 0.62 + 0.5 * noise(rng, 0.35) + 0.3 * (noise(rng, 1.6) - 0.5)
    return light(tinted(srgb(code), brightness * np.where(lattice, 0.78, 1.0)))


def brick(rng: np.random.Generator, code: str, mortar_code: str = "#b9b3a6") -> Floats:
    """Running bond, twelve courses to the tile."""
    rows, columns = pixels()
    course_px, brick_px = SIDE / 12, SIDE / 4
    course = (rows / course_px).astype(int)
    along = (columns + (course % 2) * brick_px / 2) % SIDE
    number = (along / brick_px).astype(int)
    tone = rng.uniform(0.7, 1.12, (12, 4))[course, number]
    colour = tinted(srgb(code), tone * (0.78 + 0.42 * noise(rng, 0.9)))
    joint = (rows % course_px < 2.4) | (along % brick_px < 2.4)
    colour[joint] = tinted(srgb(mortar_code), 0.8 + 0.3 * noise(rng, 0.8))[joint]
    return light(colour)


def plaster(rng: np.random.Generator, code: str) -> Floats:
    """Trowelled paint: faint clouds and grain."""
    brightness = 0.93 + 0.2 * (noise(rng, 1.5) - 0.5) + 0.12 * (noise(rng, 0.5) - 0.5)
    return light(tinted(srgb(code), brightness))


def wallpaper(rng: np.random.Generator, code: str, motif_code: str) -> Floats:
    """Broad stripes with a row of diamonds on every other one."""
    rows, columns = pixels()
    stripe = SIDE // 4
    place = columns % stripe - stripe // 2
    dark = (columns // stripe) % 2 == 0
    diamond = np.abs(place) + np.abs(rows % 64 - 32) * 0.7 < 13
    colour = np.where(dark[..., None], srgb(code) * 0.88, srgb(code))
    colour = np.where((dark & diamond)[..., None], srgb(motif_code), colour)
    edge = columns % stripe < 3
    colour = np.where(edge[..., None], srgb(motif_code) * 0.9, colour)
    return light(colour * (0.94 + 0.12 * (noise(rng, 0.8)[..., None] - 0.5)))


def tiles(rng: np.random.Generator, code: str, other_code: str) -> Floats:
    """A board of square tiles, four to a side."""
    rows, columns = pixels()
    side = SIDE // 4
    odd = (rows // side + columns // side) % 2 == 1
    colour = np.where(odd[..., None], srgb(code), srgb(other_code))
    tone = rng.uniform(0.9, 1.05, (4, 4))[rows // side, columns // side] * (0.9 + 0.2 * noise(rng, 1.3))
    joint = (rows % side < 2) | (columns % side < 2)
    return light(colour * np.where(joint, 0.6, tone)[..., None])


def concrete(rng: np.random.Generator, code: str) -> Floats:
    """Stained slab with sawn joints along the tile's border."""
    rows, columns = pixels()
    brightness = 0.84 + 0.34 * (noise(rng, 1.2) - 0.5) + 0.22 * (noise(rng, 0.4) - 0.5)
    brightness -= 0.45 * np.clip(noise(rng, 1.7) - 0.6, 0, 0.25)
    joint = (rows < 2) | (columns < 2)
    return light(tinted(srgb(code), np.where(joint, brightness * 0.55, brightness)))


def leaf(rng: np.random.Generator, code: str) -> Floats:
    """Mottled foliage."""
    return light(tinted(srgb(code), 0.45 + 0.9 * noise(rng, 0.9)))


def woven(rng: np.random.Generator, code: str) -> Floats:
    """Upholstery cloth."""
    rows, columns = pixels()
    weave = 0.06 * np.sin(rows * np.pi / 4) * np.sin(columns * np.pi / 4)
    return light(tinted(srgb(code), 0.86 + weave + 0.24 * (noise(rng, 0.8) - 0.5)))
