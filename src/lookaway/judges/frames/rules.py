"""Which frames of a clip a judge is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from lookaway.errors import UsageError
from lookaway.video import RATE_RULES, indices_uniform


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
