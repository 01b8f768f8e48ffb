"""Videos and pictures whose bytes are spoilt."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from lookaway.images import image_size, rgb_image
from lookaway.video import decode, probe
from lookaway.video.damage import damage
from tests.fuzz.driving import Attempt, FalseVerdict, Target
from tests.fuzz.mutation import spoilt_bytes

HEAD = 2048  # bytes: containers tell what they hold at their beginning, and mp4 often at its end


def _headers(rng: random.Random, data: bytes) -> bytes:
    """Mostly what tells of the video, and not its pixels."""
    if rng.random() < 0.5 or len(data) <= HEAD:
        return spoilt_bytes(rng, data)
    if rng.random() < 0.5:
        return spoilt_bytes(rng, data[:HEAD]) + data[HEAD:]
    return data[:-HEAD] + spoilt_bytes(rng, data[-HEAD:])


def _video(folder: Path) -> Attempt:
    path = folder / "a.mp4"

    def attempt(data: bytes) -> bool:
        path.unlink(missing_ok=True)
        path.write_bytes(data)
        info = probe(path)
        damage(path)
        last, count = -1.0, 0
        for frame in decode(path, long_side=64):
            if frame.index != count or frame.seconds <= last or not np.isfinite(frame.seconds):
                raise FalseVerdict(f"frame {frame.index} at {frame.seconds} s after {last} s")
            last, count = frame.seconds, count + 1
        if count != info.frames or not info.fps > 0:
            raise FalseVerdict(f"{count} frames, and {info} says otherwise")
        return True

    return attempt


def _picture(folder: Path) -> Attempt:
    def attempt(data: bytes) -> bool:
        width, height = image_size(data)
        rgb = rgb_image(data)
        if rgb.shape != (height, width, 3):
            raise FalseVerdict(f"{width}x{height} becomes {rgb.shape}")
        return True

    return attempt


TARGETS = (
    Target("container", _video, _headers, share=1.5, alone=True),
    Target("picture", _picture, spoilt_bytes, share=2, alone=True),
)
