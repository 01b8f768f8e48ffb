"""What one walks on outdoors."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Floats
from lookaway.worlds.colours import srgb
from lookaway.worlds.patterns.canvas import light, noise, pixels, tinted
from lookaway.worlds.rendering.atlas import SIDE


def grass(rng: np.random.Generator, code: str) -> Floats:
    """Short blades in patches, here and there a yellowed one."""
    blades = noise(rng, 0.45, row_stretch=2.5)
    patches = noise(rng, 1.7)
    brightness = 0.42 + 0.72 * blades + 0.5 * (patches - 0.5)
    dry = np.clip(4 * (noise(rng, 1.0) - 0.66), 0, 0.5)[..., None]
    warm = srgb(code) * np.array([1.25, 1.06, 0.9], np.float32)
    return light((srgb(code) * (1 - dry) + warm * dry) * brightness[..., None])


def paving(rng: np.random.Generator, code: str, joint_code: str = "#6f6b64") -> Floats:
    """Rectangular slabs of uneven length in six courses."""
    rows, columns = pixels()
    courses = 6
    course = np.minimum(rows * courses // SIDE, courses - 1)
    colour = np.zeros((SIDE, SIDE, 3), np.float32)
    joint = rows * courses % SIDE < 2.6 * courses
    grain = 0.84 + 0.32 * noise(rng, 0.8)
    for number in range(courses):
        ends = np.sort(np.cumsum(rng.uniform(0.7, 1.3, 4)))
        ends = (ends / ends[-1] * SIDE + rng.integers(0, SIDE)) % SIDE
        here = course == number
        order = np.sort(ends)
        slab = np.searchsorted(order, columns) % 4
        tone = rng.uniform(0.8, 1.1, 4)[slab]
        colour[here] = tinted(srgb(code), tone * grain)[here]
        for end in order:
            joint |= here & (np.abs((columns - end + SIDE / 2) % SIDE - SIDE / 2) < 1.6)
    colour[joint] = tinted(srgb(joint_code), grain)[joint]
    return light(colour)


def cobbles(rng: np.random.Generator, code: str, joint_code: str = "#5d5850") -> Floats:
    """Rounded setts in staggered rows."""
    rows, columns = pixels()
    tall, wide = SIDE / 8, SIDE / 6
    row = (rows / tall).astype(int)
    along = (columns + (row % 2) * wide / 2) % SIDE
    column = (along / wide).astype(int)
    across = np.abs(rows % tall / tall - 0.5) * 2
    beside = np.abs(along % wide / wide - 0.5) * 2
    roundness = (across**4 + beside**4) ** 0.25
    tone = rng.uniform(0.72, 1.14, (8, 6))[row, column]
    brightness = tone * (0.74 + 0.5 * noise(rng, 0.8)) * (1.06 - 0.3 * roundness**3)
    colour = tinted(srgb(code), brightness)
    joint = roundness > 0.9
    colour[joint] = tinted(srgb(joint_code), 0.6 + 0.5 * noise(rng, 0.7))[joint]
    return light(colour)


def gravel(rng: np.random.Generator, code: str) -> Floats:
    """Small stones, light and dark."""
    stones = noise(rng, 0.55)
    brightness = 0.5 + 0.8 * stones + 0.3 * (noise(rng, 1.4) - 0.5)
    brightness[stones < 0.3] *= 0.7
    return light(tinted(srgb(code), brightness))


def sand(rng: np.random.Generator, code: str) -> Floats:
    """Wind ripples along texture u, grains and a few shells."""
    rows, _ = pixels()
    wobble = 26 * (noise(rng, 1.8) - 0.5)
    ripples = np.sin((rows + wobble) * 2 * np.pi * 16 / SIDE)
    brightness = 0.88 + 0.06 * ripples + 0.34 * (noise(rng, 0.35) - 0.5) + 0.2 * (noise(rng, 1.5) - 0.5)
    colour = tinted(srgb(code), brightness)
    shell = noise(rng, 0.6) > 0.93
    colour[shell] = srgb("#efe6d6")
    return light(colour)


def asphalt(rng: np.random.Generator, code: str) -> Floats:
    """Grey grit with mended patches."""
    brightness = 0.7 + 0.55 * noise(rng, 0.35) + 0.3 * (noise(rng, 1.6) - 0.5)
    return light(tinted(srgb(code), brightness))


def water(rng: np.random.Generator, code: str) -> Floats:
    """Waves that run along texture u, with thin crests."""
    swell = noise(rng, 1.1, column_stretch=6.0)
    brightness = 0.72 + 0.5 * swell
    colour = tinted(srgb(code), brightness)
    crest = noise(rng, 0.8, column_stretch=7.0) > 0.82
    colour[crest] = srgb("#e3e7e8")
    return light(colour)
