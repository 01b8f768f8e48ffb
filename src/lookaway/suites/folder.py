"""A suite as a folder: `suite.toml` (name, version, summary) and `tasks.jsonl`, one Task a line.

In a line, `first_frame` and `prefix` are paths of media in the folder. `reference`, if given, is the path of the true
clip, or an object with all that is known of the truth: see `TruthFiles`.
"""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import ValidationError, model_validator

from lookaway.arrays import BadArrays, read_arrays
from lookaway.cache import Built
from lookaway.errors import SuiteError, UsageError, problems
from lookaway.geometry.asked import NOT_ASKED
from lookaway.geometry.cover import parse_cover
from lookaway.geometry.script import in_seconds
from lookaway.geometry.visibility import obstacle
from lookaway.images import read_image
from lookaway.names import unprintable
from lookaway.records import Bank, Interval, PhaseSource, Record, Reference, Task
from lookaway.store import Blobs
from lookaway.suites import Draft, Suite
from lookaway.video import decode

BESIDE = ("reference", "questions")  # of a row: what is known of a task and no part of it
PER_FRAME = ("camera_to_world", "intrinsics", "masks", "visible", "state")  # beside `seconds`; see truth.pack
TOGETHER = (("camera_to_world", "intrinsics"), ("masks", "visible"), ("masks", "mask_width"))


class TruthFiles(Record):
    """What is known of a task's truth: files in the folder, any of them, and what is said about them."""

    video: str | None = None
    arrays: str | None = None
    depth: str | None = None
    phases: tuple[Interval, ...] | None = None
    phase_source: PhaseSource = "planned"
    state_names: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _something_is_known(self) -> Self:
        if self.video is None and self.arrays is None and self.depth is None:
            raise ValueError("give a video, arrays or depth")
        return self


