"""What a judge is shown: frames that we choose, encode once, and hash as the judge decodes them."""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lookaway.errors import UsageError
from lookaway.images import rgb_image
from lookaway.video import RATE_RULES, Frame, indices_uniform, resize
from lookaway.video.resize import fitted_size

Pixels = NDArray[np.uint8]

BLACK_LEVEL = 12  # of 255: darker than compression leaves a lit wall
REPEAT_LEVEL = 0.5  # of 255: mean change below what a re-encoding of one picture makes


@dataclass(frozen=True)
class FrameRule:
    """Which frames: `uniform` spreads `most` evenly, `rate` takes about `per_second` of them; both keep both ends.

    `released` is `rate` as WRBench's release has it: four frames at least, and more than `most` are thinned unevenly.
    `native` sends the video itself; which frames the judge then sees is its server's choice, and `known` says what is
    known of it.
    """

    kind: Literal["uniform", "rate", "released", "native"] = "uniform"
    most: int = 12
    per_second: float = 3.0
    known: str = ""

    def indices(self, frames: int, fps: float) -> list[int]:
        if self.kind == "native":
            return []
        if self.kind == "uniform":
            return indices_uniform(frames, self.most)
        return RATE_RULES[self.kind](frames, fps, self.per_second, self.most)

    def __str__(self) -> str:
        if self.kind == "native":
            return f"native:{self.known}"
        return f"uniform:{self.most}" if self.kind == "uniform" else f"{self.kind}:{self.per_second:g}:{self.most}"


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
    sent = sent_frames(frames, encoding)
    return ShownFrames(rule, sent, black_frames(sent), repeated_frames(sent))


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


@dataclass(frozen=True)
class TokenRule:
    """How many prompt tokens a judge makes of its frames; the numbers of Qwen3-VL unless told otherwise."""

    cell: int = 32  # pixels a side that become one token
    frames_per_step: int = 2  # frames of a video that are merged in time; 1 where frames go as images
    most: int = 12288

    def expected(self, frames: int, width: int, height: int) -> int:
        steps = math.ceil(frames / self.frames_per_step)
        return min(self.most, steps * round(width / self.cell) * round(height / self.cell))


ENOUGH_TOKENS = 0.8  # of the expected: a server may round sizes down, but not lose a fifth


def dropped_media(prompt_tokens: int, frames: Sequence[SentFrame], rule: TokenRule) -> str | None:
    """Why the judge cannot have seen its frames, or None; words in the prompt only add to its tokens."""
    if not frames:
        return None
    height, width = frames[0].rgb.shape[:2]
    expected = rule.expected(len(frames), width, height)
    if prompt_tokens >= ENOUGH_TOKENS * expected:
        return None
    return f"frames were dropped: {len(frames)} of {width}x{height} make about {expected} tokens, not {prompt_tokens}"


def frame_rule(text: str) -> FrameRule:
    """`uniform:12`, `rate:3:24` or `released:3:24` (per second, at most), or `native:` and what is known of it."""
    match text.split(":"):
        case ["native", *known] if "".join(known).strip():
            return FrameRule("native", known=":".join(known).strip())
        case ["uniform", most] if most.isdecimal() and int(most) > 0:
            return FrameRule("uniform", int(most))
        case ["rate" | "released" as kind, rate, most] if most.isdecimal() and int(most) > 0 and _positive(rate):
            return FrameRule(kind, int(most), float(rate))
    raise UsageError(
        f"no frame rule '{text}'; give uniform:12 (frames), rate:3:24 (per second, at most), "
        "released:3:24 (the same as WRBench's release takes them), or native:WORDS, which sends the video and says "
        "what is known of how the server samples it"
    )


def _positive(text: str) -> bool:
    try:
        return 0 < float(text) < math.inf
    except ValueError:
        return False
