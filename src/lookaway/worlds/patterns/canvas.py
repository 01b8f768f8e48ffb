"""What every pattern starts from: pixel coordinates, tileable noise, display to linear light."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lookaway.worlds.arrays import Floats, Ints
from lookaway.worlds.rendering.atlas import SIDE


def pixels() -> tuple[Ints, Ints]:
    """Row and column of every texture pixel."""
    rows, columns = np.mgrid[0:SIDE, 0:SIDE].astype(np.int32)
    return rows, columns


def noise(
    rng: np.random.Generator, slope: float = 1.3, row_stretch: float = 1.0, column_stretch: float = 1.0
) -> Floats:
    """Tileable noise from 0 to 1; a steeper slope is smoother, a stretch draws it out along that axis."""
    frequency = np.fft.fftfreq(SIDE) * SIDE
    radius = np.hypot(frequency[:, None] * row_stretch, frequency[None, :] * column_stretch)
    spectrum = np.fft.fft2(rng.standard_normal((SIDE, SIDE))) / np.maximum(radius, 2.0) ** slope
    spectrum[0, 0] = 0
    wave = np.fft.ifft2(spectrum).real
    bounded: Floats = np.clip(0.5 + 0.2 * wave / wave.std(), 0, 1).astype(np.float32)
    return bounded


def tinted(code_colour: Floats, brightness: Floats) -> Floats:
    """A display colour at every pixel's brightness."""
    return code_colour * brightness[..., None]


def light(display: npt.NDArray[np.floating]) -> Floats:
    """Display values as linear light."""
    linear: Floats = (np.clip(display, 0, 1) ** 2.2).astype(np.float32)
    return linear
