"""Weights from the hub or a mirror: resumed where they stopped, checked by their hash, and never half there."""

from __future__ import annotations

import contextlib
import fcntl
import http.client
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

from lookaway.errors import LookawayError, UsageError
from lookaway.fetching import Unfetched, ask, copy_body
from lookaway.limits import DISK_LEFT_BYTES, WEIGHTS_FILE_BYTES, WEIGHTS_FILE_S, WEIGHTS_SILENCE_S
from lookaway.names import inside
from lookaway.secrets import holds_a_secret
from lookaway.store import file_sha256
from lookaway.weights.catalogue import Weights, check_name
from lookaway.weights.locks import Expected, expected_content, record
from lookaway.weights.places import INDEX, found, own_folder, shards

HUB = "https://huggingface.co"
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
_ALL = re.compile(r"bytes \*/(\d+)")

Say = Callable[[str], None]


def get(weights: Weights, mirror: str = "", say: Say = lambda line: None) -> Path:
    """The folder with all files of the weights; what is there and unchanged is not fetched again."""
    base, folder, here = checked_base(mirror or HUB), own_folder(weights.name), found(weights.name)
    if here is not None and here != folder:
        return here  # in the hub's own cache
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder, weights.name):
        _check_room(folder, weights, weights.about_bytes or 0)
        ahead, done = list(weights.files), 0
        while done < len(ahead):
            file = ahead[done]
            _get_file(weights, base, folder, file, say)
            ahead += [shard for shard in _named_by(folder / file) if shard not in ahead]
            done += 1
    return folder


def url_of(weights: Weights, base: str, file: str) -> str:
    """`https://huggingface.co/facebook/dinov2-base/resolve/main/config.json`; a mirror has the same layout for all."""
    if base == HUB and file in weights.addresses:
        return weights.addresses[file]
    return f"{base}/{weights.name}/resolve/{weights.revision}/{quote(check_name(file))}"


def checked_base(address: str) -> str:
    if holds_a_secret(address):
        raise UsageError("a mirror's address is written with a key or password in it; leave it out")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(f"mirror '{address}' is no http or https address, such as https://mirror.example/models")
    return address.rstrip("/")


def _named_by(path: Path) -> list[str]:
    return shards(path) if path.name.endswith(INDEX) else []


def _get_file(weights: Weights, base: str, folder: Path, file: str, say: Say) -> None:
    """Fetch a file unless it is there as it is expected."""
    path, expected = inside(folder, check_name(file)), expected_content(weights, folder, file)
    if expected is not None and path.is_file() and file_sha256(path) == expected.sha256:
        say(f"{file}: here")
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        coming = _Coming(path, url_of(weights, base, file), expected)
        try:
            _fetched(coming, weights, say)
        except Unfetched as error:
            raise LookawayError(f"{coming.url}: {error}{_what_next(coming)}") from error
        coming.part.replace(path)
        coming.forget()
        say(f"{file}: {path.stat().st_size} bytes")
    record(weights, folder, file)


def _what_next(coming: _Coming) -> str:
    there = coming.size()
    return f"; {there} bytes are kept, and the same command goes on from there" if there else ""


class _Coming:
    """A file on its way in: its first bytes, and the server's mark of the content that they belong to."""

    def __init__(self, path: Path, url: str, expected: Expected | None) -> None:
        self.url, self.expected = url, expected
        self.part = path.with_name(f".{path.name}.part")
        self._mark = path.with_name(f".{path.name}.mark")

    def size(self) -> int:
        return self.part.stat().st_size if self.part.exists() else 0

    def headers(self) -> dict[str, str]:
        """Those that ask for the rest only, where nothing but the same content can follow what is here."""
        mark = self._mark.read_text() if self._mark.exists() else ""
        if not self.size() or not (mark or self.expected):
            return {}
        return {"Range": f"bytes={self.size()}-"} | ({"If-Range": mark} if mark else {})

    def begins(self, answer: http.client.HTTPResponse) -> None:
        mark = answer.headers.get("ETag") or ""
        self._mark.write_text("" if mark.startswith("W/") else mark)

    def forget(self) -> None:
        self.part.unlink(missing_ok=True)
        self._mark.unlink(missing_ok=True)


