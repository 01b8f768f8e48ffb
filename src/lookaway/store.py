"""A run folder: append-only logs, blobs by sha256, resume, compaction to Parquet.

Every record is one line, written with one system call before `append` returns, so it survives the death of the
process. Logs are fsynced when a writer closes and, while it writes, with the first line after every twenty seconds;
blobs and their names before a line can speak of them. A power cut therefore costs the lines since a writer's last
fsync, some twenty seconds of work, never a blob that a line names.
Each writer has a file of its own, so workers and shards merge by reading. A line carries `key`, the hash of what the
record is about, and `inputs`, the hash of what it was made from. Work is skipped when the newest line of its key has
the same inputs; otherwise it is done again under a higher `attempt`, and readers keep the highest.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import orjson
from pydantic import ValidationError

from lookaway.errors import MissingBlob, StoreError
from lookaway.records import Record

if TYPE_CHECKING:
    import polars as pl

R = TypeVar("R", bound=Record)

FSYNC_EVERY_S = 20.0
_SHA256 = re.compile(r"[0-9a-f]{64}")


class _Envelope(NamedTuple):
    attempt: int
    inputs: str


class Done(NamedTuple):
    """The newest line of a key."""

    attempt: int
    inputs: str
    status: str


class Writer:
    """The only writer of one log file."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}.jsonl"
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


def _fields(part: object) -> dict[str, Any]:
    if isinstance(part, Record):
        return part.__dict__
    raise TypeError(f"{type(part).__name__} does not belong in a record")


