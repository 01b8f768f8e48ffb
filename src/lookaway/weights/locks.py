"""What fetched files were when they first came: a file beside the weights, against which later fetches are checked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, ValidationError

from lookaway.errors import UsageError
from lookaway.records import Record
from lookaway.store import file_sha256
from lookaway.weights.catalogue import SHA256, Weights

LOCK = "weights.lock"


class LockedFile(Record):
    """A file as it was when it was recorded."""

    sha256: str = Field(pattern=SHA256)
    bytes: int
    changed_ns: int


class WeightsLock(Record):
    """What lies in a folder of fetched weights."""

    name: str
    revision: str = Field(description="branch, tag or commit that was asked for")
    files: dict[str, LockedFile] = Field({}, description="by name")


class Expected(NamedTuple):
    """A hash that a file must have, and who says so."""

    sha256: str
    source: str


def read_lock(folder: Path) -> WeightsLock | None:
    """None where nothing was fetched into the folder."""
    path = folder / LOCK
    try:
        return WeightsLock.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise UsageError(f"{path}: cannot be read; delete it, and get the weights again") from error


def expected_content(weights: Weights, folder: Path, file: str) -> Expected | None:
    """None where nobody knows before the file is first fetched."""
    if file in weights.sha256:
        return Expected(weights.sha256[file], "the catalogue")
    lock = read_lock(folder)
    if lock is not None and file in lock.files:
        return Expected(lock.files[file].sha256, f"{LOCK}, where it was recorded when it first came,")
    return None


def record(weights: Weights, folder: Path, file: str) -> None:
    """Write down what a file is now."""
    path, lock = folder / file, read_lock(folder) or WeightsLock(name=weights.name, revision=weights.revision)
    facts = path.stat()
    now = LockedFile(sha256=file_sha256(path), bytes=facts.st_size, changed_ns=facts.st_mtime_ns)
    temporary = folder / f".{LOCK}-{os.getpid()}"
    temporary.write_text(lock.model_copy(update={"files": lock.files | {file: now}}).model_dump_json(indent=1) + "\n")
    temporary.replace(folder / LOCK)
