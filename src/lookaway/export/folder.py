"""The folder of an export: whose it is, what is finished in it, files that appear whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from lookaway.errors import StoreError, UsageError
from lookaway.export.memobench import Listing
from lookaway.names import file_name, inside
from lookaway.records import ModelCard, Record
from lookaway.suites import Suite

MARKERS = ".export"  # one file per finished task


@dataclass(frozen=True)
class Head:
    """What a folder is an export of. Folders of two heads are never mixed."""

    name: str
    version: int
    summary: str
    model: str
    shape: str
    truth: bool
    lookaway: str

    @classmethod
    def of(cls, suite: Suite, card: ModelCard | None, truth: bool) -> Self:
        shape = "the suite's" if card is None else f"{card.width}x{card.height}, {card.frames} frames, {card.fps} fps"
        model = "" if card is None else card.name
        return cls(suite.name, suite.version, suite.summary, model, shape, truth, metadata.version("lookaway"))

    def to_toml(self) -> str:
        """As `suite.toml`; JSON strings, numbers and booleans are TOML too."""
        facts = {key: json.dumps(value, ensure_ascii=False) for key, value in asdict(self).items()}
        own = [f"{key} = {facts.pop(key)}" for key in ("name", "version", "summary")]
        return "\n".join([*own, "", "[export]", *(f"{key} = {value}" for key, value in facts.items())]) + "\n"


class Finished(Record):
    """A task that is wholly written."""

    inputs: str
    row: dict[str, Any]  # its line in tasks.jsonl
    size: tuple[int, int]  # of the pictures
    files: tuple[str, ...]
    given: tuple[str, ...]  # those of `files` that a model may know
    memobench: bool = False  # was that layout asked for?
    clip: Listing | None = None  # its place there, if it has one


@dataclass(frozen=True)
class Folder:
    root: Path

    def check(self, head: Head) -> None:
        """Refuse a folder that holds something else."""
        path = self.root / "suite.toml"
        try:
            if not path.exists():
                if self.root.exists() and (not self.root.is_dir() or any(self.root.iterdir())):
                    raise UsageError(f"{self.root}: not an empty folder, and not an export; choose another --out")
                return
            before = tomllib.loads(path.read_text())
        except OSError as error:
            raise self._refused(error) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"{path}: not TOML ({error}); choose another --out") from error
        now = tomllib.loads(head.to_toml())
        if "export" not in before:
            raise UsageError(f"{self.root}: a suite that no export wrote; choose another --out")
        was, will = _flat(before), _flat(now)
        other = [
            f"{key} '{was.get(key)}', not '{will[key]}'"
            for key in will
            if key != "export" and was.get(key) != will[key]
        ]
        if other:
            raise UsageError(f"{self.root}: holds another export: {'; '.join(other)}; choose another --out")

    def claim(self, head: Head) -> None:
        self.write({"suite.toml": head.to_toml().encode()})

    def write(self, files: Mapping[str, bytes | Path]) -> None:
        """Each file appears under its name only when it is whole."""
        for name, content in files.items():
            path = inside(self.root, name)
            temporary = path.with_name(f".{path.name}.{os.getpid()}.incoming")
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                temporary.write_bytes(content) if isinstance(content, bytes) else shutil.copyfile(content, temporary)
                temporary.replace(path)
            except OSError as error:
                raise self._refused(error) from error

    def holds(self, files: Iterable[str]) -> bool:
        return all((self.root / name).exists() for name in files)

    def finish(self, task: str, finished: Finished) -> None:
        self.write({f"{MARKERS}/{file_name(task)}.json": finished.model_dump_json().encode()})

    def finished(self, task: str) -> Finished | None:
        try:
            return Finished.model_validate_json((self.root / MARKERS / f"{file_name(task)}.json").read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def _refused(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self.root}: cannot write here: {error.strerror or error}; make room or choose another --out; "
            "what is finished is kept"
        )


def _flat(head: dict[str, Any]) -> dict[str, Any]:
    return {**head, **head["export"]}
