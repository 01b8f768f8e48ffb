"""Boards, maps and papers of a classroom."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import Palette, srgb
from lookaway.worlds.patterns.canvas import light, noise, pixels
from lookaway.worlds.rendering.atlas import SIDE

LANDS = ("#b59a62", "#9aa06c", "#a57f62", "#c2ab7c")
SEAS = ("#a9c0cc", "#c9cfd0")
PAPERS = ("#e9e4d4", "#d9c98a", "#c8d0d4", "#d8b9a4", "#c4d0b4")


def chalked(rng: np.random.Generator, board_code: str, chalk_code: str) -> Floats:
    """Lines of handwriting, a triangle, a circle and wiped smears."""
    rows, columns = pixels()
    image = srgb(board_code) * (0.85 + 0.4 * noise(rng, 1.5, column_stretch=3.0)[..., None])
    writing = np.zeros((SIDE, SIDE), bool)
    for line in range(6):
        start, end = rng.integers(14, 30), rng.integers(90, 150)
        wave = 4 * np.sin(columns * rng.uniform(0.5, 0.9)) * np.sin(columns * 0.13 + line)
        row = 220 - 30 * line
        gap = np.sin(columns * rng.uniform(0.14, 0.22) + line) > 0.75
        writing |= (np.abs(rows - row - wave) < 2.2) & (columns > start) & (columns < end) & ~gap
    x, y = columns - 200, rows - 170
    writing |= np.abs(np.hypot(x, y) - 34) < 1.8
    writing |= (np.abs(y) < 1.5) & (np.abs(x) < 34)
    u, v = columns - 196, rows - 70
    edges = np.maximum(np.maximum(-v - 30, 0.87 * u + 0.5 * v - 20), -0.87 * u + 0.5 * v - 20)
    writing |= np.abs(edges) < 1.8
    image[writing] = srgb(chalk_code) * 0.95
    return light(image)


def world_map(rng: np.random.Generator, palette: Palette) -> Floats:
    """Lands in a pale sea under a net of lines, inside a border."""
    rows, columns = pixels()
    shape = noise(rng, 1.9, row_stretch=1.3)
    land = shape > 0.54
    lands = palette.allowed(LANDS)
    tone = np.array([srgb(lands[number % len(lands)]) for number in range(3)])[
        np.clip((noise(rng, 1.8) * 3), 0, 2).astype(int)
    ]
    image = np.where(land[..., None], tone, srgb(palette.choose(rng, SEAS)))
    coast = land != np.roll(land, 1, axis=0)
    coast |= land != np.roll(land, 1, axis=1)
    image[coast] = srgb("#5d564a")
    image[(rows % 42 == 0) | (columns % 42 == 0)] *= 0.8
    rim = (rows < 8) | (columns < 8) | (rows >= SIDE - 8) | (columns >= SIDE - 8)
    image[rim] = srgb("#6b5a44")
    return light(image)


def noticeboard(rng: np.random.Generator, palette: Palette) -> Floats:
    """Cork with pinned papers, each with lines or a drawing."""
    rows, columns = pixels()
    image = srgb("#b08a5c") * (0.8 + 0.4 * noise(rng, 0.4)[..., None])
    papers = palette.allowed(PAPERS)
    for number in range(12):
        left, low = 12 + 62 * (number % 4) + rng.integers(0, 10), 14 + 82 * (number // 4) + rng.integers(0, 12)
        wide, tall = rng.integers(36, 50), rng.integers(46, 64)
        sheet = (columns >= left) & (columns < left + wide) & (rows >= low) & (rows < low + tall)
        image[sheet] = srgb(papers[int(rng.integers(len(papers)))])
        if rng.random() < 0.5:
            image[sheet & (rows % 8 < 2) & (columns > left + 5) & (columns < left + wide - 7)] = srgb("#5d5a57")
        else:
            blot = np.hypot(columns - left - wide / 2, rows - low - tall / 2) < wide * 0.3
            image[sheet & blot] = srgb("#7c6a58")
        image[np.hypot(columns - left - wide / 2, rows - low - tall + 5) < 3] = srgb("#3a3532")
    return light(image)


def diagram(rng: np.random.Generator) -> Floats:
    """A slide: a heading, a bar chart and lines of text."""
    rows, columns = pixels()
    image = np.tile(srgb("#e6e3da"), (SIDE, SIDE, 1))
    image[(rows > 218) & (rows < 236) & (columns > 20) & (columns < 170)] = srgb("#4a4a4c")
    for number in range(6):
        tall = rng.integers(40, 150)
        inside = (columns > 24 + 18 * number) & (columns < 36 + 18 * number) & (rows > 30) & (rows < 30 + tall)
        image[inside] = srgb("#8a7a5c" if number % 2 else "#6d6f72")
    text = (columns > 150) & (columns < 236) & (rows % 22 < 6) & (rows > 30) & (rows < 190)
    image[text] = srgb("#8b8a86")
    return light(image)
