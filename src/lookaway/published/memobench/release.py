"""Files of MemoBench's release that a check needs: lists of its clips, of its failure clips, and its question banks.

They are the authors' and not shipped; `--release DIR` names a folder in which they lie side by side.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lookaway.banks.memobench import read_release as read_banks
from lookaway.errors import UsageError
from lookaway.records import QuestionBank
from lookaway.suites.releases.reading import text_of

SYNTHETIC = "synthetic_metadata.csv"
REAL = "real_metadata.csv"
FAILURES = "failure-cases.csv"
BANKS = "vqa_questions"


@dataclass(frozen=True)
class CountedClip:
    """A clip of the suite, or one of which a failure is known."""

    scene: str  # empty for real clips
    number: str
    prompt: str


@dataclass(frozen=True)
class CountedFiles:
    """What a folder holds of the release; None for a file that is not there."""

    synthetic: tuple[CountedClip, ...] | None = None
    real: tuple[CountedClip, ...] | None = None
    failures: tuple[CountedClip, ...] | None = None
    banks: tuple[QuestionBank, ...] | None = None


def read_release(folder: Path) -> CountedFiles:
    """The files in a folder; one without any of them is refused."""
    if not folder.is_dir():
        raise UsageError(f"--release {folder}: no such folder; give the one that holds {SYNTHETIC}")
    there = {name for name in (SYNTHETIC, REAL, FAILURES, BANKS) if (folder / name).exists()}
    if not there:
        raise UsageError(f"--release {folder}: holds neither {SYNTHETIC} nor {REAL} nor {FAILURES} nor {BANKS}")
    return CountedFiles(
        synthetic=_clips(folder / SYNTHETIC, ("scene", "video_id", "prompt")) if SYNTHETIC in there else None,
        real=_clips(folder / REAL, ("video_id", "prompt")) if REAL in there else None,
        failures=_clips(folder / FAILURES, ("scene", "video_id", "prompt")) if FAILURES in there else None,
        banks=tuple(read_banks(folder / BANKS).banks.values()) if BANKS in there else None,
    )


def _clips(path: Path, needed: Sequence[str]) -> tuple[CountedClip, ...]:
    rows = _rows(path, needed)
    clips = tuple(CountedClip(row.get("scene", ""), row["video_id"], row["prompt"]) for row in rows)
    twice = sorted({c for c in ((clip.scene, clip.number) for clip in clips)})
    if len(twice) < len(clips):
        raise UsageError(f"{path}: lists a clip twice")
    return clips


def _rows(path: Path, needed: Sequence[str]) -> list[dict[str, str]]:
    reader = csv.DictReader(text_of(path).splitlines(keepends=True))
    try:
        if lacking := [name for name in needed if name not in (reader.fieldnames or ())]:
            raise UsageError(f"{path}: has no column {', '.join(lacking)}; give the release as it was downloaded")
        rows = [_row(line, f"{path}, line {reader.line_num}") for line in reader]
    except csv.Error as error:
        raise UsageError(f"{path}: not CSV: {error}") from error
    if not rows:
        raise UsageError(f"{path}: has no rows")
    return rows


def _row(line: dict[str | None, str | None], where: str) -> dict[str, str]:
    if None in line or None in line.values():
        raise UsageError(f"{where}: has more or fewer fields than the heading")
    return {str(name): str(text) for name, text in line.items()}
