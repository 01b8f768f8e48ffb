"""Generated videos by StEvo's output map: the only `.json` of the folder, {task: file in the folder, or address}.

An address is named and never fetched: whoever wants it fetches it first and writes the file into the map.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from lookaway.errors import StoreError, UsageError
from lookaway.limits import RELEASE_BYTES
from lookaway.names import inside, is_there
from lookaway.pipeline.memobench_layout import LaidOut
from lookaway.video.names import printable

MOST_NAMES = 5  # in a note


def mapped_out(folder: Path, tasks: Sequence[str], videos: Sequence[Path]) -> LaidOut:
    """The videos that the folder's map names; without exactly one map, none."""
    maps = sorted(path for path in folder.glob("*.json") if path.is_file() and not path.name.startswith("."))
    if len(maps) != 1:
        several = f"{len(maps)} .json files ({_few([path.name for path in maps])}); leave the output map alone"
        return LaidOut(notes=[several] if maps else [])
    found, known, refused = LaidOut(), set(tasks), dict[str, list[str]]()
    for task, entry in _entries(maps[0]).items():
        why, path = _place(folder, task in known, entry)
        if path is None:
            refused.setdefault(why, []).append(task)
        else:
            found.claims.append((path, (task, 0)))
    for why, names in refused.items():
        found.notes.append(f"{maps[0].name}: {len(names)} {why}: {_few(names)}")
    return found


def _entries(path: Path) -> dict[str, str]:
    try:
        if path.stat().st_size > RELEASE_BYTES:
            raise UsageError(f"{path}: too large for an output map")
        told = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not an output map: {error}") from error
    if not isinstance(told, dict) or not all(isinstance(entry, str) for entry in told.values()):
        raise UsageError(f"{path}: not an output map {{task: file or address}}; if it is another file, move it away")
    return told


def _place(folder: Path, known: bool, entry: str) -> tuple[str, Path | None]:
    """Where the video lies, or why it is not taken."""
    if not known:
        return "tasks are not in the suite", None
    if "://" in entry:
        return "videos are told as addresses, which are not fetched; fetch them yourself and map the files", None
    try:
        path = inside(folder, entry)
    except StoreError:
        return "entries lead out of the folder and are not taken", None
    return ("", path) if is_there(path) else ("videos are not there", None)


def _few(names: list[str]) -> str:
    shown = ", ".join(printable(name) for name in names[:MOST_NAMES])
    return shown + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
