"""Whether a judge can have seen its frames: what they must cost in tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lookaway.judges.frames.sent import SentFrame


@dataclass(frozen=True)
class TokenRule:
    """How many prompt tokens a judge makes of its frames; the numbers of Qwen3-VL unless told otherwise."""

    cell: int = 32  # pixels a side that become one token
    frames_per_step: int = 2  # frames of a video that are merged in time; 1 where frames go as images
    most: int = 12288

    def expected(self, frames: int, width: int, height: int) -> int:
        """Where they are too many, frames are made smaller, by whole cells a side: 88 of at most 128 for 11 steps.

        >>> TokenRule(most=128).expected(22, 320, 180), TokenRule().expected(22, 320, 180)
        (88, 660)
        """
        steps = math.ceil(frames / self.frames_per_step)
        across, down = width / self.cell, height / self.cell
        if (whole := steps * round(across) * round(down)) <= self.most:
            return whole
        smaller = math.sqrt(self.most / steps / (across * down))
        return steps * max(1, int(across * smaller)) * max(1, int(down * smaller))


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
