"""Is a GIF whole? Its blocks must follow one another up to the end mark."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

MAGIC = b"GIF8"

_EXTENSION, _IMAGE, _END = b"\x21", b"\x2c", b"\x3b"


def broken_at(path: Path) -> int | None:
    """The first byte that is no part of a whole file (its size when it stops too early), or None."""
    with path.open("rb") as file:
        mark = _first_other_mark(file)
        if mark == _END:
            return None
        return file.tell() - 1 if mark else path.stat().st_size


def bytes_after_end(path: Path) -> int:
    """How many bytes follow the end mark of a whole file, padding aside."""
    with path.open("rb") as file:
        _first_other_mark(file)
        return len(file.read().strip(b"\0\r\n;"))


def _first_other_mark(file: BinaryIO) -> bytes:
    """The first mark that opens neither an extension nor an image; nothing when the file stops before."""
    file.seek(10)
    flags = file.read(3)
    _skip_colours(file, flags[:1])
    while (mark := file.read(1)) in (_EXTENSION, _IMAGE):
        if mark == _IMAGE:
            _skip_colours(file, file.read(9)[8:])
        file.seek(1, 1)  # an extension's label, or an image's code size
        _skip_data(file)
    return mark


def _skip_colours(file: BinaryIO, flags: bytes) -> None:
    if flags and flags[0] & 0x80:
        file.seek(3 * 2 ** ((flags[0] & 7) + 1), 1)


def _skip_data(file: BinaryIO) -> None:
    """Pieces that each say their length, up to an empty one."""
    while (length := file.read(1)) not in (b"", b"\0"):
        file.seek(length[0], 1)
