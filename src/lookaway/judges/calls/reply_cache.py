"""Raw replies by the content of their question: whatever was bought once is never bought again.

Who wants to ask claims the key first. Others see the claim and wait, in any thread or process. A claim ends with the
reply, with the death of the process that made it (whose lock on a file the kernel takes back), or after `lease_s`.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import sqlite3
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from lookaway.errors import StoreError
from lookaway.judges.calls.budget import Cost
from lookaway.judges.calls.database import Database

SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, raw TEXT NOT NULL, calls INTEGER NOT NULL, tokens INTEGER NOT NULL, usd REAL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, claim TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID
"""
LEASE_S = 3600.0


@dataclass(frozen=True)
class Kept:
    """A raw reply as JSON, and what all attempts at it cost together when it was bought."""

    raw: str
    cost: Cost


@dataclass(frozen=True)
class Claim:
    """The right to ask one question."""

    key: str
    name: str


class ReplyCache:
    """Replies and claims of one file."""

    def __init__(self, path: Path, lease_s: float = LEASE_S, now: Callable[[], float] = time.time) -> None:
        self.database = Database(path, SCHEMA)
        self._lease_s, self._now = lease_s, now
        self._owners = path.with_name(f"{path.name}.owners")
        self._numbers = itertools.count()
        self._owner = uuid.uuid4().hex
        self._lock = self._sign_in()

    def get(self, key: str) -> Kept | None:
        row = self.database.row("SELECT raw, calls, tokens, usd FROM replies WHERE key = ?", key)
        return None if row is None else Kept(row[0], Cost(*row[1:]))

    def claim(self, key: str) -> Kept | Claim | None:
        """The reply, or the right to ask for it; None while somebody else has that right."""
        kept = self.get(key)
        if kept is not None:
            return kept
        claim = Claim(key, f"{self._owner}/{next(self._numbers)}")
        with self.database.transaction() as connection:
            kept = self.get(key)  # it may have come since
            if kept is not None:
                return kept
            if self._held(connection, key):
                return None
            until = self._now() + self._lease_s
            connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", (key, claim.name, until))
        return claim

    def keep(self, claim: Claim, kept: Kept) -> Kept:
        """Store the reply; when this returns it survives a kill. The first reply to a question stays its reply."""
        with self.database.transaction() as connection:
            cost = kept.cost
            row = (claim.key, kept.raw, cost.calls, cost.tokens, cost.usd)
            connection.execute("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?)", row)
            self._drop(connection, claim)
        return self.get(claim.key) or kept

    def release(self, claim: Claim) -> None:
        """Give the right back without a reply."""
        with self.database.transaction() as connection:
            self._drop(connection, claim)

    @staticmethod
    def _drop(connection: sqlite3.Connection, claim: Claim) -> None:
        connection.execute("DELETE FROM claims WHERE key = ? AND claim = ?", (claim.key, claim.name))

    def _held(self, connection: sqlite3.Connection, key: str) -> bool:
        row = connection.execute("SELECT claim, until FROM claims WHERE key = ?", (key,)).fetchone()
        return row is not None and row[1] > self._now() and self._alive(row[0].split("/")[0])

    def _sign_in(self) -> int:
        try:
            self._owners.mkdir(exist_ok=True)
            lock = os.open(self._owners / self._owner, os.O_RDWR | os.O_CREAT, 0o644)
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as error:
            raise StoreError(f"{self._owners}: cannot write here: {error.strerror or error}") from error
        return lock

    def _alive(self, owner: str) -> bool:
        """Whether some process still holds the owner's lock."""
        path = self._owners / owner
        try:
            with path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                path.unlink(missing_ok=True)
                return False
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True

    def close(self) -> None:
        self.database.close()
        (self._owners / self._owner).unlink(missing_ok=True)
        os.close(self._lock)

    def __enter__(self) -> ReplyCache:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
