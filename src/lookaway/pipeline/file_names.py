"""What a file's name says: which task and seed it is of, or which task it nearly names.

Tasks are found by looking pieces of the name up, so the work grows with the files and not with files times tasks.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

VIDEO_SUFFIXES = {".mp4", ".webm", ".mov", ".mkv", ".gif", ".avi", ".m4v"}

Slot = tuple[str, int]  # task id, seed
Reader = Callable[[Path], Slot | None]
Words = tuple[str, ...]

SEED_DIGITS = 6  # longer numbers are dates or hashes, not seeds
ANY_WORD = "*"
MOST_ALIKE = 12  # tasks that share all words but one
LEAST_ALIKE = 0.6

_EDGE = r"(?<![A-Za-z0-9])(?:{})(?![A-Za-z0-9])"
_NO_SEED = re.compile(
    _EDGE.format(
        "|".join(
            [
                r"\d+x\d+",  # 832x480
                r"(?:19|20)\d\d([-_.]?)(?:0\d|1[0-2])\1[0-3]\d(?:[-_T]\d\d[-_.:h]?\d\d[-_.:m]?\d\d)?",  # 2026-05-01
                r"(?:ckpt|checkpoint|step|iter|iteration|epoch|version|ver|v|fps|frames?|crf|cfg|gpu|rank)[-_. =]?\d+",
                r"\d+[-_ ]?(?:fps|frames|steps)",
                r"\d+(?:p|f|k|s|sec|bit)",  # 720p, 49f, 5s
                rf"\d{{{SEED_DIGITS + 1},}}",
            ]
        )
    ),
    re.IGNORECASE | re.ASCII,
)
_SEED = re.compile(_EDGE.format(rf"seed[-_. =]?(\d{{1,{SEED_DIGITS}}})"), re.IGNORECASE | re.ASCII)
_LAST_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9])(?:s|run|take|sample|try|rep|repeat|no|n)?(\d{{1,{SEED_DIGITS}}})[^A-Za-z0-9]*$",
    re.IGNORECASE | re.ASCII,
)


def guesser(tasks: Iterable[str]) -> Reader:
    """Reads `task.mp4`, `task_3.mp4`, `task/seed3.mp4`, and names that contain one task id among other words."""
    known = set(tasks)
    lengths = sorted({len(task) for task in known})

    def read(path: Path) -> Slot | None:
        text = without_suffix(path)
        ends = {text[start:end]: end for start, end in _pieces(text, lengths) if text[start:end] in known}
        hits = [task for task in ends if not any(task != other and task in other for other in ends)]
        if len(hits) != 1:
            return None
        end = ends[hits[0]]
        return hits[0], seed_in(text[: end - len(hits[0])].replace(hits[0], " "), text[end:])

    return read


def without_suffix(path: Path) -> str:
    """A path's text; the end of a folder's name is no suffix."""
    return (path.with_suffix("") if path.suffix.lower() in VIDEO_SUFFIXES else path).as_posix()


def _pieces(text: str, lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Start and end of every piece of such a length with no letter or digit cut off, left to right."""
    starts = [0, *(match.end() for match in re.finditer(r"[^A-Za-z0-9]", text))]
    ends = {len(text), *(match.start() for match in re.finditer(r"[^A-Za-z0-9]", text))}
    return ((start, start + length) for start in starts for length in lengths if start + length in ends)


def seed_in(before: str, after: str) -> int:
    """The seed that the text around a task id tells: `_3` 3, `_seed3_832x480` 3, `_v2` 0.

    It is the number after the word `seed`, or else a number of its own at the end that is no size, rate or version.
    """
    if told := _SEED.findall(after):
        return int(told[-1])
    if (number := _LAST_NUMBER.search(_NO_SEED.sub("", after))) is not None:
        return int(number[1])
    return int(told[-1]) if (told := _SEED.findall(before)) else 0


# ---------------------------------------------------------------- near misses


def near_task(tasks: Iterable[str]) -> Callable[[Path], str | None]:
    """Finds the task that a name means where it differs by case, by dashes and spaces, or by one word.

    Nothing for a name that holds a task as it is: then something else is wrong with it.
    """
    spelled: dict[Words, list[str]] = {}
    nearly: dict[Words, list[str]] = {}
    for task in tasks:
        words = _words(task)
        spelled.setdefault(words, []).append(task)
        for key in _one_word_off(words):
            nearly.setdefault(key, []).append(task)
    most = max(map(len, spelled), default=0) + 1

    def find(path: Path) -> str | None:
        text = without_suffix(path)
        words = _words(text)
        runs = [words[i:j] for i in range(len(words)) for j in range(i + 1, min(i + most, len(words)) + 1)]
        same = [(len(run), task) for run in runs for task in spelled.get(run, ())]
        if same:
            meant = max(same)[1]
            return meant if meant not in text else None
        alike = [(_alike(run, task), task) for run in runs for task in _nearly(run, spelled, nearly)]
        return max((pair for pair in alike if pair[0] >= LEAST_ALIKE), default=(0.0, None))[1]

    return find


def _words(text: str) -> Words:
    return tuple(re.findall(r"[^\W_]+", text.lower()))


def _one_word_off(words: Words) -> Iterator[Words]:
    """`a b c` with each word exchanged for any, and with each left out."""
    if len(words) > 1:
        for i in range(len(words)):
            yield (*words[:i], ANY_WORD, *words[i + 1 :])
            yield (*words[:i], *words[i + 1 :])


def _nearly(run: Words, spelled: dict[Words, list[str]], nearly: dict[Words, list[str]]) -> Iterator[str]:
    """Tasks that have one word other, one word more or one word less than a run of words; few, or it tells nothing."""
    keys = _one_word_off(run)
    found = [nearly.get(run, []), *((nearly if ANY_WORD in key else spelled).get(key, []) for key in keys)]
    return (task for alike in found if len(alike) <= MOST_ALIKE for task in alike)


def _alike(run: Words, task: str) -> float:
    return difflib.SequenceMatcher(None, " ".join(run), " ".join(_words(task))).ratio()
