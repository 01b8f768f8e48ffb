"""Files of lines about clips and questions: JSON Lines, or CSV with a header."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from lookaway.errors import UnknownName, UsageError
from lookaway.records import Setting

Line = dict[str, Any]
ABOUT = ("media", "question")


def lines_about(source: str, media: str, question: str, needs: Sequence[str]) -> list[Line]:
    """Lines whose `media` is `*` or the beginning of the clip's sha256, and whose `question` is `*` or the question."""
    return [
        line
        for line in all_lines(source, needs)
        if line["media"] == "*" or media.startswith(line["media"])
        if line["question"] in ("*", question)
    ]


def all_lines(source: str, needs: Sequence[str]) -> tuple[Line, ...]:
    """Every line of the file; each has these fields beside `media` and `question`."""
    path = Path(source)
    if not source or not path.is_file():
        raise UsageError(f"{source or 'no file given'}: this judge reads a file; name one, such as answers.jsonl")
    return _lines(path, path.stat().st_mtime_ns, (*ABOUT, *needs))


def file_check(
    needs: Sequence[str], line_check: Callable[[Line], object], known: Sequence[str] = ()
) -> Callable[[str, Mapping[str, Setting]], None]:
    """Every line of a judge's file passes `line_check`, and every setting is known."""

    def check(source: str, settings: Mapping[str, Setting]) -> None:
        for name in settings:
            if name not in known:
                raise UnknownName("setting of this judge", name, known)
        for line in all_lines(source, needs):
            line_check(line)

    return check


@lru_cache(maxsize=4)
def _lines(path: Path, changed: int, needs: tuple[str, ...]) -> tuple[Line, ...]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read as text ({error})") from error
    found = _rows(text, path) if path.suffix == ".csv" else _json_lines(text, path)
    for number, line in found.items():
        missing = [name for name in needs if line.get(name) is None]
        if missing:
            raise UsageError(f"{path}: line {number} has no {', '.join(missing)}; every line needs {', '.join(needs)}")
        if not all(isinstance(line[name], str) and line[name] for name in ABOUT):
            raise UsageError(f"{path}: line {number}: media and question must be texts, and not empty")
    return tuple(found.values())


def _json_lines(text: str, path: Path) -> dict[int, Line]:
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found[number] = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}: line {number} is no JSON ({error})") from error
        if not isinstance(found[number], dict):
            raise UsageError(f"{path}: line {number} is no JSON object")
    return found


def _rows(text: str, path: Path) -> dict[int, Line]:
    if ";" in text.partition("\n")[0]:
        raise UsageError(f"{path}: columns are parted by semicolons; save the file with commas")
    return {number: dict(row) for number, row in enumerate(csv.DictReader(io.StringIO(text)), 2)}
