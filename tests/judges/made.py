"""Frames made by hand."""

from __future__ import annotations

import numpy as np

from lookaway.judges.frames import Encoding, SentFrame, sent_frames
from lookaway.video import Frame


def pictures(count: int, size: tuple[int, int] = (64, 48), step_s: float = 0.5) -> list[Frame]:
    """Noise, another one in each frame."""
    rng = np.random.default_rng(0)
    width, height = size
    return [Frame(3 * i, step_s * i, rng.integers(0, 255, (height, width, 3), np.uint8)) for i in range(count)]


def frames(count: int, encoding: Encoding | None = None, step_s: float = 0.5) -> tuple[SentFrame, ...]:
    return sent_frames(pictures(count, step_s=step_s), encoding or Encoding())
