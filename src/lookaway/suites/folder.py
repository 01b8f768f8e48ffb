"""A suite as a folder: `suite.toml` (name, version, summary) and `tasks.jsonl`, one Task a line.

In a line, `first_frame` is the path of an image in the folder, and `reference`, if given, the path of the true clip.
"""

from __future__ import annotations

import functools
import json
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from lookaway.errors import SuiteError, UsageError, problems
from lookaway.geometry.script import parse
from lookaway.images import read_image
from lookaway.records import Reference, Task
from lookaway.store import Blobs
from lookaway.suites import Draft, Suite
from lookaway.video import decode


def read_folder(folder: Path) -> Suite:
    try:
        head = tomllib.loads((folder / "suite.toml").read_text())
        name, version, summary = head["name"], int(head["version"]), head["summary"]
    except OSError as error:
        raise SuiteError(f"{folder}: not a suite folder, cannot read suite.toml: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, KeyError, ValueError, TypeError, OverflowError) as error:
        raise SuiteError(
            f"{folder}/suite.toml: needs name, version (a whole number) and summary ({error!r})"
        ) from error
    return Suite(name, version, functools.partial(_drafts, folder, name, str(version)), summary)


def _drafts(folder: Path, suite: str, version: str) -> list[Draft]:
    path = folder / "tasks.jsonl"
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except OSError as error:
        raise SuiteError(f"{path}: cannot read it: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SuiteError(f"{path}: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    drafts = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise SuiteError(f"{path}:{number}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise SuiteError(f"{path}:{number}: not a task: a line must be one JSON object")
        task = _task({k: v for k, v in row.items() if k != "reference"}, suite, version, f"{path}:{number}")
        try:
            parse(task.camera)
        except UsageError as error:
            raise SuiteError(f"{path}:{number}: {error}") from error
        for field in ("first_frame", "reference"):
            if row.get(field) and not _inside(folder, row[field]):
                raise SuiteError(f"{path}:{number}: {field} '{row[field]}' is not a file in {folder}")
        media = [folder / row[field] for field in ("first_frame", "reference") if row.get(field)]
        stamps = [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in media]
        facts = (("folder", str(folder.resolve())), ("row", line), ("media", stamps))
        drafts.append(
            Draft(
                task.id,
                suite,
                version,
                task.scene,
                task.camera,
                task.seconds,
                task.fps,
                facts,
                build_from_row,
            )
        )
    return drafts


def _inside(folder: Path, name: object) -> bool:
    """Is it the name of something in this folder, not of something elsewhere?"""
    try:
        path = (folder / str(name)).resolve()
        return path.exists() and path != folder.resolve() and path.is_relative_to(folder.resolve())
    except OSError:
        return False


def build_from_row(draft: Draft, blobs: Blobs) -> tuple[Task, Reference | None]:
    facts = dict(draft.facts)
    folder, row = Path(facts["folder"]), json.loads(facts["row"])
    reference = row.pop("reference", None)
    read_image(folder / row["first_frame"])
    first_frame = blobs.put_file(folder / row["first_frame"])
    task = _task(row | {"first_frame": first_frame}, draft.suite, draft.version, draft.id)
    if reference is None:
        return task, None
    for _ in decode(folder / reference, long_side=64):
        pass
    video = blobs.put_file(folder / reference)
    return task, Reference(
        task=task.id, instance=task.instance, video=video, phases=task.phases, phase_source="planned"
    )


def _task(row: dict[str, Any], suite: str, version: str, where: str) -> Task:
    try:
        return Task.model_validate(row | {"suite": suite, "version": version})
    except ValidationError as error:
        raise SuiteError(f"{where}: not a task: {problems(error)}") from error
