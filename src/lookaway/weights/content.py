"""Which weights they are: their content, wherever they lie."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from lookaway.errors import UsageError
from lookaway.weights.locks import read_lock

LOADED = ("config.json", "*.safetensors", "*.pt", "*.pth")  # what a model is made of
IN_THEIR_PLACE = "*.bin"  # read where there are no safetensors
READ_WITH_WORDS = ("*.json", "*.jinja", "*.txt", "*.model", "*.safetensors")  # and what prepares words and pictures
_BLOB = re.compile(r"[0-9a-f]{64}")


def weights_sha256(folder: Path, parts: Sequence[str] = READ_WITH_WORDS) -> str:
    """Names the weights by the content of their files: the same in every folder and cache."""
    whole = hashlib.sha256()
    if not any(folder.glob("*.safetensors")):
        parts = (*parts, IN_THEIR_PLACE)
    for path in sorted({path for part in parts for path in folder.glob(part) if path.is_file()}):
        whole.update(f"{path.name}:{file_content(path)}\n".encode())
    return whole.hexdigest()


def file_content(path: Path) -> str:
    """The sha256 of a file: as recorded since it was last written, as the hub's cache names it, else by reading it."""
    facts = path.stat()
    blob = path.resolve()
    if blob.parent.name == "blobs" and _BLOB.fullmatch(blob.name):
        return blob.name
    try:
        lock = read_lock(path.parent)
    except UsageError:
        lock = None
    kept = lock.files.get(path.name) if lock is not None else None
    if kept is not None and (kept.bytes, kept.changed_ns) == (facts.st_size, facts.st_mtime_ns):
        return kept.sha256
    return _sha256(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=1000)
def _sha256(path: Path, size: int, changed_ns: int) -> str:
    """Of a file, read once as long as it stays the same."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
