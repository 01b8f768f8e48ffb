"""Official releases of other benchmarks as suites: `wrbench:FOLDER`, or `lookaway suite import wrbench FOLDER`."""

from __future__ import annotations

import functools
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from lookaway.cache import Built
from lookaway.errors import SuiteError, UnknownName, UsageError, problems
from lookaway.records import Box
from lookaway.store import Blobs
from lookaway.suites import Draft, Suite, folder_of
from lookaway.suites.folder import build_from_row, row_draft, write_folder
from lookaway.suites.releases import memobench, stevo, wrbench
from lookaway.suites.releases.memobench import settling
from lookaway.suites.releases.reading import Boxes, Release
from lookaway.suites.sheets import text_of

READERS: Mapping[str, Callable[[Path, Boxes], Release]] = {
    "wrbench": wrbench.read,
    "memobench": memobench.read,
    "stevo": stevo.read,
}
VERSION = 1
# What of each release its reader was never run on; the rest was.
UNVERIFIED: Mapping[str, str] = {
    "wrbench": "its videos but for five, and 21 of its 25 first frames; its texts and results file were read whole",
    "memobench": "its frames, poses, depth and sheets, which were made up after its readme; its csv files were read",
    "stevo": "its task files and pictures, which were made up after its layout; 44 of its verdicts were read",
}

Row = dict[str, Any]
# Of a release whose truth has to be put in order: writes the media of a row, and gives the row that names them.
SETTLERS: Mapping[str, Callable[[Path, Row, Path], tuple[Row, list[str]]]] = {"memobench": settling.settle}


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
    return [_draft(release, row, where) for row in release.rows]


def _draft(release: Release, row: Row, where: str) -> Draft:
    plain = {name: value for name, value in row.items() if name != "released"}
    draft = row_draft(release.folder, json.dumps(plain), release.name, str(VERSION), where)
    if release.name not in SETTLERS:
        return draft
    facts = (*draft.facts, ("kind", release.name), ("released", row["released"]))
    return replace(draft, facts=facts, build=build_released)


def build_released(draft: Draft, blobs: Blobs) -> Built:
    """A task of a release that is read where it lies, its truth put in order first."""
    facts = dict(draft.facts)
    folder, row = Path(facts["folder"]), json.loads(facts["row"]) | {"released": facts["released"]}
    with tempfile.TemporaryDirectory(prefix="lookaway-") as out:
        settled, _ = SETTLERS[facts["kind"]](folder, row, Path(out))
        return build_from_row(replace(draft, facts=(("folder", out), ("row", json.dumps(settled)))), blobs)


def write_release(release: Release, out: Path) -> list[str]:
    """A folder suite with copies of the media, and the report beside it; nothing where a task is not in order.

    Gives what went wrong on the way, line by line; it is in the report as well.
    """
    if (out / "suite.toml").exists():
        raise UsageError(f"{out}: holds a suite already; give another folder")
    _drafts(release)
    rows, notes = list[Row](), list[str]()
    for row in release.rows:
        settled, said = SETTLERS.get(release.name, _with_picture)(release.folder, row, out)
        rows.append(settled)
        notes += said
    for name, path in release.beside.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, out / name)
    out.mkdir(parents=True, exist_ok=True)
    (out / "import.txt").write_text("".join(f"{line}\n" for line in [*release.report, *notes]))
    write_folder(out, release.name, VERSION, release.summary, rows)
    return notes


def _with_picture(folder: Path, row: Row, out: Path) -> tuple[Row, list[str]]:
    """The row as it is, its picture copied once."""
    picture = str(row["first_frame"])
    if not (out / picture).exists():
        (out / picture).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / picture, out / picture)
    return row, []


def read_boxes(path: Path) -> dict[str, Box]:
    """Boxes by scene family or clip, from a JSON file."""
    try:
        return TypeAdapter(dict[str, Box]).validate_json(text_of(path))
    except ValidationError as error:
        raise UsageError(f"{path}: not {{family: [left, top, right, bottom]}}: {problems(error)}") from error
