"""A judge that reads its replies from a file: for tests and for replaying answers given elsewhere."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from lookaway.errors import ObserveError, UsageError
from lookaway.judges import Probe, Said, judge


@judge(version=1)
def scripted(probe: Probe) -> Said:
    """Replies from a JSON Lines file: {"media": sha256 prefix or "*", "question": id or "*", "text": "Yes"}."""
    for line in _lines(Path(probe.source), _changed(Path(probe.source))):
        if line["media"] in ("*", probe.media[: len(line["media"])]) and line["question"] in (
            "*",
            probe.question,
        ):
            return Said(line["text"])
    raise ObserveError(f"{probe.source}: no reply for question {probe.question}; add a line for it or for '*'")


def _changed(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


@lru_cache(maxsize=4)
def _lines(path: Path, changed: int) -> tuple[dict[str, str], ...]:
    try:
        return tuple(json.loads(line) for line in path.read_text().splitlines() if line.strip())
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot read scripted replies ({error})") from error
