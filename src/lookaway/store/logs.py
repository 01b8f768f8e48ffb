"""Append-only logs: every record is one line, every writer has a file of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import orjson

from lookaway.errors import StoreError
from lookaway.records import Record

Wanted = Mapping[str, str | int]  # field to value

FSYNC_EVERY_S = 20.0
READ_BYTES = 1 << 22


class Writer:
    """The only writer of one log file."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{_next_number(folder):020d}-{uuid.uuid4().hex}.jsonl"
        self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        fcntl.flock(self._fd, fcntl.LOCK_EX)  # tells compaction that this file is still growing
        self._sync_at = time.monotonic() + FSYNC_EVERY_S

    def append(self, key: str, inputs: str, record: Record, attempt: int = 0) -> None:
        """Write one line; when this returns, killing the process no longer loses it."""
        head = f'{{"key":"{key}","inputs":"{inputs}","attempt":{attempt},'.encode()
        line = head + orjson.dumps(record.__dict__, _fields)[1:] + b"\n"
        try:
            written = os.write(self._fd, line)
        except OSError as error:
            raise self._undone(0, error.strerror or str(error)) from error
        if written != len(line):
            raise self._undone(written, "disk full")
        if time.monotonic() > self._sync_at:
            self._sync()

    def _undone(self, written: int, why: str) -> StoreError:
        """Take back a half-written line, so that the file stays whole whatever comes next."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, os.lseek(self._fd, -written, os.SEEK_CUR))
        return StoreError(
            f"{self.path}: {why}; everything written before is safe. Make room, then run the same command again"
        )

    def _sync(self) -> None:
        try:
            os.fsync(self._fd)
        except OSError as error:
            raise StoreError(
                f"{self.path}: {error.strerror or error}; its last lines may not have reached the disk. "
                "See to the disk, then run the same command again"
            ) from error
        self._sync_at = time.monotonic() + FSYNC_EVERY_S

    def close(self) -> None:
        try:
            if os.fstat(self._fd).st_size:
                self._sync()
            else:
                self.path.unlink(missing_ok=True)
        finally:
            os.close(self._fd)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _next_number(folder: Path) -> int:
    """One more than any file there has: names follow the order of writing, whatever the clock says."""
    numbers = [re.match(r"[0-9]{1,20}", path.name) for path in folder.glob("*.jsonl")]
    return max((int(number[0]) for number in numbers if number), default=0) + 1


def _fields(part: object) -> dict[str, Any]:
    if isinstance(part, Record):
        return part.__dict__
    raise TypeError(f"{type(part).__name__} does not belong in a record")


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a log."""
    with _reading(path) as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return  # torn by a kill: it was never acknowledged
            yield _parsed(line, f"{path}:{number}")


def lines_with(path: Path, wanted: Wanted) -> Iterator[dict[str, Any]]:
    """The lines of a log that have the wanted values; others are hardly looked at."""
    piece = _plainest(wanted)
    lines = _lines_holding(path, piece) if piece else json_lines(path)
    return (line for line in lines if all(line.get(name) == value for name, value in wanted.items()))


def _plainest(wanted: Wanted) -> bytes:
    """The longest piece of a wanted text that reads the same however JSON is written."""
    pieces = [piece for value in wanted.values() for piece in re.findall("[A-Za-z0-9_.-]+", str(value))]
    return max(pieces, key=len, default="").encode()


def _lines_holding(path: Path, piece: bytes) -> Iterator[dict[str, Any]]:
    with _reading(path) as file:
        rest = b""
        while chunk := file.read(READ_BYTES):
            block = rest + chunk
            end = block.rfind(b"\n") + 1
            at = block.find(piece, 0, end)
            while at >= 0:
                start, stop = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at) + 1
                yield _parsed(block[start:stop], f"{path}: the line about {piece.decode()}")
                at = block.find(piece, stop, end)
            rest = block[end:]


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}; restore the file") from error


def _parsed(line: bytes, where: str) -> dict[str, Any]:
    try:
        facts = orjson.loads(line)
    except ValueError as error:
        raise StoreError(f"{where}: not JSON ({error}); restore the file or delete that line") from error
    if (
        not isinstance(facts, dict)
        or not isinstance(facts.get("key"), str)
        or not isinstance(facts.get("inputs"), str)
        or type(facts.get("attempt")) is not int
    ):
        raise StoreError(f"{where}: not a line of a log; restore the file or delete that line")
    return facts
