"""Keyframe files: in which frame of a true clip the subject is first gone, and in which it is first back.

    clip,gone,back
    Barnyard_001,84,171
    real_012,40,95

Frames are counted from 0. The columns of MemoBench's sheets are read as well: `video_folder`, `exits`, `re-enter` and
`skip`, or `id`, `exit`, `reenter`. Two files of two annotators can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from lookaway.errors import SuiteError, UsageError
from lookaway.stats.intervals import Estimate, scene_mean
from lookaway.suites.sheets import Row, sheet_rows, whole_number

Mark = Literal["gone", "back"]
MARKS: tuple[Mark, ...] = ("gone", "back")
COLUMNS = {
    "clip": ("clip", "video_folder", "id"),
    "gone": ("gone", "exits", "exit"),
    "back": ("back", "re-enter", "reenter"),
}
WITHIN = (0, 1, 2, 5, 10)  # frames


class ClipMarks(NamedTuple):
    """Frames of the true clip, from 0; None where nobody says."""

    gone: int | None
    back: int | None


@dataclass
class KeyframeFile:
    """What a file says of each clip, which clips it asks to skip, and what is wrong with it, line by line."""

    marks: dict[str, ClipMarks] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_keyframes(path: Path) -> KeyframeFile:
    """A keyframe file; a bad row costs itself, a file without the columns is an error that names them."""
    if path.suffix.lower() not in (".csv", ".xlsx"):
        raise UsageError(f"{path}: a keyframe file is csv or xlsx")
    rows, found = sheet_rows(path), KeyframeFile()
    names = {meaning: _column(rows, spellings, path) for meaning, spellings in COLUMNS.items()} if rows else {}
    for number, row in rows:
        _take(found, f"{path.name}:{number}", {meaning: row[name] for meaning, name in names.items()}, row)
    return found


def clip_name(text: str) -> str:
    """What a clip is called here: `7` and `real_7` -> `real_007`, `Barn_1` -> `Barn_001`, others as they are."""
    text = text.strip().removesuffix(".0")
    numbered = re.fullmatch(r"(?:(.+)_)?([0-9]{1,9})", text, re.ASCII)
    return text if numbered is None else f"{numbered[1] or 'real'}_{int(numbered[2]):03d}"


def _column(rows: Sequence[tuple[int, Row]], spellings: Iterable[str], path: Path) -> str:
    there = [name for name in spellings if name in rows[0][1]]
    if not there:
        raise SuiteError(f"{path}: has no column {' or '.join(spellings)}; a keyframe file begins with clip,gone,back")
    return there[0]


def _take(found: KeyframeFile, where: str, told: Mapping[str, str], row: Row) -> None:
    clip = clip_name(told["clip"])
    marks = {mark: whole_number(told[mark]) for mark in MARKS}
    wrong = [f"{mark} '{told[mark]}' is no frame" for mark in MARKS if told[mark] and marks[mark] is None]
    gone, back = marks["gone"], marks["back"]
    if not clip:
        found.problems.append(f"{where}: names no clip")
    elif row.get("skip", "").lower() == "yes":
        found.skipped.append(clip)
    elif clip in found.marks:
        found.problems.append(f"{where}: {clip} is there twice; the first row counts")
    elif wrong:
        found.problems.append(f"{where}: {clip}: {' and '.join(wrong)}")
    elif gone is not None and back is not None and gone >= back:
        found.problems.append(f"{where}: {clip} is back at frame {back}, not after {gone}, where it is gone")
    else:
        found.marks[clip] = ClipMarks(gone, back)


class MarkAgreement(NamedTuple):
    """Of the clips that both files mark, how far apart one mark is, in frames."""

    mark: Mark
    clips: int
    mean: Estimate | None  # second minus first: 0 where neither is late; None where no clip has it in both
    apart: Estimate | None  # either way: 0 where they always agree
    within: dict[int, float]  # share of clips at most so many frames apart


@dataclass(frozen=True)
class KeyframeAgreement:
    marks: list[MarkAgreement]
    differences: dict[str, dict[Mark, int]]  # second minus first, by clip
    only_first: list[str]
    only_second: list[str]
    one_sided: list[str]  # a mark that only one of them gives


def compare_keyframes(
    first: Mapping[str, ClipMarks], second: Mapping[str, ClipMarks], within: Sequence[int] = WITHIN
) -> KeyframeAgreement:
    """How well two annotators agree; clips are the unit of the intervals."""
    both = [clip for clip in first if clip in second]
    pairs = {clip: (first[clip]._asdict(), second[clip]._asdict()) for clip in both}
    differences: dict[str, dict[Mark, int]] = {
        clip: {mark: b[mark] - a[mark] for mark in MARKS if a[mark] is not None and b[mark] is not None}
        for clip, (a, b) in pairs.items()
    }
    return KeyframeAgreement(
        [_agreement(mark, [d[mark] for d in differences.values() if mark in d], within) for mark in MARKS],
        differences,
        [clip for clip in first if clip not in second],
        [clip for clip in second if clip not in first],
        [
            f"{clip} {mark}"
            for clip, (a, b) in pairs.items()
            for mark in MARKS
            if (a[mark] is None) != (b[mark] is None)
        ],
    )


def _agreement(mark: Mark, differences: Sequence[int], within: Sequence[int]) -> MarkAgreement:
    if not differences:
        return MarkAgreement(mark, 0, None, None, {})
    values = np.array(differences, float)
    ones = np.ones(len(values))
    shares = {most: float(np.mean(np.abs(values) <= most)) for most in within}
    return MarkAgreement(mark, len(values), scene_mean(values, ones), scene_mean(np.abs(values), ones), shares)
