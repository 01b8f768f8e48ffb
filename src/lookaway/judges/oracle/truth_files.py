"""Truths from a file: the answer to each question about a clip, and when in the clip one can see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookaway.errors import ObserveError, UsageError
from lookaway.judges import Probe
from lookaway.judges.answer_files import lines_about
from lookaway.judges.frames import SentFrame
from lookaway.judges.oracle.dials import Dials
from lookaway.records import Bank, Choice, Interval
from lookaway.truth import VISIBLE_SHARE, Truth

NEEDS = ("truth", "evidence")
CANNOT_TELL = "Cannot tell"


@dataclass(frozen=True)
class Known:
    """The true answer to one question, and when in the clip one can see it."""

    truth: Choice
    evidence: tuple[tuple[float, float], ...]

    def seen_at(self, seconds: Sequence[float]) -> bool:
        return any(start <= second <= end for second in seconds for start, end in self.evidence)


def says(known: Known, seconds: Sequence[float], dials: Dials, media: str, question: str, sample: int = 0) -> str:
    """What the oracle replies; without evidence among its frames it cannot tell, whatever the dials."""
    if not known.seen_at(seconds):
        return CANNOT_TELL
    return "Yes" if dials.turned(known.truth == "yes", media, question, sample) else "No"


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


def said_in_file(probe: Probe, dials: Dials) -> str:
    """What its file has the oracle reply."""
    about = probe.about
    found = lines_about(about.source, about.media, about.question, NEEDS)
    if not found:
        raise ObserveError(f"{about.source}: no truth for question {about.question}; add a line for it")
    seconds = [frame.seconds for frame in probe.frames if not is_blank(frame)]
    return says(known_line(found[0]), seconds, dials, about.media, about.question, probe.sample)


def is_blank(frame: SentFrame) -> bool:
    """One colour is no evidence."""
    return not np.ptp(frame.rgb) > 0


def known_line(line: dict[str, Any]) -> Known:
    truth, evidence = line["truth"], line["evidence"]
    if truth not in ("yes", "no"):
        raise UsageError(f"the truth of question {line['question']} is '{truth}'; give yes or no")
    try:
        return Known(truth, tuple((float(start), float(end)) for start, end in evidence))
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"the evidence of question {line['question']} is {evidence!r}; give [[from_s, to_s], ...]"
        ) from error
