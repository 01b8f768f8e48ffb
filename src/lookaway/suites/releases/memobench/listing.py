"""Which clips MemoBench's release lists: its metadata tables, keyframe sheets, question banks and failure cases."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lookaway.errors import LookawayError, SuiteError
from lookaway.suites.keyframes import ClipMarks, KeyframeFile, clip_name, read_keyframes
from lookaway.suites.sheets import Row, lacking, sheet_rows, whole_number

Split = Literal["synthetic", "real"]
TABLES: dict[Split, str] = {"synthetic": "synthetic_metadata.csv", "real": "real_metadata.csv"}
SHEETS: dict[Split, str] = {"synthetic": "Synthetic_ExitReenter", "real": "Real_ExitReenter"}
CLIPS: dict[Split, str] = {"synthetic": "Synthetic_processed", "real": "Real_Raw"}
COLUMNS: dict[Split, tuple[str, ...]] = {
    "synthetic": ("scene", "video_id", "subject", "prompt"),
    "real": ("video_id", "subject", "prompt"),
}
FIRST_FRAME: dict[Split, str] = {"synthetic": "exr_path", "real": "full_image_path"}
PLACES = tuple(f"{at}{name}" for at in ("", "data/") for name in ("", "sam3_metadata", *CLIPS.values()))
BANKS = ("data/vqa_questions", "vqa_questions", "data", "")
FAILURES = "failure-cases.csv"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}", re.ASCII)
_BANK = re.compile(r"(.+)-([0-9]{1,9})-questions\.csv", re.ASCII)


@dataclass(frozen=True)
class ListedClip:
    """A row of the metadata: what it is about, and where its files should be."""

    split: Split
    scene: str  # empty for real clips
    number: int
    subject: str
    prompt: str
    first_frame: str  # as the row tells it

    @property
    def id(self) -> str:
        return f"{self.scene or 'real'}_{self.number:03d}"

    @property
    def folder(self) -> str:
        """Below the folder of the data."""
        own = self.id if self.scene else f"{self.number:03d}"
        return f"{CLIPS[self.split]}/{self.scene}/{own}" if self.scene else f"{CLIPS[self.split]}/{own}"


@dataclass
class ReleaseListing:
    clips: dict[str, ListedClip] = field(default_factory=dict)
    marks: dict[str, ClipMarks] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    banks: dict[str, Path] = field(default_factory=dict)
    failures: Path | None = None
    notes: list[str] = field(default_factory=list)  # of what is missing or contradictory


def read_listing(folder: Path) -> ReleaseListing:
    """All that the tables of a release say; a bad row costs itself, a bad table its split."""
    listing = ReleaseListing()
    for split in TABLES:
        _read_table(listing, folder, split)
    if not listing.clips:
        said = "; ".join(listing.notes)
        raise SuiteError(f"{folder}: no clip of MemoBench is listed here ({said}); give the folder that holds data/")
    for split in TABLES:
        if any(clip.split == split for clip in listing.clips.values()):
            _read_keyframes(listing, folder, split)
    _read_banks(listing, folder)
    return listing


def data_folder(folder: Path) -> Path:
    return folder / "data" if (folder / "data").is_dir() else folder


def found_file(folder: Path, names: Iterable[str], places: Iterable[str] = PLACES) -> Path | None:
    """The first of these names in the first of these places."""
    paths = (folder / place / name for name in names for place in places)
    return next((path for path in paths if path.is_file()), None)


def _read_table(listing: ReleaseListing, folder: Path, split: Split) -> None:
    path = found_file(folder, [TABLES[split]])
    if path is None:
        listing.notes.append(f"missing: {TABLES[split]}, so no {split} clip is known")
        return
    try:
        rows = sheet_rows(path)
    except LookawayError as error:
        listing.notes.append(f"not readable: {error}")
        return
    if absent := lacking(rows, COLUMNS[split]):
        listing.notes.append(f"missing: {path.name} has no column {', '.join(absent)}, so no {split} clip is known")
        return
    for number, row in rows:
        _take(listing, split, row, f"{path.name}:{number}")


def _take(listing: ReleaseListing, split: Split, row: Row, where: str) -> None:
    number, scene = whole_number(row["video_id"]), row.get("scene", "") if split == "synthetic" else ""
    if number is None or (split == "synthetic" and not _PLAIN.fullmatch(scene)):
        listing.notes.append(f"left out: {where}: '{scene}' '{row['video_id']}' names no clip")
        return
    clip = ListedClip(split, scene, number, row["subject"], row["prompt"], row.get(FIRST_FRAME[split], ""))
    if clip.id in listing.clips:
        listing.notes.append(f"contradictory: {where}: {clip.id} is there twice; the first row counts")
    elif not clip.subject or not clip.prompt:
        listing.notes.append(f"left out: {where}: {clip.id} has no {'prompt' if clip.subject else 'subject'}")
    else:
        listing.clips[clip.id] = clip


def _read_keyframes(listing: ReleaseListing, folder: Path, split: Split) -> None:
    names = [f"{SHEETS[split]}.xlsx", f"{SHEETS[split]}.csv"]
    path = found_file(folder, names)
    if path is None:
        listing.notes.append(f"missing: {' or '.join(names)}, so {split} clips have no phases")
        return
    try:
        read = read_keyframes(path)
    except LookawayError as error:
        other = found_file(folder, names[1:])
        if path.suffix == ".csv" or other is None:
            listing.notes.append(f"not readable: {error}; {split} clips have no phases")
            return
        path, read = other, read_keyframes(other)
    _add_keyframes(listing, read, path.name)


def _add_keyframes(listing: ReleaseListing, read: KeyframeFile, name: str) -> None:
    listing.notes += [f"left out: {problem}" for problem in read.problems]
    clips = {_alike(clip): clip for clip in listing.clips}
    listing.marks |= {clips[_alike(clip)]: marks for clip, marks in read.marks.items() if _alike(clip) in clips}
    listing.skipped |= {clips[_alike(clip)] for clip in read.skipped if _alike(clip) in clips}
    strangers = [clip for clip in read.marks if _alike(clip) not in clips]
    if strangers:
        listing.notes.append(f"contradictory: {name} marks {few(strangers)}, of which no metadata tell")


def _read_banks(listing: ReleaseListing, folder: Path) -> None:
    clips = {_alike(clip): clip for clip in listing.clips}
    for place in BANKS:
        for path in sorted((folder / place).glob("*-questions.csv")):
            named = _BANK.fullmatch(path.name)
            clip = None if named is None else clips.get(_alike(clip_name(f"{named[1]}_{named[2]}")))
            if clip is None:
                listing.notes.append(f"contradictory: {path.name} asks about no clip of the metadata")
            else:
                listing.banks.setdefault(clip, path)
    listing.failures = found_file(folder, [FAILURES], BANKS)


def _alike(clip: str) -> str:
    """Names that mean one clip: `Zen_Garden_010` in banks is `ZenGarden_010` elsewhere."""
    return clip.replace("_", "").lower()


def few(names: list[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
