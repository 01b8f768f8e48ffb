"""Files that people read: each appears under its name only when it is whole."""

from __future__ import annotations

import os
from pathlib import Path

from lookaway.errors import StoreError


def write_whole(path: Path, content: str | bytes, way_on: str = "run the same command again") -> Path:
    """Put a file in the place of the one before it, and return its path; `way_on` is what to do once there is room."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.incoming")
    try:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        temporary.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}; make room, then: {way_on}") from error
    return path
