"""The oracle's dials: how often it errs, leans to one side, and errs about whole clips at once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from lookaway.errors import UsageError
from lookaway.records import Setting

DIALS = ("error", "bias", "per_clip", "seed")


@dataclass(frozen=True)
class Dials:
    """`error`: chance to say the opposite. `bias`: chance to say yes whatever is true, or no where negative.

    `per_clip`: chance that an error is drawn for the whole clip instead of for the question alone.
    """

    error: float = 0.0
    bias: float = 0.0
    per_clip: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not (0 <= self.error <= 1 and -1 <= self.bias <= 1 and 0 <= self.per_clip <= 1):
            raise UsageError(
                f"oracle.error is {self.error:g}, per_clip {self.per_clip:g}, bias {self.bias:g}; "
                "error and per_clip go from 0 to 1, bias from -1 to 1"
            )

    def turned(self, right: bool, media: str, question: str, sample: int = 0) -> bool:
        """What is said where `right` is true: the same at dial 0."""
        if self.chance("bias", media, question, sample) < abs(self.bias):
            return self.bias > 0
        shared = self.chance("shared", media, question, sample) < self.per_clip
        drawn = self.chance("error", media) if shared else self.chance("error", media, question, sample)
        return right != (drawn < self.error)

    def chance(self, *of: object) -> float:
        """A number from 0 to 1 that depends on its name and the seed only."""
        digest = hashlib.sha256(repr((self.seed, *of)).encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64


def dials_of(settings: Mapping[str, Setting]) -> Dials:
    try:
        given = {name: float(value) for name, value in settings.items() if name in DIALS}
        seed = int(given.get("seed", 0))
    except (ValueError, OverflowError) as error:
        raise UsageError(f"the oracle's dials are numbers: {error}") from error
    return Dials(given.get("error", 0), given.get("bias", 0), given.get("per_clip", 0), seed)
