"""One SQLite file, shared by threads and processes, that survives kill -9 of any of them."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from lookaway.errors import StoreError

BUSY_S = 60.0


class Database:
    """WAL with `synchronous = NORMAL`: a commit outlives its process; a power cut may cost the last ones."""

    def __init__(self, path: Path, schema: str) -> None:
        self.path = path
        self._turn = threading.RLock()
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, BUSY_S, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            with self.transaction() as connection:
                for statement in schema.split(";"):
                    connection.execute(statement)

    def row(self, query: str, *values: Any) -> tuple[Any, ...] | None:
        """The first row of a query, read without waiting for writers."""
        with self._turn, self._explained():
            found: tuple[Any, ...] | None = self._connection.execute(query, values).fetchone()
            return found

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The only writer meanwhile; all of it is kept, or nothing."""
        with self._turn, self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"{self.path}: {error}; what was kept before is safe. See to the disk, then run the same command"
            ) from error

    def close(self) -> None:
        with self._turn:
            self._connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
