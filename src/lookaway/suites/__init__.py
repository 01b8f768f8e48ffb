"""Suites say what to ask. A suite lists drafts at once and for free; building one makes the Task and its truth.

    @suite("my-suite", version="1", summary="What it asks")
    def my_suite():
        return [Draft(...), ...]

A folder with `suite.toml` and `tasks.jsonl` is a suite too: see docs/add-a-suite.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookaway.cache import Built
from lookaway.errors import SuiteError
from lookaway.geometry.visibility import Obstacle
from lookaway.names import unprintable
from lookaway.records import Reference, Task
from lookaway.registry import Registry
from lookaway.store import Blobs

Build = Callable[["Draft", Blobs], tuple[Task, Reference | None] | Built]


@dataclass(frozen=True)
class Draft:
    """A task before anything heavy is made: enough to list, filter and plan."""

    id: str
    suite: str
    version: str
    scene: str
    camera: str
    seconds: float
    fps: float
    facts: tuple[tuple[str, Any], ...]  # whatever `build` needs, plain JSON values
    build: Build
    obstacle: Obstacle | None = None  # why it cannot take the subject out of view and bring it back
    truth: bool = True  # anything is known of it

    def built(self, blobs: Blobs) -> Built:
        """The task, its truth and its questions; media go to the blobs."""
        return Built(*self.build(self, blobs))

    @property
    def hides(self) -> bool:
        return self.obstacle is None

    @property
    def frames(self) -> int:
        return round(self.seconds * self.fps) + 1

    def content(self) -> list[Any]:
        """What the built task depends on; its hash decides whether it must be built again."""
        made_by = f"{self.build.__module__}.{self.build.__qualname__}"
        return [
            self.id,
            self.suite,
            self.version,
            self.scene,
            self.camera,
            self.seconds,
            self.fps,
            self.facts,
            made_by,
        ]


@dataclass(frozen=True)
class Suite:
    name: str
    version: int
    function: Callable[[], list[Draft]]
    summary: str
    extra: str | None = None
    without_extra: str = ""  # how to go on without it
    unposed: Callable[[], list[str]] = list  # lines on what it cannot ask here, such as for want of pictures

    def drafts(self) -> list[Draft]:
        """The suite's drafts, checked: ids are unique, ids and scenes can be shown on a line."""
        drafts = self.function()
        if not drafts:
            raise SuiteError(f"suite '{self.name}' has no tasks")
        seen: set[str] = set()
        for draft in drafts:
            if draft.id in seen:
                raise SuiteError(f"suite '{self.name}': two tasks have the id '{draft.id}'; ids must be unique")
            if unprintable(draft.id) or any(c in draft.id for c in "/\\ *?"):
                raise SuiteError(
                    f"suite '{self.name}': task id {draft.id!r} must have no spaces, slashes, wildcards or line breaks"
                )
            if unprintable(draft.scene):
                raise SuiteError(f"suite '{self.name}': scene {draft.scene!r} of '{draft.id}' must be one line of text")
            seen.add(draft.id)
        return drafts


SUITES: Registry[Suite] = Registry("suite", "lookaway.suites")


def suite(
    name: str,
    *,
    version: int,
    summary: str,
    extra: str | None = None,
    without_extra: str = "",
    unposed: Callable[[], list[str]] = list,
) -> Callable[[Callable[[], list[Draft]]], Callable[[], list[Draft]]]:
    """Register a function that lists a suite's drafts."""

    def register(function: Callable[[], list[Draft]]) -> Callable[[], list[Draft]]:
        SUITES.add(name, Suite(name, version, function, summary, extra, without_extra, unposed))
        return function

    return register


def is_folder(name: str) -> bool:
    """Whether a suite is meant by its path, not by its name."""
    try:
        return is_release(name) or "/" in name or Path(name).is_dir()
    except OSError:  # such as a name that is too long
        return False


def is_release(name: str) -> bool:
    """Whether it is meant by the kind and folder of another benchmark's release, such as `wrbench:FOLDER`."""
    from lookaway.suites.releases import READERS

    return ":" in name and name.partition(":")[0] in READERS


def folder_of(name: str) -> Path:
    """Where a suite lies that is meant by its path."""
    return Path(name.partition(":")[2] if is_release(name) else name)


def from_anywhere(name: str) -> str:
    """The same, said so that it is found from any folder."""
    kind = f"{name.partition(':')[0]}:" if is_release(name) else ""
    return f"{kind}{folder_of(name).expanduser().resolve()}"


def find(name: str) -> Suite:
    """A registered suite by name, one in a folder by path, or a release by kind and folder, as `wrbench:FOLDER`."""
    if is_release(name):
        from lookaway.suites.releases import release_suite

        return release_suite(name)
    if is_folder(name):
        from lookaway.suites.folder import read_folder

        return read_folder(Path(name))
    return SUITES.get(name)
