"""Generated videos in the folders that MemoBench's tools read, by the names of its clips.

Synthetic/SCENE/SCENE_001/   or without the first or second folder; for real clips Real/001/ or real_001/
    video.mp4, else frames/, else samples-rgb/, else pictures
Synthetic/SCENE_001.mp4      wins over a folder; for real clips Real/001.mp4
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lookaway.pipeline.file_names import Slot
from lookaway.video.names import printable

PICTURES = {".png", ".jpg", ".jpeg"}
SPLITS = ("synthetic", "real")  # what folders of clips are called, in any case
INSIDE = ("frames", "samples-rgb", "")
MOST_NAMES = 5  # in a note


@dataclass
class LaidOut:
    """Which video is which task's, and which files of the folder are thereby spoken for."""

    claims: list[tuple[Path, Slot | None]] = field(default_factory=list)
    passed_over: set[Path] = field(default_factory=set)  # beside a video that wins
    notes: list[str] = field(default_factory=list)


def laid_out(folder: Path, tasks: Sequence[str], videos: Sequence[Path]) -> LaidOut:
    """The videos of tasks that are called as clips of MemoBench; a task that two places claim is claimed twice."""
    found, owned = LaidOut(), set[Path]()
    empty, by_number = list[str](), list[str]()
    roots = _roots(folder)
    for task in tasks:
        files, folders = _places(task, roots)
        chosen = files or [path for path in map(_inside, folders) if path is not None]
        found.claims += [(path, (task, 0)) for path in chosen]
        owned |= set(folders)
        empty += [task] if folders and not chosen else []
        by_number += [task for path in chosen if path.is_dir() and _reads_otherwise(path)]
    chosen_paths = {path for path, _ in found.claims}
    beside = [path for path in videos if path not in chosen_paths]
    found.passed_over = {path for path in beside if not owned.isdisjoint([path, *path.parents])}
    found.notes = list(_notes(found, empty, by_number))
    return found


def _roots(folder: Path) -> dict[str, list[Path]]:
    """Where clips of a split may lie: in the folder itself, or in one that is called after the split."""
    named = {path.name.lower(): path for path in sorted(folder.iterdir()) if path.is_dir()}
    return {split: [folder, *([named[split]] if split in named else [])] for split in SPLITS}


def _places(task: str, roots: dict[str, list[Path]]) -> tuple[list[Path], list[Path]]:
    """The video files and the folders of a task that are there."""
    named = re.fullmatch(r"(.+)_([0-9]{3,9})", task, re.ASCII)
    if named is None:
        return [], []
    scene, number = named.groups()
    names = [number, task] if scene == "real" else [task]
    above = (
        roots["real"] if scene == "real" else [place for root in roots["synthetic"] for place in (root, root / scene)]
    )
    files = [path for root in above for name in names if (path := root / f"{name}.mp4").is_file()]
    return files, [path for root in above for name in names if (path := root / name).is_dir()]


def _inside(own: Path) -> Path | None:
    """What of a clip's folder is its video."""
    if (own / "video.mp4").is_file():
        return own / "video.mp4"
    return next((own / name for name in INSIDE if _pictures(own / name)), None)


def _pictures(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    return [file.name for file in folder.iterdir() if file.suffix.lower() in PICTURES and file.name[0] != "."]


def _reads_otherwise(folder: Path) -> bool:
    """Do its pictures have another order by their numbers than as text?"""
    names = sorted(_pictures(folder))
    numbers = [[int(part) for part in re.findall(r"[0-9]+", name)] for name in names]
    return numbers != sorted(numbers)


def _notes(found: LaidOut, empty: list[str], by_number: list[str]) -> Iterator[str]:
    if found.passed_over:
        some = [path.name for path in sorted(found.passed_over)]
        yield f"{len(some)} videos or folders of frames lie beside a clip's video, which is read: {_few(some)}"
    if empty:
        yield f"folders of {len(empty)} clips hold neither video.mp4 nor frames: {_few(empty)}"
    if by_number:
        yield (
            f"frames of {len(by_number)} clips are numbered without leading zeros and taken by number, by MemoBench's "
            f"tools as text: {_few(by_number)}"
        )


def _few(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return printable(", ".join(names[:MOST_NAMES])) + more
