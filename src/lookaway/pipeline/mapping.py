"""Which file is which task's video? Guessed from names, or told by a map or a pattern; nothing is dropped silently."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lookaway.errors import UnknownName, UsageError
from lookaway.names import is_there
from lookaway.pipeline.file_names import VIDEO_SUFFIXES, Reader, Slot, guesser, near_task
from lookaway.pipeline.memobench_layout import LaidOut, laid_out
from lookaway.pipeline.stevo_layout import mapped_out
from lookaway.video.names import printable

IMAGE_SUFFIXES = {".png", ".jpg", ".jpeg"}

MOST_NUMBERS = 5  # in a note

Claims = list[tuple[Path, Slot | None]]


@dataclass
class Mapping:
    """Every file and every task, each in exactly one list."""

    folder: Path
    matched: dict[Slot, Path] = field(default_factory=dict)
    ambiguous: dict[Slot, list[Path]] = field(default_factory=dict)
    unmatched: list[Path] = field(default_factory=list)
    without_video: list[Slot] = field(default_factory=list)
    meant: dict[Path, str] = field(default_factory=dict)  # the task that an unmatched name nearly is
    notes: list[str] = field(default_factory=list)

    def slots(self, with_missing: bool = True) -> list[Slot]:
        """What some file claims and, `with_missing`, what none does."""
        return [*self.matched, *self.ambiguous, *(self.without_video if with_missing else [])]

    def why_missing(self, task: str, seed: int) -> str:
        if (task, seed) in self.ambiguous:
            names = ", ".join(sorted(printable(p.name) for p in self.ambiguous[task, seed]))
            return (
                f"{len(self.ambiguous[task, seed])} files claim this task ({names}); keep one, or say which with --map"
            )
        return f"no video for this task in {printable(self.folder.name)}"


VideoLayout = Literal["names", "memobench", "stevo"]
NAMES: VideoLayout = "names"
VideoFinder = Callable[[Path, Sequence[str], Sequence[Path]], LaidOut]
LAYOUTS: dict[VideoLayout, VideoFinder] = {"memobench": laid_out, "stevo": mapped_out}


def layout_of(suite: str) -> VideoLayout:
    """How the release of that name lays out its videos; `names` for any other suite."""
    return next((known for known in LAYOUTS if known == suite), NAMES)


def map_folder(
    folder: Path,
    tasks: Sequence[str],
    map_file: Path | None = None,
    pattern: str | None = None,
    layout: VideoLayout = "names",
) -> Mapping:
    """The mapping of a folder of videos (or of frame folders) to task ids and seeds.

    What lies where MemoBench's tools look for it, or what StEvo's output map names, counts first in these layouts, and
    names tell the rest.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; give the folder that holds the videos")
    videos, known = find_videos(folder), set(tasks)
    if map_file is not None:
        return _settled(folder, videos, tasks, _from_map(folder, map_file, known))
    read = _pattern_reader(pattern, known) if pattern is not None else guesser(known)
    laid = LAYOUTS[layout](folder, tasks, videos) if layout in LAYOUTS and pattern is None else LaidOut()
    videos = [path for path in videos if path not in laid.passed_over]
    placed, taken = {path for path, _ in laid.claims}, {slot for _, slot in laid.claims}
    told = [(path, read(path.relative_to(folder))) for path in videos if path not in placed]
    claims = [*laid.claims, *((path, None if slot in taken else slot) for path, slot in told)]
    mapping = _settled(folder, videos, tasks, claims, guessed=pattern is None)
    mapping.notes += laid.notes
    near = near_task(tasks)
    found = {path: near(path.relative_to(folder)) for path in mapping.unmatched}
    mapping.meant = {path: task for path, task in found.items() if task is not None}
    return mapping


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


def _settled(folder: Path, videos: list[Path], tasks: Sequence[str], claims: Claims, guessed: bool = False) -> Mapping:
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
    held = Counter(seed for _, seed in wanted)
    expected = _expected_seeds(held, len(tasks), guessed)
    mapping.without_video = _lacking(tasks, wanted, expected)
    mapping.notes = _seed_notes(held, expected, len(tasks))
    return mapping


def _expected_seeds(held: Counter[int], tasks: int, guessed: bool) -> list[int]:
    """The seeds that every task should have. A number read off one task's file alone is perhaps no seed at all."""
    seeds = sorted(held) or [0]
    if not guessed or tasks == 1:
        return seeds
    return [seed for seed in seeds if held[seed] > 1] or seeds[:1]


def _lacking(tasks: Sequence[str], wanted: Collection[Slot], expected: Sequence[int]) -> list[Slot]:
    """What every task should have and some have not; a video with a number of its own stands for one of them."""
    shared = set(expected)
    own = Counter(task for task, seed in wanted if seed not in shared)
    lacking = {task: [seed for seed in expected if (task, seed) not in wanted] for task in tasks}
    return [(task, seed) for task, seeds in lacking.items() for seed in seeds[own[task] :]]


def _seed_notes(held: Counter[int], expected: Sequence[int], tasks: int) -> list[str]:
    alone = sorted(held.keys() - set(expected))
    notes = [
        f"seed {seed} has videos for {held[seed]} of {tasks} tasks, and each seed is expected for every task; "
        "a number at the end of a name is read as a seed, unless --pattern '{task}_{any}.mp4' says otherwise"
        for seed in expected
        if len(held) > 1 and held[seed] < tasks
    ]
    if alone:
        numbers = ", ".join(map(str, alone[:MOST_NUMBERS])) + (", …" if len(alone) > MOST_NUMBERS else "")
        notes.append(
            f"seeds that one task alone has ({numbers}) are not expected of the others; if they are, say so with "
            "--pattern '{task}_{seed}.mp4'"
        )
    return notes


def _pattern_reader(pattern: str, tasks: Collection[str]) -> Reader:
    if "{task}" not in pattern:
        raise UsageError(f"--pattern '{pattern}' must contain {{task}}, such as '{{task}}_{{seed}}.mp4'")
    known = {"task": r"(?P<task>.+?)", "seed": r"(?P<seed>[0-9]{1,9})", "any": r".*?"}
    if pattern.count("{task}") > 1 or pattern.count("{seed}") > 1:
        raise UsageError(f"--pattern '{pattern}' may name {{task}} and {{seed}} once each")
    expression = ""
    for place, piece in enumerate(re.split(r"(\{[^{}]*\})", pattern)):
        if place % 2:  # every second piece of the split is in braces
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


def _from_map(folder: Path, map_file: Path, tasks: Collection[str]) -> Claims:
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
    claims: Claims = []
    for number, row in enumerate(rows, 2):
        if row["task"] not in tasks:
            raise UsageError(f"{map_file}:{number}: {UnknownName('task', row['task'] or '', tasks)}")
        path = folder / (row["video"] or "")
        if not row["video"] or not is_there(path) or not path.resolve().is_relative_to(folder.resolve()):
            raise UsageError(f"{map_file}:{number}: no file '{row['video']}' in {folder}")
        text = row.get("seed") or "0"
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise UsageError(f"{map_file}:{number}: seed '{text}' is not a whole number of at most nine digits")
        seed = int(text)
        claims.append((path, (row["task"], seed)))
    return claims
