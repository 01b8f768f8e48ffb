"""Which file is which task's video? Guessed from names, or told by a map or a pattern; nothing is dropped silently."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lookaway.errors import UnknownName, UsageError
from lookaway.video.names import printable

VIDEO_SUFFIXES = {".mp4", ".webm", ".mov", ".mkv", ".gif", ".avi", ".m4v"}
IMAGE_SUFFIXES = {".png", ".jpg", ".jpeg"}

SEED_DIGITS = 6  # longer numbers are dates or hashes, not seeds

Slot = tuple[str, int]  # task id, seed
Reader = Callable[[Path], Slot | None]


@dataclass
class Mapping:
    """Every file and every task, each in exactly one list."""

    folder: Path
    matched: dict[Slot, Path] = field(default_factory=dict)
    ambiguous: dict[Slot, list[Path]] = field(default_factory=dict)
    unmatched: list[Path] = field(default_factory=list)
    without_video: list[Slot] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def why_missing(self, task: str, seed: int) -> str:
        if (task, seed) in self.ambiguous:
            names = ", ".join(sorted(printable(p.name) for p in self.ambiguous[task, seed]))
            return (
                f"{len(self.ambiguous[task, seed])} files claim this task ({names}); keep one, or say which with --map"
            )
        return f"no video for this task in {printable(self.folder.name)}"


def map_folder(folder: Path, tasks: Sequence[str], map_file: Path | None = None, pattern: str | None = None) -> Mapping:
    """The mapping of a folder of videos (or of frame folders) to task ids and seeds."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; give the folder that holds the videos")
    videos = find_videos(folder)
    if map_file is not None:
        claims = _from_map(folder, map_file, tasks)
    else:
        read = _pattern_reader(pattern, tasks) if pattern is not None else _guesser(tasks)
        claims = [(path, read(path.relative_to(folder))) for path in videos]
    return _settle(folder, videos, tasks, claims)


def find_videos(folder: Path) -> list[Path]:
    """Video files below a folder, and folders of frame images."""
    visible = [p for p in sorted(folder.rglob("*")) if not _is_hidden(p.relative_to(folder))]
    return [path for path in visible if path.suffix.lower() in VIDEO_SUFFIXES or _holds_frames(path)]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _holds_frames(path: Path) -> bool:
    try:
        return path.is_dir() and any(p.suffix.lower() in IMAGE_SUFFIXES for p in path.iterdir())
    except OSError:
        return True  # cannot be looked into: listed, and refused with its reason when it is taken


def _settle(folder: Path, videos: list[Path], tasks: Sequence[str], claims: list[tuple[Path, Slot | None]]) -> Mapping:
    mapping = Mapping(folder)
    wanted: dict[Slot, list[Path]] = {}
    for path, slot in claims:
        if slot is not None:
            wanted.setdefault(slot, []).append(path)
    for slot, paths in sorted(wanted.items()):
        if len(paths) == 1:
            mapping.matched[slot] = paths[0]
        else:
            mapping.ambiguous[slot] = sorted(paths)
    claimed = {path for path, slot in claims if slot is not None}
    mapping.unmatched = [path for path in videos if path not in claimed]
    seeds = sorted({seed for _, seed in wanted}) or [0]
    mapping.without_video = [(t, s) for t in tasks for s in seeds if (t, s) not in wanted]
    for seed in seeds:
        held = sum(1 for _, other in wanted if other == seed)
        if len(seeds) > 1 and held < len(tasks):
            mapping.notes.append(
                f"seed {seed} has videos for {held} of {len(tasks)} tasks; a number at the end of a name is read as a "
                "seed, and each seed is expected for every task; say otherwise with --pattern '{task}_{any}.mp4'"
            )
    return mapping


def _guesser(tasks: Sequence[str]) -> Reader:
    """Reads `task.mp4`, `task_3.mp4`, `task/seed3.mp4`, and names that contain one task id among other words."""
    longest_first = sorted(tasks, key=len, reverse=True)

    def read(path: Path) -> Slot | None:
        text = "/".join(path.with_suffix("").parts) if path.suffix else str(path)
        hits = [t for t in longest_first if re.search(rf"(?<![A-Za-z0-9]){re.escape(t)}(?![A-Za-z0-9])", text)]
        hits = [t for t in hits if not any(t != other and t in other for other in hits)]
        if len(hits) != 1:
            return None
        rest = text.replace(hits[0], " ", 1)
        number = re.search(r"(?<![0-9])([0-9]+)\s*$", rest)
        if number is None:
            return hits[0], 0
        return (hits[0], int(number[1])) if len(number[1]) <= SEED_DIGITS else None

    return read


def _pattern_reader(pattern: str, tasks: Sequence[str]) -> Reader:
    if "{task}" not in pattern:
        raise UsageError(f"--pattern '{pattern}' must contain {{task}}, such as '{{task}}_{{seed}}.mp4'")
    known = {"task": r"(?P<task>.+?)", "seed": r"(?P<seed>[0-9]{1,9})", "any": r".*?"}
    if pattern.count("{task}") > 1 or pattern.count("{seed}") > 1:
        raise UsageError(f"--pattern '{pattern}' may name {{task}} and {{seed}} once each")
    expression = ""
    for piece in re.split(r"(\{[^{}]*\})", pattern):
        if piece.startswith("{"):
            name = piece[1:-1]
            if name not in known:
                raise UnknownName("placeholder", name, known)
            expression += known[name]
        else:
            expression += re.escape(piece)

    def read(path: Path) -> Slot | None:
        match = re.fullmatch(expression, path.as_posix())
        if match is None or match["task"] not in tasks:
            return None
        return match["task"], int(match.groupdict().get("seed") or 0)

    return read


def _from_map(folder: Path, map_file: Path, tasks: Sequence[str]) -> list[tuple[Path, Slot | None]]:
    """Rows of a CSV with columns video, task and optionally seed."""
    try:
        with map_file.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise UsageError(f"{map_file}: cannot read the map: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{map_file}: not a CSV file ({error})") from error
    if not rows or not {"video", "task"} <= rows[0].keys():
        raise UsageError(f"{map_file}: needs a header line with the columns video,task and optionally seed")
    claims: list[tuple[Path, Slot | None]] = []
    for number, row in enumerate(rows, 2):
        if row["task"] not in tasks:
            raise UsageError(f"{map_file}:{number}: {UnknownName('task', row['task'] or '', tasks)}")
        path = folder / (row["video"] or "")
        if not row["video"] or not path.exists() or not path.resolve().is_relative_to(folder.resolve()):
            raise UsageError(f"{map_file}:{number}: no file '{row['video']}' in {folder}")
        text = row.get("seed") or "0"
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise UsageError(f"{map_file}:{number}: seed '{text}' is not a whole number of at most nine digits")
        seed = int(text)
        claims.append((path, (row["task"], seed)))
    return claims
