"""Who gets in: signed invites that expire, can be withdrawn and work once, and the seat that a browser gets for one."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Literal, NamedTuple

from lookaway.errors import MissingExtra, StoreError, UsageError
from lookaway.limits import INVITE_HOURS, SEAT_HOURS
from lookaway.people.book import Book, now

SECRET_FILE = "secret.key"
Role = Literal["admin", "rater"]


class Refused(UsageError):
    """Nobody gets in by this; the text is for whoever tried."""


class RaterSeat(NamedTuple):
    """A browser that was let in."""

    rater: str
    role: Role


class Gatekeeper:
    """Makes and reads invites and seats; the book decides which of them still count."""

    def __init__(self, book: Book, secret: bytes) -> None:
        try:
            from itsdangerous import BadSignature, URLSafeTimedSerializer
        except ImportError as error:
            raise MissingExtra("people", "inviting people", "; without a server: lookaway people file") from error
        self.book, self._secret, self._bad = book, secret, BadSignature
        self._signer = URLSafeTimedSerializer(secret, salt="lookaway-invite")

    def invite(self, role: Role, hours: float, by: str, rater: str | None = None) -> str:
        """A token that lets one browser in, as a new rater or as one that is known."""
        if not 0 < hours <= INVITE_HOURS:
            raise UsageError(f"an invite lasts up to {INVITE_HOURS:g} hours; {hours:g} were asked for")
        if rater is not None and not self.book.rows("SELECT 1 FROM raters WHERE name=? AND erased_at IS NULL", rater):
            raise UsageError(f"no rater {rater!r} in this study; see: lookaway people show")
        name = secrets.token_hex(8)
        with self.book.writing():
            self.book.run(
                "INSERT INTO invites (id, role, rater, made_at, expires_at) VALUES (?, ?, ?, ?, ?)",
                *(name, role, rater, now(), now(hours)),
            )
            self.book.note(by, "invited", f"{role} {name}")
        return str(self._signer.dumps(name))

    def invite_of(self, token: str) -> str:
        """The id of an invite that was signed here, whether or not it still counts."""
        try:
            return str(self._signer.loads(token, max_age=int(INVITE_HOURS * 3600)))
        except self._bad as error:
            raise Refused("this is no invite of this study") from error

    def opened(self, token: str) -> tuple[str, Role, str | None]:
        """An invite that still counts: its id, role and rater. It is not used up by being looked at."""
        name = self.invite_of(token)
        found = self.book.rows("SELECT * FROM invites WHERE id = ?", name)
        if not found or found[0]["withdrawn_at"] is not None:
            raise Refused("this invite was withdrawn; ask for another one")
        if found[0]["used_at"] is not None:
            raise Refused("this invite was used already; on the first device, ask for a link to go on elsewhere")
        if found[0]["expires_at"] <= now():
            raise Refused("this invite has expired; ask for another one")
        return name, found[0]["role"], found[0]["rater"]

    def take(self, token: str, key: str | None = None) -> tuple[RaterSeat, str]:
        """Use an invite up: who sits down, and the secret that their browser keeps.

        A browser that sends a key and hears nothing, as the server dies, gets the same seat when it asks again.
        """
        secret = self._secret_for(self.invite_of(token), key) if key else secrets.token_urlsafe(32)
        with self.book.writing():
            if key and (taken := self.seat(secret)):
                return taken, secret
            name, role, rater = self.opened(token)
            rater = rater or new_rater(self.book, role)
            self.book.run("UPDATE invites SET used_at = ?, used_by = ? WHERE id = ?", now(), rater, name)
            self.book.run(
                "INSERT INTO seats VALUES (?, ?, ?, ?, ?)", _digest(secret), rater, role, name, now(SEAT_HOURS)
            )
            self.book.note(rater, "joined", f"{role} {name}")
        return RaterSeat(rater, role), secret

    def seat(self, secret: str) -> RaterSeat | None:
        """Who a browser's secret belongs to, if they still may sit there."""
        found = self.book.rows(
            "SELECT s.rater, s.role FROM seats s JOIN raters r ON r.name = s.rater JOIN invites i ON i.id = s.invite "
            "WHERE s.token = ? AND s.expires_at > ? AND r.erased_at IS NULL AND i.withdrawn_at IS NULL",
            *(_digest(secret), now()),
        )
        return RaterSeat(found[0]["rater"], found[0]["role"]) if found else None

    def _secret_for(self, invite: str, key: str) -> str:
        return hmac.new(self._secret, f"seat:{invite}:{key}".encode(), "sha256").hexdigest()

    def word_of(self, secret: str) -> str:
        """What a page must say with everything that it sends, so that no other page can send it."""
        return hmac.new(self._secret, b"csrf:" + secret.encode(), "sha256").hexdigest()

    def withdraw(self, name: str, by: str) -> None:
        """An invite counts no more, nor does the seat that somebody has by it."""
        with self.book.writing():
            done = self.book.run(
                "UPDATE invites SET withdrawn_at = ? WHERE id = ? AND withdrawn_at IS NULL", now(), name
            )
            if not done:
                raise UsageError(f"no invite {name[:40]!r} that could be withdrawn; see: lookaway people show")
            self.book.note(by, "withdrew", name)


def new_rater(book: Book, role: Role, by_file: bool = False) -> str:
    """A pseudonym that nobody else has in this study, within a block that writes."""
    name = f"{role}-{secrets.token_hex(3)}"
    while book.rows("SELECT 1 FROM raters WHERE name = ?", name):
        name = f"{role}-{secrets.token_hex(3)}"
    book.run(
        "INSERT INTO raters (name, role, joined_at, consented_at, by_file) VALUES (?, ?, ?, NULL, ?)",
        *(name, role, now(), int(by_file)),
    )
    return name


def erase(book: Book, rater: str, by: str) -> int:
    """Delete all that a rater said; how many answers are gone. That they were there stays in the audit log."""
    with book.writing():
        if not book.run("UPDATE raters SET erased_at = ? WHERE name = ? AND erased_at IS NULL", now(), rater):
            raise UsageError(f"no rater {rater[:40]!r} in this study; see: lookaway people show")
        gone = book.run("DELETE FROM answers WHERE rater = ?", rater)
        gone += book.run("DELETE FROM brought WHERE rater = ?", rater)
        book.run("DELETE FROM showings WHERE rater = ?", rater)
        book.run("DELETE FROM seats WHERE rater = ?", rater)
        book.note(by, "erased", rater)
    return gone


def secret_of(root: Path) -> bytes:
    """The study's secret, drawn when it is first needed; only its owner may read it."""
    path = root / SECRET_FILE
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        secret = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from error
    else:
        secret = secrets.token_hex(32).encode()
        with os.fdopen(fd, "wb") as file:
            file.write(secret)
    if len(secret) < 32:
        raise StoreError(f"{path}: is not whole; delete it, and invite everybody again")
    return secret


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
