"""Finished runs and seals on their way to and from object stores.

A run lies there as `files/ab/abcd…`, named by content, and `listing.json`, which is written last: a run that is half
sent has no listing, or still the one before. What is fetched is put together beside its place, each file checked
against the listing, and appears under its name when all of it is there. Both go on where they were broken off.
A seal is one file, and its own list says what it must hold.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from lookaway import limits
from lookaway.errors import SealError, StoreError, UsageError, problems
from lookaway.names import inside
from lookaway.pipeline.stage import Outcome, Progress, StageReport
from lookaway.records import RunListing, SealedFile
from lookaway.sharing.archives import check_archive, check_listed
from lookaway.sharing.canonical import canonical_json
from lookaway.sharing.object_stores import ObjectStore, open_store
from lookaway.sharing.seals import run_files
from lookaway.store import file_sha256, open_run
from lookaway.store.blobs import fsync

LISTING = "listing.json"
AT_ONCE = 8  # transfers

ByContent = Mapping[str, Sequence[SealedFile]]  # sha256 to the files that have this content


class Travelled(NamedTuple):
    """What was sent or fetched."""

    name: str  # sha256 of the listing, or of a seal's list
    files: int  # of all
    size: int  # of all of them, in bytes
    moved: int  # files that were not there yet


# ---------------------------------------------------------------- there


def send(root: Path, url: str, progress: Progress, *, fresh: bool = False) -> Travelled:
    """Put a finished run into an object store; files that are there by content and size are not sent again."""
    store = open_store(url)
    if not (open_run(root).root / "run.json").is_file():
        raise UsageError(f"{root}: has no plan (run.json), so nobody could read it; run or ingest into it first")
    _check_finished(root)
    listing = RunListing(files=tuple(run_files(root)))
    check_listed(str(root), listing.files)
    contents = _by_content(listing.files)
    there = {} if fresh else store.sizes("files")
    left = [sha256 for sha256, (first, *_) in contents.items() if there.get(_stored(sha256)) != first.size]
    _each("send", left, len(contents), lambda one: store.put(root / contents[one][0].path, _stored(one)), progress)
    there = store.sizes("files")
    torn = [sha256 for sha256, (first, *_) in contents.items() if there.get(_stored(sha256)) != first.size]
    if torn:
        raise StoreError(f"{url}: {len(torn)} files did not arrive whole; run the same command again")
    text = canonical_json(listing)
    _put_bytes(store, text, LISTING)
    return Travelled(hashlib.sha256(text).hexdigest(), len(listing.files), _size(listing.files), len(left))


def send_seal(path: Path, url: str) -> Travelled:
    """Put a sealed run into an object store as one file, once it is known to be whole."""
    store, name = _seal_place(url)
    seal, bundle = check_archive(path)
    store.put(path, name)
    return Travelled(bundle, len(seal.files), path.stat().st_size, 1)


def _put_bytes(store: ObjectStore, data: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / name
        made.write_bytes(data)
        store.put(made, name)


def _check_finished(root: Path) -> None:
    """Refuse a run that somebody writes into: its writers hold their logs."""
    for path in sorted((root / "logs").glob("*/*.jsonl")):
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise StoreError(f"{path}: is being written; send the run when its command has ended") from error


# ---------------------------------------------------------------- back again


def fetch(url: str, out: Path, progress: Progress, *, expected: str = "") -> Travelled:
    """Bring a run from an object store; it appears in `out` when every file is there and is what the listing says."""
    store = open_store(url)
    listing, name = read_listing(store)
    _check_name(url, name, expected)
    told = Travelled(name, len(listing.files), _size(listing.files), 0)
    if os.path.lexists(out):
        if all(_has(out, file) for file in listing.files):
            return told
        raise UsageError(f"{out}: is there already and does not hold all of {url}; choose another --out")
    contents = _by_content(listing.files)
    with _staging(out) as staging:
        run, parts = staging / "run", staging / "parts"
        left = [sha256 for sha256, files in contents.items() if not all(_has(run, file) for file in files)]
        _each("fetch", left, len(contents), lambda one: _bring(store, contents[one], run, parts), progress)
        _clear(run, {file.path for file in listing.files})
        fsync(run)
        run.rename(out)
    return told._replace(moved=len(left))


def fetch_seal(url: str, out: Path, *, expected: str = "") -> Travelled:
    """Bring a sealed run; it appears when it is whole by its own list."""
    store, name = _seal_place(url)
    if out.exists():
        raise UsageError(f"{out}: is there already; choose another --out")
    with _staging(out) as staging:
        part = staging / "seal"
        _append(store, name, part, limits.SEAL_BYTES)
        try:
            seal, bundle = check_archive(part)
            _check_name(url, bundle, expected)
        except SealError as error:
            part.unlink()
            raise SealError(f"{url}: {str(error).removeprefix(f'{part}: ')}") from error
        size = part.stat().st_size
        fsync(part)
        part.rename(out)
    return Travelled(bundle, len(seal.files), size, 1)


def is_seal(url: str) -> bool:
    return url.endswith(".seal")


def read_listing(store: ObjectStore) -> tuple[RunListing, str]:
    """What a store says that a run holds, and the sha256 of that text."""
    text = store.read(LISTING, limits.SEAL_JSON_BYTES)
    if text is None:
        raise SealError(f"{store.url}: no whole run there (no {LISTING}); send it, or send it again, with: share send")
    try:
        listing = RunListing.model_validate_json(text)
    except ValidationError as error:
        raise SealError(f"{store.url}/{LISTING}: does not read as a listing ({problems(error)[:300]})") from error
    check_listed(f"{store.url}/{LISTING}", listing.files)
    return listing, hashlib.sha256(text).hexdigest()


def _bring(store: ObjectStore, files: Sequence[SealedFile], run: Path, parts: Path) -> None:
    """One content into all files that have it, through a part that is checked before it gets a name of the run."""
    first, part = files[0], parts / files[0].sha256
    _append(store, _stored(first.sha256), part, first.size)
    if part.stat().st_size != first.size or file_sha256(part) != first.sha256:
        part.unlink()
        raise SealError(
            f"{store.url}: {first.path} is not what the listing says; run the same command again, "
            "and if it stays so, send the run again with: share send --fresh"
        )
    fsync(part)
    for file in files:
        target = inside(run, file.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file is files[-1]:
            part.replace(target)
        else:
            shutil.copyfile(part, target.with_name(f".{target.name}.incoming"))
            target.with_name(f".{target.name}.incoming").replace(target)


def _append(store: ObjectStore, name: str, part: Path, most: int) -> None:
    """Go on where the part ends; one that is longer than it may be is begun again."""
    if part.exists() and part.stat().st_size > most:
        part.unlink()
    try:
        with part.open("ab") as into:
            store.copy(name, into, into.tell(), most)
    except SealError:
        part.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _staging(out: Path) -> Iterator[Path]:
    """A folder beside `out` for what is on its way, kept until all of it is there; one command at a time has it."""
    staging = out.absolute().with_name(f".{out.name}.incoming")
    try:
        for folder in ("run", "parts"):
            (staging / folder).mkdir(parents=True, exist_ok=True)
        fd = os.open(staging, os.O_RDONLY)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield staging
            shutil.rmtree(staging)
        finally:
            os.close(fd)
    except BlockingIOError as error:
        raise StoreError(f"{out}: another command is fetching it; wait for that") from error
    except OSError as error:
        raise StoreError(
            f"{out}: {error.strerror or error}; what arrived is kept in {staging.name}, run the same command again"
        ) from error


def _clear(folder: Path, listed: set[str]) -> None:
    """Take away what an earlier listing had."""
    for path in folder.rglob("*"):
        if not path.is_dir() and path.relative_to(folder).as_posix() not in listed:
            path.unlink()


# ---------------------------------------------------------------- both ways


def _each(stage: str, left: Sequence[str], total: int, work: Callable[[str], None], progress: Progress) -> None:
    """Some transfers at a time; the first that fails stops those that have not begun."""
    started = time.monotonic()
    progress.start(stage, total, total - len(left))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            for sha256, _ in zip(left, pool.map(work, left), strict=True):
                progress.advance([Outcome(sha256, "ok")])
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    done = tuple(Outcome(sha256, "ok") for sha256 in left)
    progress.finish(StageReport(stage, total, total - len(left), done, time.monotonic() - started, 0, ""))


def _by_content(files: Sequence[SealedFile]) -> dict[str, list[SealedFile]]:
    found: dict[str, list[SealedFile]] = {}
    for file in files:
        found.setdefault(file.sha256, []).append(file)
    return found


def _stored(sha256: str) -> str:
    return f"files/{sha256[:2]}/{sha256}"


def _size(files: Sequence[SealedFile]) -> int:
    return sum(file.size for file in files)


def _has(folder: Path, file: SealedFile) -> bool:
    path = folder / file.path
    return path.is_file() and path.stat().st_size == file.size and file_sha256(path) == file.sha256


def _check_name(url: str, name: str, expected: str) -> None:
    if expected and name != expected:
        raise SealError(f"{url}: is {name}, not {expected} as expected; ask whoever sent it")


def _seal_place(url: str) -> tuple[ObjectStore, str]:
    folder, _, name = url.rpartition("/")
    if not is_seal(url) or folder.endswith(("/", ":")):
        raise UsageError(f"'{url[:200]}': write the whole address of a seal, such as s3://BUCKET/PATH/mine.seal")
    return open_store(folder), name
