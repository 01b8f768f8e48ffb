"""A study on disk: its design, its items and their clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from lookaway.errors import UsageError, problems
from lookaway.limits import RELEASE_BYTES, STUDY_ITEMS
from lookaway.records import Study, StudyItem, content_key
from lookaway.store import Blobs, write_whole
from lookaway.tomls import read_record

DESIGN_FILE, ITEMS_FILE = "study.toml", "items.jsonl"


@dataclass(frozen=True)
class StudyFolder:
    root: Path
    study: Study
    items: dict[str, StudyItem]  # by id

    @property
    def key(self) -> str:
        """Names what is asked about what: a changed question or item is another study."""
        return content_key("study", self.study, list(self.items.values()))

    @property
    def label(self) -> str:
        """What its labels call it."""
        return f"{self.study.name}@{self.key[:8]}"

    @property
    def blobs(self) -> Blobs:
        return Blobs(self.root / "blobs")

    @property
    def main_items(self) -> list[StudyItem]:
        return [item for item in self.items.values() if item.role != "check"]

    @property
    def checks(self) -> list[StudyItem]:
        return [item for item in self.items.values() if item.role == "check"]


def read_study(root: Path) -> StudyFolder:
    """The study in a folder, which gives it its name."""
    if not (root / DESIGN_FILE).is_file():
        raise UsageError(f"{root}: no study ({DESIGN_FILE} is not in it); make one with: lookaway people make")
    study = read_record(root / DESIGN_FILE, Study, "study", root.resolve().name or "study")
    items = _read_items(root / ITEMS_FILE)
    if len({item.id for item in items}) < len(items):
        raise UsageError(f"{root / ITEMS_FILE}: two items have the same id; make the study again")
    wrong = [item.id for item in items if len(item.cases) != (2 if study.paired else 1)]
    if wrong or not items:
        what = f"item {wrong[0]} has {'one clip' if study.paired else 'two clips'}" if wrong else "no items"
        raise UsageError(f"{root / ITEMS_FILE}: {what}, in a study of kind {study.kind}; make the study again")
    if not study.criteria and (bare := [item.id for item in items if item.question is None]):
        raise UsageError(f"{root / ITEMS_FILE}: item {bare[0]} has no question, and {DESIGN_FILE} has no criteria")
    return StudyFolder(root, study, {item.id: item for item in items})


def _read_items(path: Path) -> list[StudyItem]:
    try:
        if path.stat().st_size > RELEASE_BYTES:
            raise UsageError(f"{path}: larger than {RELEASE_BYTES} bytes; these are no items of a study")
        lines = [line for line in path.read_bytes().splitlines() if line.strip()]
        if len(lines) > STUDY_ITEMS:
            raise UsageError(f"{path}: {len(lines)} items; a study has {STUDY_ITEMS} at most")
        return [StudyItem.model_validate_json(line) for line in lines]
    except OSError as error:
        raise UsageError(f"{path}: cannot read it: {error.strerror}; make the study again") from error
    except ValidationError as error:
        raise UsageError(f"{path}: not items of a study: {problems(error)}") from error


def write_study(root: Path, design: str, items: Sequence[StudyItem]) -> StudyFolder:
    """Write design and items, the clips being in place; refused where a study is already."""
    write_whole(root / DESIGN_FILE, design)
    write_whole(root / ITEMS_FILE, "".join(f"{item.model_dump_json()}\n" for item in items))
    return read_study(root)
