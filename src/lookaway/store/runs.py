"""One run folder: records by key, the highest attempt of each; resume, compaction to Parquet."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import unquote

from pydantic import ValidationError

from lookaway.errors import StoreError, UsageError, problems
from lookaway.records import Record
from lookaway.store.blobs import Blobs
from lookaway.store.logs import Wanted, Writer, json_lines, lines_with

if TYPE_CHECKING:
    import polars as pl

R = TypeVar("R", bound=Record)
T = TypeVar("T")

READ_TRIES = 5


class _Envelope(NamedTuple):
    attempt: int
    inputs: str
    file: Path


class Done(NamedTuple):
    """The newest line of a key."""

    attempt: int
    inputs: str
    status: str


class Run:
    """One run folder. Reading needs nothing but the folder. Opened by `open_run` or, to write, `make_run`."""

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

    def latest(
        self, stage: str, kind: type[R], keys: Collection[str] | None = None, **wanted: str | int
    ) -> dict[str, R]:
        """Key to record, the highest attempt of each key; only of these keys and with the wanted values, if given.

        `latest("scores", Score, task="lamp", seed=0)` reads little more than what it returns. A wanted field must be
        one that the key depends on: else an older attempt could stand for a newer one that has another value.
        """
        found = {}
        for key, (known, line) in self._lines(stage, wanted).items():
            if keys is not None and key not in keys:
                continue
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

    def table(self, stage: str, kind: type[Record], without: Collection[str] = ()) -> pl.DataFrame:
        """All records of a stage as a table with `key` and `attempt`, the highest attempt of each key."""
        from lookaway.store import parquet

        return self._read(stage, lambda parquets, logs: parquet.read(parquets, logs, kind, without))

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
        from lookaway.store import parquet

        folder = self.log_folder(stage)
        try:
            with _alone(folder):
                old, logs = self._files(stage)
                with _claimed(logs) as finished:
                    target = parquet.write(parquet.read(old, finished, kind), folder)
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
        from lookaway.store import parquet

        yield from ((path, row) for row in parquet.parquet_rows(path, wanted))
    for path in logs:
        yield from ((path, line) for line in (lines_with(path, wanted) if wanted else json_lines(path)))


def open_run(place: str | Path) -> Run:
    """Open a run folder for reading, by its path or `file://` URL."""
    root = root_of(place)
    try:
        is_run = (root / "logs").is_dir()
    except OSError:  # such as a name that is too long
        is_run = False
    if not is_run:
        raise StoreError(
            f"{root}: not a run folder (no logs/ in it); make one with: lookaway run --suite S --models M --out {root}"
        )
    return Run(root)


def make_run(place: str | Path) -> Run:
    """A run folder to write into, by its path or `file://` URL; it need not exist yet."""
    return Run(root_of(place))


def root_of(place: str | Path) -> Path:
    """The local folder that a path or URL names; a Path is taken as it is.

    root_of("runs/a") -> Path("runs/a")
    root_of("file:///data/my%20runs/a") -> Path("/data/my runs/a")
    """
    url = re.match("([a-z][a-z0-9+.-]*)://", place, re.IGNORECASE) if isinstance(place, str) else None
    if url is None:
        return Path(place)
    if url[1].lower() != "file":
        raise UsageError(
            f"{url[0]}…: run folders are opened on this machine's own disks only; "
            "bring it here with `lookaway share fetch URL --out runs/a` and give its path, such as runs/a"
        )
    host, slash, path = str(place)[url.end() :].partition("/")
    if host.lower() not in ("", "localhost") or not slash or "%00" in path:
        raise UsageError(f"{place}: not the URL of a local folder; write file:///data/runs/a, with three slashes")
    return Path("/" + unquote(path))
