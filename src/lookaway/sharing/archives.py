"""A sealed run as one file: `seal.json` and the files that it lists, in a zip archive that is never trusted.

An archive is unpacked file by file against its own list: other names, sizes or contents than listed, names that lead
out of the folder, links and devices are refused, and so is what is larger than limits.py allows.
"""

from __future__ import annotations

import hashlib
import re
import stat
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from lookaway import limits
from lookaway.arrays import BAD_ZIP
from lookaway.errors import SealError, StoreError, problems
from lookaway.records import Seal, SealedFile
from lookaway.sharing.canonical import canonical_json

LIST = "seal.json"
PIECE = 1 << 20
_BLOB = (
    r"blobs/(?P<two>[0-9a-f]{2})/(?P=two)[0-9a-f]{62}(\.[A-Za-z0-9]{1,10})?(/[^/\\.\x00-\x1f][^/\\\x00-\x1f]{0,199})?"
)
_KEPT = re.compile(rf"run\.json|logs/[a-z_]{{1,40}}/[A-Za-z0-9_-][A-Za-z0-9._-]{{0,199}}|{_BLOB}")
_SAME_DAY = (1980, 1, 1, 0, 0, 0)  # so that sealing twice gives the same bytes


def is_kept(path: str) -> bool:
    """Whether a file of a run folder may be part of a seal: the plan, a log or a blob, and no way out of the folder."""
    return _KEPT.fullmatch(path) is not None


def write_archive(path: Path, seal: Seal, root: Path) -> None:
    """The seal and the files it carries, from a run folder."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_entry(LIST, True), canonical_json(seal))
        for file in seal.files:
            if file.carried:
                with (root / file.path).open("rb") as source, archive.open(_entry(file.path, _packs(file)), "w") as to:
                    while piece := source.read(PIECE):
                        to.write(piece)


def _packs(file: SealedFile) -> bool:
    return not file.path.startswith("blobs/")  # videos and arrays are packed already


def _entry(name: str, packed: bool) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _SAME_DAY)
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    return entry


def read_seal(path: Path) -> tuple[Seal, str]:
    """The list of an archive, and the bundle's name: the sha256 of that list."""
    with _opened(path) as archive:
        return _listed(path, archive)


def unpack(path: Path, folder: Path, blobs: bool = True) -> tuple[Seal, str]:
    """Put every carried file into `folder`, each checked against the list while it is written; or all but blobs."""
    with _opened(path) as archive:
        seal, bundle = _listed(path, archive)
        for file in seal.files:
            if file.carried and (blobs or not file.path.startswith("blobs/")):
                _unpack_one(path, archive, file, folder / file.path)
    return seal, bundle


def check_archive(path: Path) -> tuple[Seal, str]:
    """The list of an archive and the bundle's name, once every carried file was read and is what the list says."""
    with _opened(path) as archive:
        seal, bundle = _listed(path, archive)
        for file in seal.files:
            if file.carried:
                digest, size = hashlib.sha256(), 0
                for piece in _pieces(path, archive, file.path, file.size):
                    digest.update(piece)
                    size += len(piece)
                _check_one(path, file, size, digest.hexdigest())
    return seal, bundle


def _check_one(path: Path, file: SealedFile, size: int, sha256: str) -> None:
    if size != file.size or sha256 != file.sha256:
        raise SealError(f"{path}: {file.path} is not what the seal says; it was changed after sealing")


def _unpack_one(path: Path, archive: zipfile.ZipFile, file: SealedFile, target: Path) -> None:
    digest = hashlib.sha256()
    with _fresh(path, file, target) as to:
        for piece in _pieces(path, archive, file.path, file.size):
            digest.update(piece)
            to.write(piece)
        _check_one(path, file, to.tell(), digest.hexdigest())


def _fresh(path: Path, file: SealedFile, target: Path) -> BinaryIO:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return target.open("xb")
    except (FileExistsError, NotADirectoryError) as error:
        raise SealError(f"{path}: {file.path} and another file cannot lie in one folder") from error
    except OSError as error:
        raise StoreError(
            f"{target}: cannot be written: {error.strerror}; make room, then run the same command"
        ) from error


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise SealError(f"{path}: no such file; make one with: lookaway share seal RUN --out {path.name}") from error
    except BAD_ZIP as error:
        raise SealError(f"{path}: not a sealed run ({error}); make one with: lookaway share seal RUN") from error


def _listed(path: Path, archive: zipfile.ZipFile) -> tuple[Seal, str]:
    names = [entry.filename for entry in archive.infolist()]
    if len(names) > limits.SEAL_FILES + 1:
        raise SealError(f"{path}: holds {len(names)} files, more than the {limits.SEAL_FILES} that are read")
    if names.count(LIST) != 1:
        raise SealError(f"{path}: not a sealed run: it must hold one {LIST}")
    text = b"".join(_pieces(path, archive, LIST, limits.SEAL_JSON_BYTES))
    try:
        seal = Seal.model_validate_json(text)
    except ValidationError as error:
        raise SealError(f"{path}: {LIST} does not read as a seal ({problems(error)})") from error
    if canonical_json(seal) != text:
        raise SealError(f"{path}: {LIST} is not written canonically; seal the run again")
    _check_files(path, seal, names)
    return seal, hashlib.sha256(text).hexdigest()


def _check_files(path: Path, seal: Seal, names: list[str]) -> None:
    check_listed(str(path), seal.files)
    if sorted(names) != sorted([LIST, *(file.path for file in seal.files if file.carried)]):
        raise SealError(f"{path}: its files are not those that {LIST} lists")


def check_listed(where: str, files: Sequence[SealedFile]) -> None:
    """Refuse a list from outside that names what no run has, or more than limits.py allows."""
    listed = [file.path for file in files]
    strange = [name for name in listed if not is_kept(name)]
    if strange:
        raise SealError(f"{where}: lists a file that no run has: {strange[0][:80]!r}")
    if len(set(listed)) != len(listed):
        raise SealError(f"{where}: lists a file twice")
    if len(listed) > limits.SEAL_FILES:
        raise SealError(f"{where}: lists {len(listed)} files, more than the {limits.SEAL_FILES} that are read")
    if any(file.size > limits.SEAL_FILE_BYTES for file in files):
        raise SealError(f"{where}: lists a file of more than {limits.SEAL_FILE_BYTES} bytes")
    if sum(file.size for file in files) > limits.SEAL_BYTES:
        raise SealError(f"{where}: would unpack to more than {limits.SEAL_BYTES} bytes")


def _pieces(path: Path, archive: zipfile.ZipFile, name: str, most: int) -> Iterator[bytes]:
    """A file of the archive, up to `most` bytes; whatever goes on after them is refused."""
    entry = archive.getinfo(name)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG) or entry.flag_bits & 0x1:
        raise SealError(f"{path}: {name} is no plain file")
    if entry.file_size > most or entry.file_size > limits.SEAL_PACKING * max(entry.compress_size, PIECE):
        raise SealError(f"{path}: {name} would unpack to {entry.file_size} bytes, more than it may have")
    left = most
    try:
        with archive.open(entry) as source:
            while piece := source.read(min(PIECE, left + 1)):
                left -= len(piece)
                if left < 0:
                    raise SealError(f"{path}: {name} is larger than listed")
                yield piece
    except BAD_ZIP as error:
        raise SealError(f"{path}: {name} cannot be unpacked ({error})") from error
