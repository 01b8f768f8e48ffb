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
import os
import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TypeVar

import orjson
from pydantic import ValidationError

from lookaway.blobs import Blobs as Blobs
from lookaway.errors import StoreError, problems
from lookaway.records import Record

if TYPE_CHECKING:
    import polars as pl

R = TypeVar("R", bound=Record)
T = TypeVar("T")
Wanted = Mapping[str, str | int]  # field to value

FSYNC_EVERY_S = 20.0
READ_TRIES = 5
READ_BYTES = 1 << 22


class _Envelope(NamedTuple):
    attempt: int
    inputs: str
    file: Path


class Done(NamedTuple):
    """The newest line of a key."""

    attempt: int
    inputs: str
    status: str


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

    def latest(self, stage: str, kind: type[R], **wanted: str | int) -> dict[str, R]:
        """Key to record, the highest attempt of each key; only of records with the wanted values, if any are given.

        `latest("scores", Score, task="lamp", seed=0)` reads little more than what it returns. A wanted field must be
        one that the key depends on: else an older attempt could stand for a newer one that has another value.
        """
        found = {}
        for key, (known, line) in self._lines(stage, wanted).items():
            try:
                found[key] = kind.model_validate(line)
            except ValidationError as error:
                raise StoreError(
                    f"{known.file}: a line does not read as a {kind.__name__} ({problems(error)}); "
                    "was it written by another version of lookaway? Restore the file, or delete that line"
                ) from error
        return found

    def done(self, stage: str) -> dict[str, Done]:
        """What is known of each key; enough to decide what is left to do."""
        return {
            key: Done(known.attempt, known.inputs, line.get("status", "ok"))
            for key, (known, line) in self._lines(stage, {}).items()
        }

    def table(self, stage: str, kind: type[Record]) -> pl.DataFrame:
        """All records of a stage as a table with `key` and `attempt`, the highest attempt of each key."""
        from lookaway import tables

        return self._read(stage, lambda parquets, logs: tables.read(parquets, logs, kind))

    def _lines(self, stage: str, wanted: Wanted) -> dict[str, tuple[_Envelope, dict[str, Any]]]:
        return self._read(stage, lambda parquets, logs: _newest(_rows(parquets, logs, wanted)))

    def _read(self, stage: str, read: Callable[[list[Path], list[Path]], T]) -> T:
        """What `read` makes of a stage's files; a compaction meanwhile takes files away, and it reads again."""
        for _ in range(READ_TRIES):
            with contextlib.suppress(FileNotFoundError):
                return read(*self._files(stage))
        raise StoreError(f"{self.log_folder(stage)}: its files go away while they are read; run the same command again")

    def _files(self, stage: str) -> tuple[list[Path], list[Path]]:
        """A stage's Parquet files and logs; logs are listed first, so that a compaction in between is never missed."""
        folder = self.log_folder(stage)
        if not os.path.lexists(folder):
            return [], []
        try:
            list(folder.iterdir())  # `glob` is silent about a folder that it cannot look into
        except OSError as error:
            raise StoreError(f"{folder}: cannot be listed: {error.strerror}; restore this folder of logs") from error
        logs = sorted(folder.glob("*.jsonl"))
        return sorted(folder.glob("*.parquet")), logs

    def compact(self, stage: str, kind: type[Record]) -> Path:
        """Merge a stage's finished logs into one Parquet file; logs still being written are left alone.

        The new file is named by its content, and the old ones go only after it was read back. So a kill in between
        leaves duplicates, which readers fold, and never a gap.
        """
        from lookaway import tables

        folder = self.log_folder(stage)
        try:
            with _alone(folder):
                old, logs = self._files(stage)
                with _claimed(logs) as finished:
                    target = tables.write(tables.read(old, finished, kind), folder)
                    for path in [*old, *finished]:
                        if path != target:
                            path.unlink(missing_ok=True)
                return target
        except OSError as error:
            raise StoreError(
                f"{folder}: {error.strerror or error}; no line was lost. Make room, then run the same command again"
            ) from error


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One compaction of a folder at a time."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def _claimed(paths: Iterable[Path]) -> Iterator[list[Path]]:
    """Those of `paths` that no writer holds or is about to hold (it locks before its first line), locked meanwhile."""
    with contextlib.ExitStack() as stack:
        claimed = []
        for path in paths:
            with contextlib.suppress(BlockingIOError, FileNotFoundError):
                file = stack.enter_context(path.open("rb"))
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if path.stat().st_size:
                    claimed.append(path)
        yield claimed


def _newest(rows: Iterable[tuple[Path, dict[str, Any]]]) -> dict[str, tuple[_Envelope, dict[str, Any]]]:
    best: dict[str, tuple[_Envelope, dict[str, Any]]] = {}
    for file, line in rows:
        key, envelope = line.pop("key"), _Envelope(line.pop("attempt"), line.pop("inputs"), file)
        if key not in best or envelope.attempt >= best[key][0].attempt:
            best[key] = (envelope, line)
    return best


def _rows(parquets: list[Path], logs: list[Path], wanted: Wanted) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in parquets:
        from lookaway import tables

        yield from ((path, row) for row in tables.parquet_rows(path, wanted))
    for path in logs:
        yield from ((path, line) for line in (_lines_with(path, wanted) if wanted else json_lines(path)))


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a log."""
    with _reading(path) as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return  # torn by a kill: it was never acknowledged
            yield _parsed(line, f"{path}:{number}")


def _lines_with(path: Path, wanted: Wanted) -> Iterator[dict[str, Any]]:
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


def open_run(path: str | Path) -> Run:
    """Open a run folder for reading."""
    root = Path(path)
    try:
        is_run = (root / "logs").is_dir()
    except OSError:  # such as a name that is too long
        is_run = False
    if not is_run:
        raise StoreError(
            f"{root}: not a run folder (no logs/ in it); make one with: lookaway run --suite S --models M --out {root}"
        )
    return Run(root)
