"""Files and folders of files named by the sha256 of their content, which is checked when they are read.

A blob is hashed when a process first uses it, and again when its size, times or inode changed since. One whose content
is not what its name says is never handed out, and is replaced as soon as somebody makes that content again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from lookaway.errors import DamagedBlob, MissingBlob, StoreError

Stamp = tuple[tuple[str, int, int, int, int], ...]  # of each file: name, size, written, changed, inode

SETTLED_NS = 100_000_000  # file times are coarse: two writes close together may leave the same stamp


class Blobs:
    """The blobs of one run folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, sha256: str) -> Path:
        """Where a blob lies, whatever its suffix; its content is what its name says."""
        found = self._named(sha256)
        if not found:
            raise MissingBlob(
                f"{self.root}: no blob {sha256[:12]}…; copy the run folder whole, or make it again with --fresh"
            )
        for path in found:
            if _is_whole(path, sha256):
                return path
        raise DamagedBlob(
            f"{found[0]}: damaged, its content is not what its name says; restore it, or make it again with --fresh"
        )

    def has(self, sha256: str) -> bool:
        return any(_is_whole(path, sha256) for path in self._named(sha256))

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
        sha256 = file_sha256(source)
        if not self.has(sha256):
            with self._temporary(source.suffix) as temporary:
                shutil.move(source, temporary) if move else shutil.copyfile(source, temporary)
                self._name(temporary, sha256, source.suffix.lower())
        elif move:
            source.unlink()
        return sha256

    def _put_folder(self, source: Path) -> str:
        sha256 = _folder_sha256(source)
        if not self.has(sha256):
            with self._temporary("") as temporary:
                temporary.mkdir()
                for file in _files(source):
                    shutil.copyfile(file, temporary / file.name)
                self._name(temporary, sha256, "")
        return sha256

    def _named(self, sha256: str) -> list[Path]:
        if re.fullmatch("[0-9a-f]{64}", sha256) is None:
            return []
        return sorted((self.root / sha256[:2]).glob(f"{sha256}*"))

    @contextlib.contextmanager
    def _temporary(self, suffix: str) -> Iterator[Path]:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".incoming-", dir=self.root) as folder:
                yield Path(folder) / f"blob{suffix}"
        except OSError as error:
            raise StoreError(f"{self.root}: {error.strerror or error}; make room, then run the same command") from error

    def _name(self, temporary: Path, sha256: str, suffix: str) -> None:
        """Give a whole blob its name at once, in place of a damaged one of that name."""
        for file in [temporary] if temporary.is_file() else temporary.iterdir():
            fsync(file)
        final = self.root / sha256[:2] / f"{sha256}{suffix}"
        final.parent.mkdir(exist_ok=True)
        for old in self._named(sha256):
            if (old != final or old.is_dir()) and not _is_whole(old, sha256):
                with contextlib.suppress(FileNotFoundError):
                    old.rename(temporary.parent / old.name)  # a folder that is not empty cannot be replaced
        try:
            temporary.replace(final)
        except OSError:
            if not _is_whole(final, sha256):  # else another process was first
                raise
        fsync(final.parent)


def holds(path: Path, sha256: str) -> bool:
    """Whether a file or folder has this content."""
    stamp = _stamp(path)
    changed_ns = max((facts[3] for facts in stamp), default=0)
    settled = changed_ns < time.time_ns() - SETTLED_NS
    return (_hashed if settled else _hashed.__wrapped__)(path, stamp) == sha256


def _is_whole(path: Path, sha256: str) -> bool:
    try:
        return holds(path, sha256)
    except OSError:
        return False


def _stamp(path: Path) -> Stamp:
    """Changes whenever the content is written to."""
    facts = [(file.name, file.stat()) for file in (_files(path) if path.is_dir() else [path])]
    return tuple((name, f.st_size, f.st_mtime_ns, f.st_ctime_ns, f.st_ino) for name, f in facts)


@functools.lru_cache(maxsize=65536)
def _hashed(path: Path, stamp: Stamp) -> str:
    return _folder_sha256(path) if path.is_dir() else file_sha256(path)


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_file())


def _folder_sha256(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in _files(folder):
        digest.update(os.fsencode(file.name) + b"\0" + bytes.fromhex(file_sha256(file)))
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fsync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
