"""A cache of what was rendered, one per user: no run folder renders a task or a reference model's clip again.

    ROOT/KEY/SHA256.json   a task and its reference
    ROOT/KEY/SHA256.mp4    and so on: the files that they name, or a clip alone
    ROOT/KEY/SHA256.npz    renderings that clips are compared with

An entry appears whole, by one rename, so many processes may share the folder and any of them may be killed. Its files
are checked when they are read: a damaged entry is removed and made anew. A run folder gets copies, and
never depends on the cache. `LOOKAWAY_CACHE` names another folder, or is `off`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import orjson
import platformdirs
from numpy.typing import NDArray

from lookaway.records import Bank, Reference, Task, content_key
from lookaway.store import Blobs, file_sha256

MOST_BYTES = 10_000_000_000  # beyond it the entries unused for longest leave; all tasks of `diorama` take about 1 GB
LEFT_BEHIND_S = 24 * 3600.0  # a folder half written for so long belongs to a process that was killed
SOURCES = (
    "worlds",
    "geometry",
    "video",
    "suites",
    "truth.py",
    "shown.py",
    "images.py",
    "records/asked.py",
    "generators/known_world.py",
    "observers/replaying/scene.py",
    "observers/replaying/stands.py",
)
LIBRARIES = ("mujoco", "embreex", "numpy", "scipy", "av", "pillow", "opencv-python-headless")
HIDDEN = ".part-"  # on its way in or out


T = TypeVar("T")
Arrays = Mapping[str, NDArray[Any]]


class Built(NamedTuple):
    """What building a task gives: it, its truth and its questions, where there are any."""

    task: Task
    reference: Reference | None = None
    bank: Bank | None = None


class Cache:
    """Sets of files in a folder, by key."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def get(self, key: str, use: Callable[[dict[str, Path]], T]) -> T | None:
        """What `use` makes of an entry's files, by sha256; None where there is no whole entry."""
        entry = self.root / key
        if not entry.is_dir():
            return None
        try:
            used = use({_checked(file).stem: file for file in entry.iterdir()})
            os.utime(entry)
        except (OSError, ValueError, KeyError):
            self._drop(entry)
            return None
        return used

    def put(self, key: str, files: Iterable[Path]) -> None:
        """Keep copies of the files; a full or read-only disk only means that they are not kept."""
        with contextlib.suppress(OSError):
            self.root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=HIDDEN, dir=self.root, ignore_cleanup_errors=True) as folder:
                entry = Path(folder) / "entry"
                entry.mkdir()
                for file in files:
                    shutil.copyfile(file, entry / f"{file_sha256(file)}{file.suffix}")
                entry.rename(self.root / key)  # fails where another process was faster
            self._trim()

    def entries(self) -> list[Path]:
        """The entries, those unused for longest first."""
        if not self.root.is_dir():
            return []
        return sorted((p for p in self.root.iterdir() if not p.name.startswith(HIDDEN)), key=_changed_s)

    def size_bytes(self) -> int:
        return sum(_size(entry) for entry in self.entries())

    def clear(self) -> None:
        for entry in self.entries():
            self._drop(entry)
        self._sweep(0.0)

    def _trim(self) -> None:
        self._sweep(LEFT_BEHIND_S)
        sizes = {entry: _size(entry) for entry in self.entries()}
        over = sum(sizes.values()) - MOST_BYTES
        for entry, size in sizes.items():
            if over <= 0:
                return
            self._drop(entry)
            over -= size

    def _drop(self, entry: Path) -> None:
        """Out of sight by one rename, so that nobody reads half of it."""
        with (
            contextlib.suppress(OSError),
            tempfile.TemporaryDirectory(prefix=HIDDEN, dir=self.root, ignore_cleanup_errors=True) as folder,
        ):
            entry.rename(Path(folder) / "entry")

    def _sweep(self, older_than_s: float) -> None:
        for folder in self.root.glob(f"{HIDDEN}*"):
            if time.time() - _changed_s(folder) > older_than_s:
                shutil.rmtree(folder, ignore_errors=True)


def open_cache() -> Cache | None:
    """The user's cache; None where it is switched off."""
    named = os.environ.get("LOOKAWAY_CACHE", "")
    if named.lower() == "off":
        return None
    return Cache(Path(named).expanduser() if named else platformdirs.user_cache_path("lookaway", appauthor=False))


