"""Is a Matroska or WebM file whole? Its elements must fill one another exactly, and match their checksums."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import BinaryIO

MAGIC = b"\x1a\x45\xdf\xa3"

_SEGMENT, _CLUSTER, _CRC = 0x18538067, 0x1F43B675, 0xBF
_VOID = 0xEC
# SeekHead, Info, Tracks, Cluster, Cues, Attachments, Chapters, Tags.
_SEGMENT_PARTS = {0x114D9B74, 0x1549A966, 0x1654AE6B, _CLUSTER, 0x1C53BB6B, 0x1941A469, 0x1043A770, 0x1254C367}
# Timestamp, SilentTracks, Position, PrevSize, SimpleBlock, BlockGroup, EncryptedBlock.
_CLUSTER_PARTS = {0xE7, 0x5854, 0xA7, 0xAB, 0xA3, 0xA0, 0xAF, _CRC, _VOID}


def declared_bytes(path: Path) -> int | None:
    """Bytes up to the end of the segment; None when the writer left its length open, as live recorders do."""
    with path.open("rb") as file:
        start, length = _segment(file)
        return None if start is None or length is None else start + length


def broken_at(path: Path) -> int | None:
    """The first byte that is no part of a whole file, or None."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start, length = _segment(file)
        if start is None:
            return 0
        return _broken_segment(file, start, size if length is None else min(size, start + length))


def _segment(file: BinaryIO) -> tuple[int | None, int | None]:
    """Where the segment's content starts, and its length."""
    while identifier := _number(file, keep_marker=True):
        length = _number(file, keep_marker=False)
        if identifier == _SEGMENT:
            return file.tell(), length
        if length is None:
            break
        file.seek(length, 1)
    return None, None


def _broken_segment(file: BinaryIO, at: int, end: int) -> int | None:
    while at < end:
        file.seek(at)
        identifier, length = _number(file, keep_marker=True), _number(file, keep_marker=False)
        start = file.tell()
        if identifier == _CLUSTER and length is None:
            at, broken = _open_cluster(file, start, end)
        elif identifier not in _SEGMENT_PARTS | {_CRC, _VOID} or length is None or start + length > end:
            return at
        else:
            broken = _broken_part(file, identifier, start, start + length)
            at = start + length
        if broken is not None:
            return broken
    return None


def _broken_part(file: BinaryIO, identifier: int, start: int, end: int) -> int | None:
    if identifier in _SEGMENT_PARTS and not _checksum_holds(file, start, end):
        return start
    if identifier != _CLUSTER:
        return None
    after, broken = _open_cluster(file, start, end)
    return after if broken is None and after < end else broken


def _open_cluster(file: BinaryIO, at: int, end: int) -> tuple[int, int | None]:
    """Where a cluster's parts stop, and the first of them that cannot be."""
    while at < end:
        file.seek(at)
        identifier, length = _number(file, keep_marker=True), _number(file, keep_marker=False)
        if identifier in _SEGMENT_PARTS:
            return at, None
        if identifier not in _CLUSTER_PARTS or length is None or file.tell() + length > end:
            return at, at
        at = file.tell() + length
    return at, None


def _checksum_holds(file: BinaryIO, start: int, end: int) -> bool:
    """True as well where the writer left no checksum."""
    file.seek(start)
    head = file.read(min(6, end - start))
    if head[:2] != bytes([_CRC, 0x84]) or len(head) < 6:
        return True
    checksum, left = 0, end - start - 6
    while left > 0 and (data := file.read(min(left, 1 << 20))):
        checksum, left = zlib.crc32(data, checksum), left - len(data)
    return checksum == int.from_bytes(head[2:], "little")


def _number(file: BinaryIO, *, keep_marker: bool) -> int | None:
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
