"""Judges answer one question about exact frames; the runner chooses frames, renders prompts, parses and records.

@judge(version=1)
def my_judge(probe):
    "What it is."
    return Said("Yes")
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookaway.registry import Registry


@dataclass(frozen=True)
class Probe:
    """All that a judge may know: pixels, their seconds, and a rendered prompt."""

    prompt: str
    frames: Sequence[NDArray[np.uint8]]
    seconds: Sequence[float]
    question: str
    media: str
    source: str


@dataclass(frozen=True)
class Said:
    """A judge's raw reply."""

    text: str
    p_yes: float | None = None
    cost_usd: float | None = None


Ask = Callable[[Probe], Said]


@dataclass(frozen=True)
class Judge:
    name: str
    version: int
    function: Ask
    extra: str | None
    doc: str


JUDGES: Registry[Judge] = Registry("judge", "lookaway.judges")


def judge(*, version: int, extra: str | None = None) -> Callable[[Ask], Ask]:
    """Register a judge under its function's name."""

    def register(function: Ask) -> Ask:
        name = function.__name__
        JUDGES.add(name, Judge(name, version, function, extra, (function.__doc__ or "").strip()))
        return function

    return register


def parse_choice(text: str) -> str | None:
    """'yes' or 'no' when the reply starts with exactly one of them; None otherwise."""
    words = [w.strip(" .,:;!\"'*`()").lower() for w in text.split()]
    said = {w for w in words if w in ("yes", "no")}
    return said.pop() if words and len(said) == 1 and words[0] in said else None
