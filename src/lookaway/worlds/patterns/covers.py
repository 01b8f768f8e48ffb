"""What hides the view: a sheet of cardboard and a gathered curtain."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import srgb
from lookaway.worlds.patterns.canvas import light, noise, pixels, tinted
from lookaway.worlds.rendering.atlas import SIDE

FLUTE_PX = 4
TAPE_PX = 17
RIM_PX = 2.5
THREAD_PX = 4


def cardboard_sheet(rng: np.random.Generator, code: str, across: float, up: float) -> Floats:
    """A sheet that fills those shares of the texture: flutes, a crease, a strip of tape, a darker rim."""
    rows, columns = (place.astype(np.float32) for place in pixels())
    width, height = across * SIDE, up * SIDE
    flutes = 0.035 * np.cos(2 * np.pi * columns / FLUTE_PX)
    stains = 0.16 * (noise(rng, 1.6) - 0.5) + 0.1 * (noise(rng, 0.5) - 0.5)
    brightness = 0.93 + flutes + stains + 0.1 * (noise(rng, 1.0, row_stretch=9.0) - 0.5)
    crease = rows - height * 0.31
    brightness[np.abs(crease) < 1.5] *= 0.8
    brightness[np.abs(crease - 2.5) < 1.2] *= 1.07
    image = tinted(srgb(code), brightness.astype(np.float32))
    beside_tape = np.abs(columns - width / 2) - TAPE_PX / 2
    wrinkles = 0.97 + 0.1 * (noise(rng, 1.1, column_stretch=6.0) - 0.5) + 0.5 * flutes
    taped = beside_tape < 0
    image[taped] = tinted(srgb("#cdb185"), wrinkles.astype(np.float32))[taped]
    image[np.abs(beside_tape) < 1.0] *= 0.86
    inset = np.minimum(np.minimum(columns, width - 1 - columns), np.minimum(rows, height - 1 - rows))
    shaded = 1 - 0.3 * np.exp(-np.maximum(inset, 0) / RIM_PX) - 0.1 * np.exp(-np.maximum(inset, 0) / (6 * RIM_PX))
    return light(image * shaded[..., None])


def gathered_cloth(rng: np.random.Generator, code: str, folds: int) -> Floats:
    """Coarse weave, so many soft folds side by side: bright on their ridges, dark in their valleys."""
    rows, columns = pixels()
    turn = 2 * np.pi * folds * columns / SIDE
    ridge = 0.5 - 0.5 * np.sin(turn + 0.5 * np.sin(turn))
    uneven = 0.16 * (noise(rng, 1.5, row_stretch=5.0) - 0.5)
    over, under = np.sin(2 * np.pi * columns / THREAD_PX), np.sin(2 * np.pi * rows / THREAD_PX)
    weave = 0.05 * np.where((rows // THREAD_PX + columns // THREAD_PX) % 2 == 0, over, under)
    slubs = 0.12 * (noise(rng, 0.6, row_stretch=6.0) - 0.5) + 0.12 * (noise(rng, 0.6, column_stretch=6.0) - 0.5)
    brightness = 0.5 + 0.5 * ridge + uneven + weave + slubs
    return light(tinted(srgb(code), brightness.astype(np.float32)))
