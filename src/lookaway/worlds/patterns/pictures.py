"""Pictures, calendars and window views that fill the texture once; muted, and off the subject's hue."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import Palette, srgb
from lookaway.worlds.patterns.canvas import light, noise, pixels
from lookaway.worlds.rendering.atlas import SIDE

SKIES = ("#c9d3da", "#ddd2bd", "#d8c6bd", "#cfd2c8")
LANDS = ("#7d8471", "#8a7a62", "#6f7f86", "#8c6f66", "#77707f", "#9a9078", "#5f6a63")
SHAPES = ("#b08d57", "#7f8f8a", "#8c5a4b", "#566270", "#c2b59b", "#6d6a75", "#4f5b4e", "#a3876f")


def landscape(rng: np.random.Generator, palette: Palette) -> Floats:
    """A pale sky, a sun and three ridges, near ones darker."""
    rows, columns = pixels()
    height = rows / SIDE
    sky = srgb(palette.choose(rng, SKIES))
    image = sky * (0.82 + 0.24 * height[..., None])
    sun_column, sun_row = rng.uniform(50, 200), rng.uniform(170, 215)
    sun = np.hypot(columns - sun_column, rows - sun_row) < rng.uniform(14, 24)
    image[sun] = srgb("#f3ead2")
    lands = rng.permutation(palette.allowed(LANDS))
    for number, level in enumerate((0.62, 0.46, 0.28)):
        phase, waves = rng.uniform(0, 2 * np.pi), rng.integers(1, 4)
        bumps = np.sin(columns / SIDE * 2 * np.pi * waves + phase) * 0.07
        ridge = level + bumps + 0.05 * np.sin(columns * 0.11 + 2 * phase)
        image = np.where((height < ridge)[..., None], srgb(lands[number % len(lands)]) * (1 - 0.16 * number), image)
    return light(bordered(image * (0.92 + 0.16 * noise(rng, 0.9)[..., None])))


def abstract(rng: np.random.Generator, palette: Palette) -> Floats:
    """Overlapping plain rectangles and one disc."""
    rows, columns = pixels()
    image = np.tile(srgb("#d9d0bd"), (SIDE, SIDE, 1))
    colours = palette.allowed(SHAPES)
    for _ in range(6):
        left, low = rng.integers(20, 170, 2)
        wide, tall = rng.integers(30, 110, 2)
        inside = (columns >= left) & (columns < left + wide) & (rows >= low) & (rows < low + tall)
        image[inside] = srgb(colours[int(rng.integers(len(colours)))])
    disc = np.hypot(columns - rng.uniform(70, 190), rows - rng.uniform(70, 190)) < rng.uniform(22, 40)
    image[disc] = srgb(colours[int(rng.integers(len(colours)))]) * 0.8
    return light(bordered(image * (0.94 + 0.12 * noise(rng, 0.8)[..., None])))


def bordered(image: Floats) -> Floats:
    """The image inside a pale mount."""
    rows, columns = pixels()
    rim = 24
    mount = (rows < rim) | (columns < rim) | (rows >= SIDE - rim) | (columns >= SIDE - rim)
    return np.where(mount[..., None], srgb("#e6e1d6"), image)


def calendar() -> Floats:
    """A wall sheet: a dark heading and a table of days."""
    rows, columns = pixels()
    image = np.tile(srgb("#e4e0d4"), (SIDE, SIDE, 1))
    image[rows > 200] = srgb("#4a4e55")
    day = (rows > 24) & (rows < 190) & (columns > 18) & (columns < 238)
    image[day & (rows % 32 < 12) & (columns % 32 < 18)] = srgb("#6b6a66")
    return light(image)


def window_view(rng: np.random.Generator, palette: Palette) -> Floats:
    """A hazy street side: pale sky above grey roofs with dark windows."""
    rows, columns = pixels()
    image = srgb(palette.choose(rng, ("#dfe6ea", "#e8e4da"))) * (0.9 + 0.1 * (rows / SIDE)[..., None])
    for start in range(0, SIDE, 64):
        top = int(rng.integers(90, 180))
        house = (columns >= start) & (columns < start + 64) & (rows < top)
        image[house] = srgb("#a9a79f") * rng.uniform(0.75, 1.05)
        pane = house & (rows % 28 > 10) & ((columns - start) % 22 > 12) & (rows < top - 10)
        image[pane] = srgb("#5d6063")
    return light(image)
