"""What a judge is shown: frames that we choose, encode once, and hash as the judge decodes them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lookaway.images import rgb_image
from lookaway.judges.frames.rules import FrameRule
from lookaway.video import Frame, resize
from lookaway.video.resize import fitted_size

Pixels = NDArray[np.uint8]

BLACK_LEVEL = 12  # of 255: darker than compression leaves a lit wall
REPEAT_LEVEL = 0.5  # of 255: mean change below what a re-encoding of one picture makes


@dataclass(frozen=True)
class Encoding:
    """How a backend takes pictures; `raw` hands over pixels as they are."""

    format: Literal["raw", "png", "jpeg"] = "raw"
    quality: int = 90
    long_side: int | None = None


@dataclass(frozen=True, eq=False)
class SentFrame:
    """One frame as the judge decodes it; `data` are the bytes to send, empty where pixels are handed over."""

    index: int
    seconds: float
    rgb: Pixels
    sha256: str
    data: bytes = b""

    @property
    def label(self) -> str:
        return f"{self.seconds:.2f} s"


@dataclass(frozen=True, eq=False)
class ShownFrames:
    """All that is shown of one clip: chosen by a rule, encoded once, looked over once."""

    rule: FrameRule
    frames: tuple[SentFrame, ...]
    black: tuple[int, ...]
    repeated: tuple[int, ...]


def shown_frames(frames: Sequence[Frame], rule: FrameRule, encoding: Encoding) -> ShownFrames:
    return looked_over(sent_frames(frames, encoding), rule)


def looked_over(frames: Sequence[SentFrame], rule: FrameRule) -> ShownFrames:
    return ShownFrames(rule, tuple(frames), black_frames(frames), repeated_frames(frames))


def sent_frames(frames: Sequence[Frame], encoding: Encoding) -> tuple[SentFrame, ...]:
    """Every frame encoded once; its hash is that of the pixels that come out again at the other end."""
    return tuple(_sent(frame, encoding) for frame in frames)


def _sent(frame: Frame, encoding: Encoding) -> SentFrame:
    height, width = frame.rgb.shape[:2]
    rgb = resize(frame.rgb, fitted_size(width, height, encoding.long_side))
    seconds = round(frame.seconds, 3)
    if encoding.format == "raw":
        return SentFrame(frame.index, seconds, rgb, pixels_sha256(rgb))
    data = encoded(rgb, encoding)
    decoded = rgb_image(data)
    return SentFrame(frame.index, seconds, decoded, pixels_sha256(decoded), data)


def encoded(rgb: Pixels, encoding: Encoding) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, encoding.format.upper(), quality=encoding.quality)
    return buffer.getvalue()


def pixels_sha256(rgb: Pixels) -> str:
    """Shape and values: two pictures share it exactly when they are the same picture."""
    height, width = rgb.shape[:2]
    return hashlib.sha256(f"{width}x{height}:".encode() + np.ascontiguousarray(rgb).tobytes()).hexdigest()


def black_frames(frames: Sequence[SentFrame]) -> tuple[int, ...]:
    """Positions of frames in which 99 % of the values are next to black."""
    return tuple(i for i, frame in enumerate(frames) if np.percentile(frame.rgb, 99) < BLACK_LEVEL)


def repeated_frames(frames: Sequence[SentFrame]) -> tuple[int, ...]:
    """Positions of frames that show the same picture as the one before."""
    return tuple(i for i in range(1, len(frames)) if _same(frames[i - 1].rgb, frames[i].rgb))


def _same(a: Pixels, b: Pixels) -> bool:
    return a.shape == b.shape and float(np.abs(a.astype(np.int16) - b).mean()) < REPEAT_LEVEL