def _fetched(coming: _Coming, weights: Weights, say: Say) -> None:
    """All of a file in its part, checked; tried again as long as each try brings some of it."""
    while True:
        before = coming.size()
        try:
            whole = ask(
                coming.url,
                lambda answer: _taken(answer, coming, weights, say),
                _may_go(coming.url),
                headers={"Accept-Encoding": "identity", "User-Agent": "lookaway"} | coming.headers(),
                seconds=WEIGHTS_FILE_S,
                silence_s=WEIGHTS_SILENCE_S,
            )
        except Unfetched as error:
            if error.trouble not in ("broken", "late") or coming.size() <= before:
                raise
            say(f"{coming.part.name}: {error}; going on at {coming.size()} bytes")
            continue
        if whole:
            _check(coming)
            return


def _may_go(url: str) -> Callable[[str], bool]:
    """The hub sends on to servers that hold large files: by https, or as the mirror itself is reached."""
    allowed = {"https", urlsplit(url).scheme}
    return lambda there: urlsplit(there).scheme in allowed


def _taken(answer: http.client.HTTPResponse, coming: _Coming, weights: Weights, say: Say) -> bool:
    """Write what comes behind what is there, or in its place; False where nothing can follow what was there."""
    if answer.status == 416 and coming.size():
        end = _ALL.fullmatch(answer.headers.get("Content-Range", ""))
        if end is not None and int(end[1]) == coming.size():
            return True
        coming.forget()
        return False
    _check_status(answer, weights)
    start = _start(answer, coming)
    _check_room(coming.part.parent, weights, answer.length or 0)
    coming.begins(answer)
    if start:
        say(f"{coming.part.name}: going on at {start} bytes")
    with coming.part.open("ab" if start else "wb") as part:
        copy_body(answer, part, WEIGHTS_FILE_BYTES - start)
        part.flush()
        os.fsync(part.fileno())
    return True


def _start(answer: http.client.HTTPResponse, coming: _Coming) -> int:
    if answer.status != 206:
        return 0
    part = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    if part is None or int(part[1]) != coming.size():
        raise Unfetched("not_allowed", f"it sends another part than the one from byte {coming.size()} on")
    return coming.size()


def _check_status(answer: http.client.HTTPResponse, weights: Weights) -> None:
    if answer.status in (401, 403):
        raise Unfetched(
            "not_allowed", f"it wants to know who asks ({answer.status}): sign in, then: hf download {weights.name}"
        )
    if answer.status not in (200, 206):
        raise Unfetched("not_allowed", f"it answers {answer.status} {answer.reason}; no such file there")
    if answer.headers.get("Content-Encoding", "identity") != "identity":
        raise Unfetched("not_allowed", "it sends the file packed, though it was asked not to")


def _check(coming: _Coming) -> None:
    """Refuse and remove what has another content than is expected."""
    expected = coming.expected
    found = file_sha256(coming.part)
    if expected is not None and found != expected.sha256:
        coming.forget()
        raise LookawayError(
            f"{coming.url}: its sha256 is {found}, where {expected.source} says {expected.sha256}; it was not kept. "
            "Try another mirror; if the publisher changed the file, delete its folder to take the new one"
        )


def _check_room(folder: Path, weights: Weights, coming: int) -> None:
    free = shutil.disk_usage(folder).free
    if coming + DISK_LEFT_BYTES > free:
        raise UsageError(
            f"{weights.name}: {coming / 1e9:.1f} GB are to come and {free / 1e9:.1f} GB are free in {folder}; "
            "make room, or name another folder with LOOKAWAY_WEIGHTS"
        )


@contextlib.contextmanager
def _alone(folder: Path, name: str) -> Iterator[None]:
    with (folder / ".busy").open("w") as busy:
        try:
            fcntl.flock(busy, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(f"another process is getting {name}; wait for it") from error
        yield
