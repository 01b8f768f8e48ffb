"""Is a file whole as far as its own structure tells? Answered from container headers, without decoding."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from lookaway.video import gif, matroska


class Damage(NamedTuple):
    """`truncated`: the end is missing; `damaged`: something in between is not what it should be."""

    kind: Literal["truncated", "damaged"]
    what: str


def damage(path: Path) -> Damage | None:
    """What is wrong with the file, or None when its structure is whole or not one we know."""
    stat = path.stat()
    return _damage(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=64)  # probe and decode open a file several times; its checksums are read once
def _damage(path: Path, size: int, _changed_ns: int) -> Damage | None:
    with path.open("rb") as file:
        head = file.read(12)
        file.seek(0)
        if head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip"):
            return _mp4_damage(file, size)
    if head.startswith(matroska.MAGIC):
        return _short(size, matroska.declared_bytes(path)) or _broken("Matroska", matroska.broken_at(path))
    if head.startswith(gif.MAGIC):
        at = gif.broken_at(path)
        return Damage("truncated", "it has no end mark") if at == size else _broken("GIF", at)
    if head.startswith(b"RIFF"):
        return _short(size, 8 + int.from_bytes(head[4:8], "little"))
    return None


def _broken(kind: str, at: int | None) -> Damage | None:
    return None if at is None else Damage("damaged", f"what stands at byte {at} is no part of a whole {kind} file")


def _short(size: int, declared: int | None) -> Damage | None:
    if not declared or declared <= size:
        return None
    return Damage("truncated", f"{size} of {declared} bytes are there")


def _mp4_damage(file: BinaryIO, size: int) -> Damage | None:
    ends = {name: end for name, end in _mp4_boxes(file, size) if name in (b"moov", b"mdat", b"moof")}
    if b"moov" in ends or (ends and max(ends.values()) > size):
        return _short(size, max(ends.values()))
    return Damage("truncated", "its index (moov) is missing")


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