def cached_task(content: Sequence[object], blobs: Blobs, build: Callable[[], Built]) -> Built:
    """The task that `build` makes of that content, its files in the blobs; or what it made of it before."""
    cache, key = open_cache(), content_key("task", content, made_with())
    built = cache.get(key, lambda files: _read(files, blobs)) if cache is not None else None
    if built is None:
        built = build()
        if cache is not None:
            with tempfile.TemporaryDirectory() as folder:
                cache.put(key, [_written(built, Path(folder)), *map(blobs.path, _named_files(built))])
    return built


def cached_files(content: Sequence[object], files: Sequence[Path], make: Callable[[], None]) -> None:
    """Puts there the files that `make` makes of that content, or what it made of it before; no two of one suffix."""
    cache, key = open_cache(), content_key("files", content, [file.suffix for file in files], made_with())
    if cache is None or cache.get(key, lambda kept: _copied(kept, files)) is None:
        make()
        if cache is not None:
            cache.put(key, files)


def cached_arrays(content: Sequence[object], make: Callable[[], Arrays]) -> Arrays:
    """The arrays that `make` makes of that content, or what it made of it before."""
    cache, key = open_cache(), content_key("arrays", content, made_with())
    arrays = cache.get(key, _loaded) if cache is not None else None
    if arrays is None:
        arrays = make()
        if cache is not None:
            with tempfile.TemporaryDirectory() as folder:
                by_name: Mapping[str, Any] = arrays  # numpy's stubs take any keyword for its flag
                np.savez_compressed(file := Path(folder) / "arrays.npz", **by_name)
                cache.put(key, [file])
    return arrays


def _loaded(files: Mapping[str, Path]) -> Arrays:
    (file,) = files.values()
    with np.load(file, allow_pickle=False) as kept:
        return dict(kept)


def _copied(kept: Mapping[str, Path], files: Sequence[Path]) -> Sequence[Path]:
    by_suffix = {path.suffix: path for path in kept.values()}
    for file in files:
        shutil.copyfile(by_suffix[file.suffix], file)
    return files


def _written(built: Built, folder: Path) -> Path:
    path = folder / "built.json"
    records = {name: record.model_dump(mode="json") for name, record in built._asdict().items() if record is not None}
    path.write_bytes(orjson.dumps(records))
    return path


def _read(files: Mapping[str, Path], blobs: Blobs) -> Built:
    (described,) = (file for file in files.values() if file.suffix == ".json")
    read = orjson.loads(described.read_bytes())
    built = Built(
        Task.model_validate(read["task"]),
        Reference.model_validate(read["reference"]) if "reference" in read else None,
        Bank.model_validate(read["bank"]) if "bank" in read else None,
    )
    for sha256 in _named_files(built):
        blobs.put_file(files[sha256])
    return built


@lru_cache(maxsize=1)
def made_with() -> str:
    """Hash of what a picture depends on beside its task: code, libraries, processor."""
    versions = {name: metadata.version(name) for name in LIBRARIES}
    return content_key(_source_sha256(), versions, processor())


def processor() -> str:
    """Model and instruction sets where the system tells them: the last bits of a picture depend on both."""
    told = Path("/proc/cpuinfo")
    if not told.exists():
        return f"{platform.machine()} {platform.processor()}"
    first = told.read_text().split("\n\n")[0].splitlines()
    lasting = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags", "Features", "CPU part")
    return "\n".join(line for line in first if line.split("\t")[0].strip(" :") in lasting)


def _source_sha256() -> str:
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for name in SOURCES:
        for file in sorted((package / name).rglob("*.py")) if (package / name).is_dir() else [package / name]:
            digest.update(f"{file.relative_to(package).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _named_files(built: Built) -> list[str]:
    task, reference = built.task, built.reference
    true = () if reference is None else (reference.video, reference.arrays, reference.depth)
    named = (task.first_frame, task.prefix, *true)
    return [sha256 for sha256 in named if sha256 is not None]


def _checked(file: Path) -> Path:
    """The file, if its content is still what its name says."""
    if file_sha256(file) != file.stem:
        raise ValueError(f"{file}: damaged")
    return file


def _changed_s(entry: Path) -> float:
    try:
        return entry.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _size(entry: Path) -> int:
    size = 0
    for file in entry.glob("*"):
        with contextlib.suppress(FileNotFoundError):
            size += file.stat().st_size
    return size