def read_folder(folder: Path) -> Suite:
    try:
        head = tomllib.loads((folder / "suite.toml").read_text())
        name, version, summary = head["name"], int(head["version"]), head["summary"]
    except OSError as error:
        raise SuiteError(f"{folder}: not a suite folder, cannot read suite.toml: {error.strerror}") from error
    except (KeyError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise SuiteError(
            f"{folder}/suite.toml: needs name, version (a whole number) and summary ({error!r})"
        ) from error
    if not isinstance(name, str) or unprintable(name) or "/" in name:
        raise SuiteError(f"{folder}/suite.toml: name {name!r} must be one line of text without slashes")
    if not isinstance(summary, str):
        raise SuiteError(f"{folder}/suite.toml: summary {summary!r} must be text")
    return Suite(name, version, functools.partial(_drafts, folder, name, str(version)), summary)


def write_folder(folder: Path, name: str, version: int, summary: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """The two files of a suite; its media lie in the folder already."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    head = {"name": name, "version": version, "summary": summary}
    (folder / "suite.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in head.items()))


def _drafts(folder: Path, suite: str, version: str) -> list[Draft]:
    path = folder / "tasks.jsonl"
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except OSError as error:
        raise SuiteError(f"{path}: cannot read it: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SuiteError(f"{path}: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    return [
        row_draft(folder, line, suite, version, f"{path}:{number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


def row_draft(folder: Path, line: str, suite: str, version: str, where: str) -> Draft:
    """The task of one line, checked but not built; `where` names the line in errors."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"{where}: not JSON: {error}") from error
    if not isinstance(row, dict):
        raise SuiteError(f"{where}: not a task: a line must be one JSON object")
    _bank(row, where)
    task = _task({k: v for k, v in row.items() if k not in BESIDE}, suite, version, where)
    media = {"first_frame": task.first_frame, "prefix": task.prefix} | _truth_media(_truth(row, where))
    for field, name in media.items():
        if name is not None and not _inside(folder, name):
            raise SuiteError(f"{where}: {field} '{name}' is not a file in {folder}")
    files = [folder / name for name in media.values() if name is not None]
    stamps = [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in files]
    return Draft(
        task.id,
        suite,
        version,
        task.scene,
        task.camera or (f"{len(task.poses)} poses" if task.poses else NOT_ASKED),
        task.seconds,
        task.fps,
        (("folder", str(folder.resolve())), ("row", line), ("media", stamps)),
        build_from_row,
        obstacle=obstacle(task),
        truth=bool(row.get("reference")),
    )


def _truth(row: dict[str, Any], where: str) -> TruthFiles | None:
    given = row.get("reference")
    if not given:
        return None
    try:
        return TruthFiles.model_validate({"video": given} if isinstance(given, str) else given)
    except ValidationError as error:
        raise SuiteError(f"{where}: reference: {problems(error)}") from error


def _truth_media(truth: TruthFiles | None) -> dict[str, str | None]:
    if truth is None:
        return {}
    return {"reference": truth.video, "reference.arrays": truth.arrays, "reference.depth": truth.depth}


def _inside(folder: Path, name: str) -> bool:
    """Is it the name of something in this folder, not of something elsewhere?"""
    try:
        path = (folder / name).resolve()
        return path.exists() and path != folder.resolve() and path.is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # the last of a loop of links
        return False


def build_from_row(draft: Draft, blobs: Blobs) -> Built:
    facts = dict(draft.facts)
    folder, row = Path(facts["folder"]), json.loads(facts["row"])
    truth, bank = _truth(row, draft.id), _bank(row, draft.id)
    row = {name: value for name, value in row.items() if name not in BESIDE}
    read_image(folder / row["first_frame"])
    media = {"first_frame": blobs.put_file(folder / row["first_frame"])}
    if row.get("prefix"):
        media["prefix"] = _video(folder / row["prefix"], blobs)
    task = _task(row | media, draft.suite, draft.version, draft.id)
    if truth is None:
        return Built(task, None, bank)
    reference = Reference(
        task=task.id,
        instance=task.instance,
        video=None if truth.video is None else _video(folder / truth.video, blobs),
        arrays=None if truth.arrays is None else _arrays(folder / truth.arrays, len(truth.state_names), blobs),
        depth=None if truth.depth is None else _depth(folder / truth.depth, blobs),
        phases=task.phases if truth.phases is None else truth.phases,
        phase_source=truth.phase_source,
        state_names=truth.state_names,
    )
    return Built(task, reference, bank)


def _bank(row: dict[str, Any], where: str) -> Bank | None:
    """The questions of a row, where it has any."""
    if not row.get("questions"):
        return None
    try:
        return Bank.model_validate({"task": str(row.get("id", "")), "questions": row["questions"]})
    except ValidationError as error:
        raise SuiteError(f"{where}: questions: {problems(error)}") from error


def _video(path: Path, blobs: Blobs) -> str:
    for _ in decode(path, long_side=64):
        pass
    return blobs.put_file(path)


def _arrays(path: Path, states: int, blobs: Blobs) -> str:
    """Arrays that fit together, taken in: `seconds`, and any others of the parts that go with it."""
    try:
        whole = read_arrays(path)
        lengths = {name: len(whole[name]) for name in ("seconds", *PER_FRAME) if name == "seconds" or name in whole}
        width, state = int(whole.get("mask_width", 0)), whole.get("state", np.zeros((0, states))).shape
        packed = whole.get("masks", np.zeros((0, 0, 0))).shape
    except (BadArrays, KeyError, TypeError, ValueError, OverflowError) as error:
        raise SuiteError(f"{path}: not the arrays of a true clip ({error}); see docs/add-a-suite.md") from error
    for first, second in TOGETHER:
        if (first in whole) != (second in whole):
            raise SuiteError(f"{path}: {first} and {second} belong together, and only one of them is here")
    if states and "state" not in whole:
        raise SuiteError(f"{path}: state_names has {states} names, and there is no state")
    if len(set(lengths.values())) != 1:
        raise SuiteError(f"{path}: arrays of different lengths: {lengths}")
    if len(state) != 2 or state[1] != states:
        raise SuiteError(f"{path}: state is {state}, but state_names has {states} names")
    if len(packed) != 3 or packed[2] != (width + 7) // 8:
        raise SuiteError(f"{path}: masks are {packed}, but mask_width is {width}; pack them with np.packbits(axis=-1)")
    return blobs.put_file(path)


def _depth(path: Path, blobs: Blobs) -> str:
    try:
        named = read_arrays(path, ["depth"])
    except BadArrays as error:
        raise SuiteError(f"{path}: not an npz file ({error})") from error
    if "depth" not in named:
        raise SuiteError(f"{path}: has no array called depth")
    return blobs.put_file(path)


def _task(row: dict[str, Any], suite: str, version: str, where: str) -> Task:
    """The task of a row, its scripts checked and its camera script written out in seconds."""
    try:
        task = Task.model_validate(row | {"suite": suite, "version": version})
        if task.cover:
            parse_cover(task.cover)
        return task.model_copy(update={"camera": in_seconds(task.camera, task.fps)}) if task.camera else task
    except ValidationError as error:
        raise SuiteError(f"{where}: not a task: {problems(error)}") from error
    except UsageError as error:
        raise SuiteError(f"{where}: {error}") from error
