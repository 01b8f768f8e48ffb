"""File names from text that others wrote: readable, of a safe alphabet, one name per text, never outside the folder."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from lookaway.errors import StoreError

LONGEST = 120  # leaves room for a suffix within the 255 bytes that file systems allow
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+=-]*(?<!\.)")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # devices, on some systems


def file_name(text: str) -> str:
    """`text` where it is a plain name already; else what can be read of it, `~` and a hash of all of it.

    `lamp_left` -> `lamp_left`, `../../x` -> `x~1f0a…`. A plain name has no `~`, so no two texts share a name.
    """
    if len(text) <= LONGEST and _PLAIN.fullmatch(text) and not _RESERVED.fullmatch(text):
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    readable = re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")
    return f"{readable[: LONGEST - 17] or 'name'}~{digest}"


def inside(folder: Path, name: str) -> Path:
    """The path of `name` in `folder`; refused where it, or a link on the way, leads out of the folder."""
    path = folder / name
    try:
        safe = path.resolve().is_relative_to(folder.resolve()) and path.resolve() != folder.resolve()
    except (OSError, ValueError, RuntimeError):
        safe = False
    if not safe:
        raise StoreError(f"{folder}: '{name}' leads out of this folder, so it is not written; is there a link in it?")
    return path


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder; there is none of a name that no file can have."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def unprintable(text: str) -> bool:
    """Whether a name holds nothing, or what no line of text can show: control characters, line breaks, NUL."""
    return not text.strip() or not text.isprintable()
