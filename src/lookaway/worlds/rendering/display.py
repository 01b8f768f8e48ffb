"""From linear light to display bytes: highlights roll off, then sRGB-like gamma."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.arrays import Bytes, FloatArray, Floats

WHITE = 1.04  # everything from here on is shown as white
STEPS = 65535


def curve(linear: FloatArray) -> FloatArray:
    """Display values from 0 to 1."""
    rolled = linear * (1 + linear * 0.22) / (1 + linear) * 1.6
    display: FloatArray = np.clip(rolled, 0, 1) ** (1 / 2.2)
    return display


BYTES: Bytes = (curve(np.arange(STEPS + 1) * WHITE / STEPS) * 255 + 0.5).astype(np.uint8)


def displayed(linear: Floats) -> Bytes:
    """Display bytes of linear light, (3, N) in, (N, 3) out."""
    steps = np.minimum(linear, np.float32(WHITE))
    steps *= np.float32(STEPS / WHITE)
    steps += np.float32(0.5)
    shown = np.empty(linear.shape[::-1], np.uint8)
    for channel, step in enumerate(steps.astype(np.uint16)):
        shown[:, channel] = BYTES.take(step)
    return shown
