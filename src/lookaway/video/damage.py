"""Is a file shorter than its own structure says? Answered from container headers, without decoding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_SEGMENT_ID = 0x18538067
_EBML_MAGIC = b"\x1a\x45\xdf\xa3"


def damage(path: Path) -> str | None:
    """What is missing from the file, or None when its structure is whole or not one we know."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(12)
        file.seek(0)
        if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"):
            return _mp4_damage(file, size)
        if head.startswith(_EBML_MAGIC):
            return _short(size, _matroska_bytes(file))
        if head.startswith(b"GIF8"):
            file.seek(max(0, size - 16))
            return None if file.read().rstrip(b"\0\r\n").endswith(b";") else "it has no end mark"
        if head.startswith(b"RIFF"):
            return _short(size, 8 + int.from_bytes(head[4:8], "little"))
    return None


def _short(size: int, declared: int | None) -> str | None:
    return f"{size} of {declared} bytes are there" if declared and declared > size else None


def _mp4_damage(file: BinaryIO, size: int) -> str | None:
    ends = {name: end for name, end in _mp4_boxes(file, size) if name in (b"moov", b"mdat", b"moof")}
    if b"moov" in ends or (ends and max(ends.values()) > size):
        return _short(size, max(ends.values()))
    return "its index (moov) is missing"


def _mp4_boxes(file: BinaryIO, size: int) -> Iterator[tuple[bytes, int]]:
    """Name and end of every top-level box; a length of 1 announces a 64-bit one, 0 means to the end."""
    start = 0
    while start + 8 <= size:
        file.seek(start)
        header = file.read(16)
        length = int.from_bytes(header[:4], "big")
        if length == 1:
            length = int.from_bytes(header[8:16], "big")
        end = start + length if length else size
        yield header[4:8], end
        start = max(end, start + 8)


def _matroska_bytes(file: BinaryIO) -> int | None:
    """Bytes up to the end of the segment; None when the writer left its length open, as live recorders do."""
    while identifier := _ebml_number(file, keep_marker=True):
        length = _ebml_number(file, keep_marker=False)
        if length is None:
            return None
        end = file.tell() + length
        if identifier == _SEGMENT_ID:
            return end
        file.seek(end)
    return None


def _ebml_number(file: BinaryIO, *, keep_marker: bool) -> int | None:
    """A variable-length integer: leading zero bits count the extra bytes; all ones means unknown."""
    first = file.read(1)
    if not first or first == b"\0":
        return None
    width = 9 - first[0].bit_length()
    number = int.from_bytes(first + file.read(width - 1), "big")
    if keep_marker:
        return number
    unknown = (1 << 7 * width) - 1
    value = number & unknown
    return None if value == unknown else value
