"""Is a judge biased? Statistics over answers whose questions were asked in two ways, or need no video at all.

Clips are the unit: answers about one clip go wrong together, so intervals are taken over clips.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lookaway.records import Choice
from lookaway.stats.intervals import Estimate, scene_mean, scene_rate


@dataclass(frozen=True)
class Twice:
    """One thing asked of one clip in two ways; None where the judge did not answer."""

    clip: str
    first: Choice | None
    second: Choice | None


class Checked(NamedTuple):
    """A check's result; without an answered question there is none. `unanswered` ones are left out of it."""

    estimate: Estimate | None
    answered: int
    unanswered: int


class Floors(NamedTuple):
    """What a judge that never looks would score."""

    always_yes: float
    always_no: float

    @property
    def best(self) -> float:
        return max(self)


def floors(expected: Sequence[Choice]) -> Floors:
    """Share right by always saying the same; a judge must beat the better one."""
    if not expected:
        raise ValueError("no expected answers, so no floors")
    yes = expected.count("yes") / len(expected)
    return Floors(yes, 1 - yes)


def accuracy(clips: Sequence[str], said: Sequence[Choice | None], expected: Sequence[Choice]) -> Checked:
    """Share of answers that are right; 1 is always."""
    rows = zip(clips, said, expected, strict=True)
    return _rate((clip, None if choice is None else choice == right) for clip, choice, right in rows)


def share(clips: Sequence[str], holds: Sequence[bool]) -> Checked:
    """Share of answers of which something holds, with an interval over clips."""
    return _rate(zip(clips, holds, strict=True))


def flip_consistency(asked: Iterable[Twice]) -> Checked:
    """A question and its opposite: share of pairs that get opposite answers. 1 is consistent."""
    return _rate((pair.clip, None if _is_open(pair) else pair.first != pair.second) for pair in asked)


def yes_lean(asked: Iterable[Twice]) -> Checked:
    """A question and its opposite: how much oftener both get a yes than a no. 0 is none, 1 always yes, -1 always no.

    A judge that says yes with chance b whatever is true, and is right or wrong alike for the rest, leans by b.
    """
    return _lean(asked)


def position_lean(asked: Iterable[Twice]) -> Checked:
    """Is the first of two clips better, and then with the clips swapped: 0 is no bias, 1 always the first shown."""
    return _lean(asked)


def agreement(asked: Iterable[Twice]) -> Checked:
    """Share of pairs that get the same answer.

    Of frames in order and shuffled: 1 on questions about order means that the judge does not see it.
    """
    return _rate((pair.clip, None if _is_open(pair) else pair.first == pair.second) for pair in asked)


@dataclass(frozen=True)
class Reworded:
    """One question about one clip in several wordings."""

    clip: str
    said: tuple[Choice | None, ...]


def paraphrase_stability(asked: Iterable[Reworded]) -> Checked:
    """Share of questions that get the same answer in every wording; a wording without an answer leaves it out."""
    return _rate((q.clip, None if None in q.said else len(set(q.said)) == 1) for q in asked)


class Blank(NamedTuple):
    """What a judge says to a video that shows nothing: how often it claims to know, and how often it then says yes."""

    claims: Checked
    yes: Checked


def blank_canary(clips: Sequence[str], said: Sequence[Choice | None]) -> Blank:
    """A judge that looks claims nothing; one that answers by its prompt alone claims as much as ever."""
    claims = _rate((clip, choice is not None) for clip, choice in zip(clips, said, strict=True))
    yes = _rate((clip, None if c is None else c == "yes") for clip, c in zip(clips, said, strict=True))
    return Blank(claims, yes)


def _is_open(pair: Twice) -> bool:
    return pair.first is None or pair.second is None


def _lean(asked: Iterable[Twice]) -> Checked:
    """Mean of -1 (no to both), 0 and 1 (yes to both)."""
    rows = [
        (pair.clip, None if _is_open(pair) else float([pair.first, pair.second].count("yes") - 1)) for pair in asked
    ]
    return _checked(rows, is_rate=False)


def _rate(rows: Iterable[tuple[str, bool | None]]) -> Checked:
    return _checked([(clip, None if hit is None else float(hit)) for clip, hit in rows], is_rate=True)


def _checked(rows: Sequence[tuple[str, float | None]], is_rate: bool) -> Checked:
    by_clip: dict[str, list[float]] = defaultdict(list)
    for clip, value in rows:
        if value is not None:
            by_clip[clip].append(value)
    answered = sum(map(len, by_clip.values()))
    if not answered:
        return Checked(None, 0, len(rows))
    sums = np.array([sum(values) for values in by_clip.values()], float)
    counts = np.array([len(values) for values in by_clip.values()], float)
    estimate = scene_rate(sums, counts) if is_rate else scene_mean(sums, counts)
    return Checked(estimate, answered, len(rows) - answered)
