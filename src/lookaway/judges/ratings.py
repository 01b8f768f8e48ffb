"""Files of lines about clips and questions: JSON Lines, or CSV with a header."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from lookaway.errors import UsageError

Line = dict[str, Any]


def lines_about(source: str, media: str, question: str, needs: Sequence[str]) -> list[Line]:
    """Lines whose `media` is `*` or the beginning of the clip's sha256, and whose `question` is `*` or the question."""
    path = Path(source)
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    return [
        line
        for line in _lines(path, changed, ("media", "question", *needs))
        if line["media"] and (line["media"] == "*" or media.startswith(line["media"]))
        if line["question"] in ("*", question)
    ]


@lru_cache(maxsize=4)
def _lines(path: Path, changed: int, needs: tuple[str, ...]) -> tuple[Line, ...]:
    try:
        text = path.read_text()
        found = _rows(text) if path.suffix == ".csv" else [json.loads(t) for t in text.splitlines() if t.strip()]
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot read these lines ({error})") from error
    for number, line in enumerate(found, 1):
        missing = [name for name in needs if not isinstance(line, dict) or line.get(name) is None]
        if missing:
            raise UsageError(f"{path}: line {number} has no {', '.join(missing)}; every line needs {', '.join(needs)}")
    return tuple(found)


def _rows(text: str) -> list[Line]:
    return [dict(row) for row in csv.DictReader(io.StringIO(text))]
