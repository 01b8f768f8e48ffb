"""A judge that knows the truth, but only as far as its frames show it; its errors are set by dials.

Everything downstream is tested with it: what a check says of this judge must be what the dials say.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookaway.errors import ObserveError, UsageError
from lookaway.judges import Probe, Said, judge
from lookaway.judges.answer_files import file_check, lines_about
from lookaway.records import Bank, Choice, Interval, Setting
from lookaway.truth import VISIBLE_SHARE, Truth

NEEDS = ("truth", "evidence")
DIALS = ("error", "bias", "per_clip", "seed")
CANNOT_TELL = "Cannot tell"


@dataclass(frozen=True)
class Known:
    """The true answer to one question, and when in the clip one can see it."""

    truth: Choice
    evidence: tuple[tuple[float, float], ...]

    def seen_at(self, seconds: Sequence[float]) -> bool:
        return any(start <= second <= end for second in seconds for start, end in self.evidence)


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


def dials_of(settings: dict[str, Setting]) -> Dials:
    try:
        given = {name: float(value) for name, value in settings.items() if name in DIALS}
        seed = int(given.get("seed", 0))
    except (ValueError, OverflowError) as error:
        raise UsageError(f"the oracle's dials are numbers: {error}") from error
    return Dials(given.get("error", 0), given.get("bias", 0), given.get("per_clip", 0), seed)


def says(known: Known, seconds: Sequence[float], dials: Dials, media: str, question: str, sample: int = 0) -> str:
    """What the oracle replies; without evidence among its frames it cannot tell, whatever the dials."""
    if not known.seen_at(seconds):
        return CANNOT_TELL
    if _chance(dials, "bias", media, question, sample) < abs(dials.bias):
        return "Yes" if dials.bias > 0 else "No"
    shared = _chance(dials, "shared", media, question, sample) < dials.per_clip
    drawn = _chance(dials, "error", media) if shared else _chance(dials, "error", media, question, sample)
    return "Yes" if (known.truth == "yes") != (drawn < dials.error) else "No"


def _chance(dials: Dials, *of: object) -> float:
    """A number from 0 to 1 that depends on its name and the seed only."""
    digest = hashlib.sha256(repr((dials.seed, *of)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def evidence_after_return(truth: Truth) -> tuple[tuple[float, float], ...]:
    """When the subject is in sight after it was hidden; all the time it is in sight where it never was."""
    if truth.world is None:
        return tuple((i.start_s, i.end_s) for i in _last_seen(truth.phases))
    visible = truth.world.visible >= VISIBLE_SHARE
    hidden = np.flatnonzero(~visible)
    after = visible & (np.arange(len(visible)) > (hidden[0] if len(hidden) else -1))
    return tuple((float(second), float(second)) for second in truth.seconds[after])


def lines_of_true_clip(bank: Bank, truth: Truth, media: str) -> list[dict[str, Any]]:
    """What the oracle must be told of a clip that shows the truth: the expected answers, seen after the return."""
    evidence = [list(interval) for interval in evidence_after_return(truth)]
    return [{"media": media, "question": q.id, "truth": q.expected, "evidence": evidence} for q in bank.questions]


def _last_seen(phases: Sequence[Interval]) -> list[Interval]:
    returned = [interval for interval in phases if interval.phase == "returned"]
    return returned or [interval for interval in phases if interval.phase == "visible"]


def _check(source: str, settings: Mapping[str, Setting]) -> None:
    dials_of(dict(settings))
    file_check(NEEDS, _known, DIALS)(source, settings)


@judge(version=1, check=_check)
def oracle(probe: Probe) -> Said:
    """Truths from JSON Lines: media, question, truth (yes or no), evidence ([[from_s, to_s], ...])."""
    about = probe.about
    found = lines_about(about.source, about.media, about.question, NEEDS)
    if not found:
        raise ObserveError(f"{about.source}: no truth for question {about.question}; add a line for it")
    seconds = [frame.seconds for frame in probe.frames if np.ptp(frame.rgb) > 0]  # one colour is no evidence
    dials = dials_of(dict(about.settings))
    return Said(says(_known(found[0]), seconds, dials, about.media, about.question, probe.sample), finish="complete")


def _known(line: dict[str, Any]) -> Known:
    truth, evidence = line["truth"], line["evidence"]
    if truth not in ("yes", "no"):
        raise UsageError(f"the truth of question {line['question']} is '{truth}'; give yes or no")
    try:
        return Known(truth, tuple((float(start), float(end)) for start, end in evidence))
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the evidence of question {line['question']} is {evidence!r}; give [[from_s, to_s], ...]"
        ) from error
