"""Skies painted on four square panels, each a quarter of the way round, with a skyline far away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lookaway.worlds.arrays import FloatArray, Floats
from lookaway.worlds.colours import Palette, srgb
from lookaway.worlds.patterns.canvas import light, noise
from lookaway.worlds.rendering.atlas import SIDE

QUARTERS = 4
LOWEST_DEG, HIGHEST_DEG = -4.0, 90.0
CLOUD_TILE = 2.4

# Brightness of what stands far away, by azimuth and elevation in degrees; 0 where the sky is seen.
Skyline = Callable[[np.random.Generator, FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True)
class Sky:
    """Display colours of a sky, and how much of it clouds cover (0 to 1)."""

    word: str
    zenith: str
    horizon: str
    cloud: str
    cover: float


BLUE = Sky("a blue sky with clouds", "#6d9bd2", "#c6d8e6", "#f4f3ef", 0.42)
PALE = Sky("a pale cloudy sky", "#bac3ca", "#e2e1da", "#f6f5f0", 0.5)
HAZY = Sky("a hazy sky", "#c6c9c9", "#e8e4d8", "#f4f1e8", 0.38)
GOLDEN = Sky("a golden evening sky", "#bdb2a6", "#f3cf96", "#f6dcb0", 0.46)
DUSK = Sky("an evening sky", "#8f8a90", "#eab184", "#e4b494", 0.46)


def day_sky(rng: np.random.Generator, palette: Palette) -> Sky:
    """A blue sky, or a colourless one where blue belongs to the subject."""
    skies = [sky for sky in (BLUE, BLUE, BLUE, PALE, HAZY) if palette.allows(sky.zenith)]
    return skies[int(rng.integers(len(skies)))]


def painted_sky(
    rng: np.random.Generator,
    sky: Sky,
    sun_direction: tuple[float, float, float],
    skyline_code: str,
    skyline: Skyline,
) -> list[Floats]:
    """Four panels from straight ahead clockwise; rows run from just below the horizon up to the zenith."""
    azimuth = np.linspace(0, 2 * np.pi, QUARTERS * (SIDE - 1) + 1)[None, :]
    elevation = np.deg2rad(np.linspace(LOWEST_DEG, HIGHEST_DEG, SIDE))[:, None]
    up = np.sin(elevation) + 0 * azimuth
    level = np.stack([np.sin(azimuth) * np.cos(elevation), np.cos(azimuth) * np.cos(elevation)], axis=-1)
    colour = gradient(sky, up)
    puffs, wisps = noise(rng, 1.7), noise(rng, 1.1)
    place = level / (np.maximum(up, 0.0) + 0.22)[..., None] / CLOUD_TILE
    density = 0.75 * looked_up(puffs, place) + 0.25 * looked_up(wisps, place * 3)
    cloud = np.clip((density - 0.72 + 0.5 * sky.cover) * 7, 0, 1) * np.clip(up * 9, 0, 1)
    shading = 0.86 + 0.3 * looked_up(wisps, place * 2)
    colour += (srgb(sky.cloud) * shading[..., None] - colour) * (0.92 * cloud)[..., None]
    towards_sun = level @ np.array(sun_direction[:2]) + up * sun_direction[2]
    colour += np.clip(towards_sun, 0, 1)[..., None] ** 40 * (0.35 * srgb("#fff0d0"))
    brightness = skyline(rng, azimuth + 0 * up, np.rad2deg(elevation) + 0 * up)
    colour = np.where(brightness[..., None] > 0, srgb(skyline_code) * brightness[..., None], colour)
    starts = range(0, QUARTERS * (SIDE - 1), SIDE - 1)
    return [light(colour[:, start : start + SIDE]) for start in starts]


def gradient(sky: Sky, up: FloatArray) -> FloatArray:
    """From the horizon's colour to the zenith's."""
    share = (np.clip(up, 0, 1) ** 0.6)[..., None]
    mixed: FloatArray = srgb(sky.horizon) * (1 - share) + srgb(sky.zenith) * share
    return mixed


def looked_up(image: Floats, place: FloatArray) -> FloatArray:
    """Smooth values of a tileable image at places given in tiles."""
    spot = place * SIDE
    corner = np.floor(spot).astype(int)
    share = spot - corner
    column, row = corner[..., 0], corner[..., 1]
    across, upward = share[..., 0], share[..., 1]
    low = image[row % SIDE, column % SIDE] * (1 - across) + image[row % SIDE, (column + 1) % SIDE] * across
    high = image[(row + 1) % SIDE, column % SIDE] * (1 - across) + image[(row + 1) % SIDE, (column + 1) % SIDE] * across
    mixed: FloatArray = low * (1 - upward) + high * upward
    return mixed


def hills(rng: np.random.Generator, azimuth: FloatArray, elevation_deg: FloatArray) -> FloatArray:
    """Gentle ridges with a ragged edge of trees."""
    height = 5.0 + 0 * azimuth
    for waves in (2, 3, 5, 9, 40, 90, 170):
        height += 2.6 / waves**0.6 * np.sin(waves * azimuth + rng.uniform(0, 2 * np.pi))
    return np.where(elevation_deg < height, mottled(rng, azimuth, elevation_deg), 0.0)


def roofs(rng: np.random.Generator, azimuth: FloatArray, elevation_deg: FloatArray) -> FloatArray:
    """A row of gabled houses with chimneys and dark windows."""
    houses = 40
    place = azimuth / (2 * np.pi) * houses % houses
    number = place.astype(int)
    across = place - number
    wall = rng.uniform(3.5, 7, houses)[number]
    height = wall + rng.uniform(1, 3.5, houses)[number] * (1 - np.abs(across - 0.5) * 2)
    chimney = np.abs(across - rng.uniform(0.25, 0.75, houses)[number]) < 0.05
    tone = rng.uniform(0.75, 1.1, houses)[number] * np.where(elevation_deg > wall, 0.7, 1.0)
    window = (np.abs(across * 3 % 1 - 0.5) < 0.2) & (np.abs(elevation_deg / 2.2 % 1 - 0.5) < 0.24)
    tone = np.where(window & (elevation_deg < wall - 0.4), tone * 0.62, tone)
    return np.where(elevation_deg < height + 1.6 * chimney, tone, 0.0)


def sea(rng: np.random.Generator, azimuth: FloatArray, elevation_deg: FloatArray) -> FloatArray:
    """Nothing ahead, where the water ends the view; a line of dunes behind."""
    behind = np.clip(-np.cos(azimuth) - 0.1, 0, 1)
    ragged = 1 + 0.18 * np.sin(13 * azimuth + rng.uniform(0, 6)) + 0.05 * np.sin(41 * azimuth)
    return np.where(elevation_deg < 9 * behind * ragged - 1, mottled(rng, azimuth, elevation_deg), 0.0)


def mottled(rng: np.random.Generator, azimuth: FloatArray, elevation_deg: FloatArray) -> FloatArray:
    """Brightness of something leafy far away."""
    place = np.stack([azimuth * 15 / (2 * np.pi), elevation_deg / 10], axis=-1)
    return 0.8 + 0.4 * looked_up(noise(rng, 0.9), place)
