"""Window panes as seen from the street."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import srgb
from lookaway.worlds.patterns.canvas import light, noise, pixels
from lookaway.worlds.rendering.atlas import SIDE


def pane(rng: np.random.Generator, code: str) -> Floats:
    """Glass of that colour, pale curtains drawn to both sides, something on the sill."""
    rows, columns = pixels()
    image = srgb(code) * (0.75 + 0.5 * noise(rng, 1.5)[..., None])
    gleam = np.abs(columns - rows * 0.6 - rng.uniform(0, 120)) < 18
    image[gleam] = image[gleam] * 0.7 + 0.25
    drawn = rng.uniform(40, 80)
    aside = np.minimum(columns, SIDE - 1 - columns) < drawn * (0.55 + 0.45 * rows / SIDE)
    folds = 0.8 + 0.16 * np.sin(columns * 0.5)
    image = np.where(aside[..., None], srgb("#cfc8ba") * folds[..., None], image)
    pot = (np.abs(columns - rng.uniform(100, 156)) < 20) & (rows < 40)
    image[pot] = srgb("#8a6a52")
    return light(image)
