"""The book of a study: who was invited, who was shown what, who said what. One SQLite file.

A commit is on the disk before it returns (write-ahead log, synchronous FULL), so what was acknowledged is kept. Answers
and the audit log refuse to be changed; a rater's answers can be deleted, and only after the deletion was written down.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from lookaway.errors import StoreError

BOOK_FILE = "book.sqlite"
BUSY_S = 30.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS invites (
  id TEXT PRIMARY KEY, role TEXT NOT NULL, rater TEXT, made_at TEXT NOT NULL, expires_at TEXT NOT NULL,
  used_at TEXT, used_by TEXT, withdrawn_at TEXT);
CREATE TABLE IF NOT EXISTS raters (
  name TEXT PRIMARY KEY, role TEXT NOT NULL, joined_at TEXT NOT NULL, consented_at TEXT, erased_at TEXT,
  by_file INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS seats (
  token TEXT PRIMARY KEY, rater TEXT NOT NULL, role TEXT NOT NULL, invite TEXT NOT NULL, expires_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS showings (
  rater TEXT NOT NULL, number INTEGER NOT NULL, item TEXT NOT NULL, flipped INTEGER NOT NULL, round INTEGER NOT NULL,
  PRIMARY KEY (rater, number));
CREATE TABLE IF NOT EXISTS answers (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, rater TEXT NOT NULL, number INTEGER NOT NULL, axis TEXT NOT NULL,
  submission TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0, content TEXT NOT NULL, at TEXT NOT NULL,
  UNIQUE (rater, submission));
CREATE INDEX IF NOT EXISTS answers_of ON answers (rater, number, axis, seq);
CREATE TABLE IF NOT EXISTS brought (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, rater TEXT NOT NULL, key TEXT NOT NULL UNIQUE, content TEXT NOT NULL,
  source TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, about TEXT NOT NULL);
"""
KEPT = "".join(
    f"CREATE TRIGGER IF NOT EXISTS {table}_stay BEFORE UPDATE ON {table} "
    f"BEGIN SELECT RAISE(ABORT, '{table} are never changed'); END;"
    for table in ("answers", "audit", "showings", "brought")
)
KEPT += "".join(
    f"CREATE TRIGGER IF NOT EXISTS {table}_last BEFORE DELETE ON {table} "
    "WHEN NOT EXISTS (SELECT 1 FROM raters WHERE name = OLD.rater AND erased_at IS NOT NULL) "
    f"BEGIN SELECT RAISE(ABORT, '{table} go only with their rater'); END;"
    for table in ("answers", "brought")
)
KEPT += (
    "CREATE TRIGGER IF NOT EXISTS audit_last BEFORE DELETE ON audit "
    "BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;"
)


def now(later_hours: float = 0.0) -> str:
    """UTC; times of a book compare as text."""
    return (datetime.now(UTC) + timedelta(hours=later_hours)).isoformat(timespec="milliseconds")


class Book:
    """One connection, one thread at a time; other processes may have the same book open."""

    def __init__(self, path: Path, study_key: str) -> None:
        self.path, self._lock = path, threading.RLock()
        try:
            path.touch(0o600)
            self._db = sqlite3.connect(path, BUSY_S, isolation_level=None, check_same_thread=False)
            self._db.row_factory = sqlite3.Row
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA secure_delete=ON")  # what a rater had deleted is gone from the file too
            self._db.executescript(SCHEMA + KEPT)
            self._stay_with(study_key)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{path}: cannot be used as the book of a study: {error}") from error

    def _stay_with(self, study_key: str) -> None:
        """A book is about one study; until somebody was shown something, the study may still change."""
        with self.writing():
            if not self.rows("SELECT 1 FROM showings LIMIT 1"):
                self.run("INSERT OR REPLACE INTO facts VALUES ('study', ?)", study_key)
        if self.rows("SELECT value FROM facts WHERE name = 'study'")[0]["value"] != study_key:
            raise StoreError(
                f"{self.path.parent}: the study was changed after people were shown it; put its files back, "
                "or make a new study with: lookaway people make"
            )

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """All of it or nothing; on the disk when the block has ended."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def run(self, statement: str, *values: Any) -> int:
        with self._lock:
            return self._db.execute(statement, values).rowcount

    def run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._lock:
            self._db.executemany(statement, rows)

    def rows(self, question: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock:
            return self._db.execute(question, values).fetchall()

    def note(self, who: str, what: str, about: str = "") -> None:
        """A line of the audit log; pseudonyms and ids only."""
        self.run("INSERT INTO audit (at, who, what, about) VALUES (?, ?, ?, ?)", now(), who, what, about)

    def close(self) -> None:
        with self._lock:
            self._db.close()
