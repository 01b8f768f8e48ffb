"""Object stores by URL: the one place where files elsewhere are read and written, through fsspec.

Signing in is the environment's affair, as the store's own tools have it (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, ...).
What a store says in its errors is passed on without secrets.
"""

from __future__ import annotations

import contextlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from lookaway.errors import MissingExtra, SealError, StoreError, UsageError
from lookaway.secrets import holds_a_secret, redacted
from lookaway.store import root_of

# Scheme to the module that speaks it, beside fsspec.
DRIVERS = {
    "s3": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "file": "fsspec",
    "memory": "fsspec",
}
PIECE = 1 << 20
READ_AHEAD = 8 << 20  # bytes that are asked for at a time
# Errors of drivers that are no OSError, where the driver is loaded.
_THEIRS = (
    ("botocore.exceptions", "BotoCoreError"),
    ("botocore.exceptions", "ClientError"),
    ("aiohttp", "ClientError"),
    ("google.auth.exceptions", "GoogleAuthError"),
    ("azure.core.exceptions", "AzureError"),
)


class ObjectStore:
    """A folder in an object store."""

    def __init__(self, url: str, files: Any, root: str) -> None:
        self.url, self._files, self._root = url, files, root.rstrip("/")

    def sizes(self, folder: str) -> dict[str, int]:
        """The names below a folder, with their sizes in bytes."""
        with self._told():
            self._files.invalidate_cache()
            try:
                found = self._files.find(self._path(folder), detail=True)
            except FileNotFoundError:
                return {}
        start = len(self._path("")) if self._root else 0
        return {path[start:].lstrip("/"): int(facts["size"] or 0) for path, facts in found.items()}

    def put(self, source: Path, name: str) -> None:
        """Copy a file there; it appears under its name when it is whole."""
        with self._told():
            if "file" in _protocols(self._files):
                self._files.put_file(str(source), self._path(f"{name}.incoming"))
                self._files.mv(self._path(f"{name}.incoming"), self._path(name))
            else:
                self._files.put_file(str(source), self._path(name))

    def read(self, name: str, most: int) -> bytes | None:
        """All of a small file; None where there is none."""
        with self._told():
            try:
                with self._opened(name) as file:
                    data: bytes = file.read(most + 1)
            except FileNotFoundError:
                return None
        if len(data) > most:
            raise SealError(f"{self.url}/{name}: larger than the {most} bytes that are read")
        return data

    def copy(self, name: str, into: BinaryIO, start: int, most: int) -> None:
        """Add what a file holds from byte `start` on; one of more than `most` bytes is refused."""
        with self._told(), self._opened(name) as file:
            file.seek(start)
            while piece := file.read(PIECE):
                start += len(piece)
                if start > most:
                    raise SealError(f"{self.url}/{name}: larger than the {most} bytes that it should have")
                into.write(piece)

    def _opened(self, name: str) -> Any:
        return self._files.open(self._path(name), "rb", block_size=READ_AHEAD)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        theirs = [getattr(sys.modules[module], name) for module, name in _THEIRS if module in sys.modules]
        try:
            yield
        except FileNotFoundError as error:
            raise StoreError(f"{redacted(self.url)}: not there: {_short(error)}; look at the address") from error
        except (OSError, *theirs) as error:
            raise StoreError(
                f"{redacted(self.url)}: {_short(error)}; what was sent or fetched is kept, run the same command again"
            ) from error


def _short(error: Exception) -> str:
    said = " ".join(str(error).split()) or type(error).__name__
    return redacted(said)[:300]


def _protocols(files: Any) -> tuple[str, ...]:
    return (files.protocol,) if isinstance(files.protocol, str) else tuple(files.protocol)


def open_store(url: str) -> ObjectStore:
    """A folder by its URL, such as `s3://bucket/runs/a` or `file:///mnt/share/a`."""
    scheme = re.match("([a-z][a-z0-9+.-]*)://.", url, re.IGNORECASE)
    if scheme is None or "::" in url or scheme[1].lower() not in DRIVERS:
        raise UsageError(
            f"'{redacted(url)[:200]}' is no address of an object store; write s3://BUCKET/PATH, gs://, az:// or file:///"
        )
    if holds_a_secret(url):
        raise UsageError(f"{scheme[0][:-1]}…: has a key or password in its address; sign in by the environment")
    kind = scheme[1].lower()
    if importlib.util.find_spec("fsspec") is None or (kind == "s3" and importlib.util.find_spec("s3fs") is None):
        raise MissingExtra("remote", "`share send` and `share fetch`")
    if importlib.util.find_spec(DRIVERS[kind]) is None:
        raise UsageError(f"{kind}:// needs {DRIVERS[kind]}: pip install {DRIVERS[kind]}")
    import fsspec

    if kind == "file":
        return ObjectStore(url, fsspec.filesystem("file", auto_mkdir=True), str(root_of(url).absolute()))
    files, root = fsspec.core.url_to_fs(url)
    return ObjectStore(url, files, root)