class Blobs:
    """Files and folders of files named by the sha256 of their content."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, sha256: str) -> Path:
        """Where a blob lies, whatever its suffix."""
        found = self._named(sha256)
        if not found:
            raise MissingBlob(
                f"{self.root}: no blob {sha256[:12]}…; copy the run folder whole, or make it again with --fresh"
            )
        return found[0]

    def has(self, sha256: str) -> bool:
        return bool(self._named(sha256))

    def _named(self, sha256: str) -> list[Path]:
        """Only a whole hash names a blob: a record of strangers reads no other file."""
        return sorted((self.root / sha256[:2]).glob(f"{sha256}*")) if _SHA256.fullmatch(sha256) else []

    def put_bytes(self, data: bytes, suffix: str) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        if not self.has(sha256):
            with self._temporary(suffix) as temporary:
                temporary.write_bytes(data)
                self._name(temporary, sha256, suffix)
        return sha256

    def put_file(self, source: Path, move: bool = False) -> str:
        """Copy (or move) a file in; a folder of frames is copied whole, top level only."""
        if source.is_dir():
            return self._put_folder(source)
        sha256 = _file_sha256(source)
        if not self.has(sha256) or _file_sha256(self.path(sha256)) != sha256:
            with self._temporary(source.suffix) as temporary:
                shutil.move(source, temporary) if move else shutil.copyfile(source, temporary)
                self._name(temporary, sha256, source.suffix.lower())
        elif move:
            source.unlink()
        return sha256

    def _put_folder(self, source: Path) -> str:
        files = sorted(p for p in source.iterdir() if p.is_file())
        digest = hashlib.sha256()
        for file in files:
            digest.update(f"{file.name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
        sha256 = digest.hexdigest()
        if not self.has(sha256):
            with self._temporary("") as temporary:
                temporary.mkdir()
                for file in files:
                    shutil.copyfile(file, temporary / file.name)
                self._name(temporary, sha256, "")
        return sha256

    @contextlib.contextmanager
    def _temporary(self, suffix: str) -> Iterator[Path]:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".incoming-", dir=self.root) as folder:
                yield Path(folder) / f"blob{suffix}"
        except OSError as error:
            raise StoreError(f"{self.root}: {error.strerror or error}; make room, then run the same command") from error

    def _name(self, temporary: Path, sha256: str, suffix: str) -> None:
        for file in [temporary] if temporary.is_file() else temporary.iterdir():
            _fsync(file)
        final = self.root / sha256[:2] / f"{sha256}{suffix}"
        final.parent.mkdir(exist_ok=True)
        if temporary.is_dir() and final.exists():
            return
        temporary.replace(final)
        _fsync(final.parent)


class Run:
    """One run folder. Reading needs nothing but the folder; `open_run` is the public door."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.blobs = Blobs(root / "blobs")

    def log_folder(self, stage: str) -> Path:
        return self.root / "logs" / stage

    def writer(self, stage: str) -> Writer:
        try:
            return Writer(self.log_folder(stage))
        except OSError as error:
            raise StoreError(f"{self.root}: cannot write here: {error.strerror or error}") from error

    def stages(self) -> list[str]:
        """The stages that have written something."""
        logs = self.root / "logs"
        return sorted(p.name for p in logs.iterdir()) if logs.is_dir() else []

    def latest(self, stage: str, kind: type[R]) -> dict[str, R]:
        """Key to record, the highest attempt of each key."""
        try:
            return {key: kind.model_validate(line) for key, (_, line) in self._lines(stage).items()}
        except ValidationError as error:
            raise StoreError(
                f"{self.log_folder(stage)}: a line does not read as a {kind.__name__} ({error.errors()[0]['msg']}); "
                "was it written by another version of lookaway?"
            ) from error

    def done(self, stage: str) -> dict[str, Done]:
        """What is known of each key; enough to decide what is left to do."""
        return {
            key: Done(known.attempt, known.inputs, line.get("status", "ok"))
            for key, (known, line) in self._lines(stage).items()
        }

    def _lines(self, stage: str) -> dict[str, tuple[_Envelope, dict[str, Any]]]:
        best: dict[str, tuple[_Envelope, dict[str, Any]]] = {}
        for line in self._raw(stage):
            key, envelope = line.pop("key"), _Envelope(line.pop("attempt"), line.pop("inputs"))
            if key not in best or envelope.attempt >= best[key][0].attempt:
                best[key] = (envelope, line)
        return best

    def _raw(self, stage: str) -> Iterator[dict[str, Any]]:
        parquets, logs = self._files(stage)
        for path in parquets:
            yield from _parquet_lines(path)
        for path in logs:
            yield from json_lines(path)

    def _files(self, stage: str) -> tuple[list[Path], list[Path]]:
        """A stage's Parquet files and logs; logs are listed first, so that a compaction in between is never missed."""
        folder = self.log_folder(stage)
        logs = sorted(folder.glob("*.jsonl"))
        return sorted(folder.glob("*.parquet")), logs

    def table(self, stage: str, kind: type[Record]) -> pl.DataFrame:
        """All records of a stage as a table with `key` and `attempt`, the highest attempt of each key."""
        from lookaway import tables

        return tables.read(*self._files(stage), kind)

    def compact(self, stage: str, kind: type[Record]) -> Path:
        """Merge a stage's finished logs into one Parquet file; logs still being written are left alone.

        The new file gets its name before the old ones go, so a kill in between leaves duplicates, which
        readers fold, and never a gap.
        """
        from lookaway import tables

        folder = self.log_folder(stage)
        old, logs = self._files(stage)
        with _claimed(logs) as finished:
            target = folder / f"{time.time_ns():020d}.parquet"
            temporary = target.with_suffix(".incoming")
            tables.read(old, finished, kind).write_parquet(temporary, compression="zstd")
            _fsync(temporary)
            temporary.replace(target)
            _fsync(folder)
            for path in [*old, *finished]:
                path.unlink(missing_ok=True)
        return target


@contextlib.contextmanager
def _claimed(paths: Iterable[Path]) -> Iterator[list[Path]]:
    """Those of `paths` that no writer holds or is about to hold (it locks before its first line), locked meanwhile."""
    with contextlib.ExitStack() as stack:
        claimed = []
        for path in paths:
            file = stack.enter_context(path.open("rb"))
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if path.stat().st_size:
                    claimed.append(path)
        yield claimed


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fsync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a log."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return  # torn by a kill: it was never acknowledged
            try:
                facts = orjson.loads(line)
            except ValueError as error:
                raise StoreError(
                    f"{path}:{number}: not JSON ({error}); restore the file or delete that line"
                ) from error
            if not isinstance(facts, dict) or not {"key", "inputs", "attempt"} <= facts.keys():
                raise StoreError(f"{path}:{number}: not a line of a log; restore the file or delete that line")
            yield facts


def _parquet_lines(path: Path) -> Iterator[dict[str, Any]]:
    import polars as pl

    for row in pl.read_parquet(path).iter_rows(named=True):
        yield {name: json.loads(v[1:]) if isinstance(v, str) and v[:1] == "\x1f" else v for name, v in row.items()}


def open_run(path: str | Path) -> Run:
    """Open a run folder for reading."""
    root = Path(path)
    if not (root / "logs").is_dir():
        raise StoreError(
            f"{root}: not a run folder (no logs/ in it); make one with: lookaway run --suite S --models M --out {root}"
        )
    return Run(root)
