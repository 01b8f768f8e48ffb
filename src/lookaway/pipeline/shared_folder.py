"""Do workers elsewhere reach the run folder, or one of the same name on a disk of their own? A file in it tells."""

from __future__ import annotations

import contextlib
import platform
import uuid
from collections.abc import Iterator
from pathlib import Path

from lookaway.errors import StoreError

_seen: set[str] = set()


@contextlib.contextmanager
def shared_mark(root: Path, elsewhere: bool) -> Iterator[str]:
    """The name of a file that the folder holds meanwhile; none where nobody works elsewhere."""
    if not elsewhere:
        yield ""
        return
    mark = root / f".shared-{uuid.uuid4().hex}"
    mark.touch()
    try:
        yield mark.name
    finally:
        mark.unlink(missing_ok=True)


def check_mark(root: Path, mark: str) -> None:
    if not mark or mark in _seen:
        return
    if not (root / mark).exists():
        raise StoreError(
            f"{root} on node {platform.node()} is not the run folder: the nodes of a cluster must share the folder "
            "under one path; see docs/cluster.md"
        )
    _seen.add(mark)


def forget_marks() -> None:
    """For workers that live on after a stage."""
    _seen.clear()
