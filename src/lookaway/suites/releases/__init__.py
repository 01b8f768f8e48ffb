"""Official releases of other benchmarks as suites: `wrbench:FOLDER`, or `lookaway suite import wrbench FOLDER`."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from lookaway.errors import SuiteError, UnknownName, UsageError, problems
from lookaway.records import Box
from lookaway.suites import Draft, Suite, folder_of
from lookaway.suites.folder import row_draft, write_folder
from lookaway.suites.releases import wrbench
from lookaway.suites.releases.reading import Boxes, Release, text_of

READERS: Mapping[str, Callable[[Path, Boxes], Release]] = {"wrbench": wrbench.read}
VERSION = 1


def read_release(kind: str, folder: Path, boxes: Boxes | None = None) -> Release:
    if kind not in READERS:
        raise UnknownName("release", kind, READERS)
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; give the folder of the {kind} release")
    return READERS[kind](folder, boxes or {})


def release_suite(name: str) -> Suite:
    """The suite of a release that is read where it lies."""
    release = read_release(name.partition(":")[0], folder_of(name).expanduser())
    return Suite(release.name, VERSION, functools.partial(_drafts, release), release.summary)


def _drafts(release: Release) -> list[Draft]:
    where = f"{release.name}:{release.folder}"
    if not release.rows:
        raise SuiteError(
            f"{where}: no task has a picture; see: lookaway suite import {release.name} FOLDER --out SUITE"
        )
    return [row_draft(release.folder, json.dumps(row), release.name, str(VERSION), where) for row in release.rows]


def write_release(release: Release, out: Path) -> None:
    """A folder suite with copies of the pictures, and the report beside it; nothing where a task is not in order."""
    if (out / "suite.toml").exists():
        raise UsageError(f"{out}: holds a suite already; give another folder")
    _drafts(release)
    for picture in sorted({str(row["first_frame"]) for row in release.rows}):
        (out / picture).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(release.folder / picture, out / picture)
    out.mkdir(parents=True, exist_ok=True)
    (out / "import.txt").write_text("".join(f"{line}\n" for line in release.report))
    write_folder(out, release.name, VERSION, release.summary, release.rows)


def read_boxes(path: Path) -> dict[str, Box]:
    """Boxes by scene family, from a JSON file."""
    try:
        return TypeAdapter(dict[str, Box]).validate_json(text_of(path))
    except ValidationError as error:
        raise UsageError(f"{path}: not {{family: [left, top, right, bottom]}}: {problems(error)}") from error
