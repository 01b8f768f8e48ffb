"""The task files of StEvo's release: `tasks*/GROUP/ID/ID.yaml` with `ID_init_frame.png` beside it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from lookaway import extras
from lookaway.errors import LookawayError, MissingExtra, SuiteError, problems
from lookaway.images import BadImage, image_size
from lookaway.limits import MB, TASK_FILE_BYTES
from lookaway.suites.releases.reading import ReleaseLine, text_of

PICTURES = (".png", ".jpg", ".jpeg")
FIRST, LAST = "_init_frame", "_gt_final_frame"
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,119}")


class TaskChanges(ReleaseLine):
    occlusion_method: str | None = None
    dynamic_conditions: str | None = None
    expected_outcome_change: str | None = None


class TaskPrompts(ReleaseLine):
    image_gen_prompt: str | None = None
    init_frame_edit_prompt: str | None = None
    video_WM: str | None = None
    camera_WM: str | None = None


class TaskDigests(ReleaseLine):
    initial_frame_sha256: str | None = None


class TaskEvaluation(ReleaseLine):
    init_frame_description: str | None = None
    init2final_edit_prompt: str | None = None
    questions: list[Any] | None = None
    inputs_digest: TaskDigests | None = None


class TaskFile(ReleaseLine):
    """A task as its file tells it; all but the id may be missing."""

    id: str
    level: int | None = None
    category: str | None = None
    variant_of: str | None = None
    variation_description: str | None = None
    changes: TaskChanges | None = None
    prompts: TaskPrompts | None = None
    camera_control: dict[str, str | None] | None = None
    evaluation: TaskEvaluation | None = Field(None)

    @property
    def texts(self) -> TaskPrompts:
        return self.prompts or TaskPrompts()

    @property
    def judged(self) -> TaskEvaluation:
        return self.evaluation or TaskEvaluation()


@dataclass(frozen=True)
class FoundTask:
    """A task file, and the pictures beside it."""

    file: TaskFile
    path: Path
    group: str  # of the release: image_implied or simple_trigger
    picture: Path | None = None
    size: tuple[int, int] = (0, 0)
    last: Path | None = None  # a picture of the end

    @property
    def id(self) -> str:
        return self.file.id


def task_files(folder: Path) -> list[Path]:
    """Files that are called as their folder."""
    wanted = (path for path in folder.rglob("*") if path.suffix.lower() in (".yaml", ".yml"))
    return sorted(path for path in wanted if path.stem == path.parent.name and path.is_file())


def read_tasks(folder: Path) -> tuple[dict[str, FoundTask], list[str]]:
    """The tasks by id, and notes on what cannot be read or contradicts itself; each costs itself only."""
    found, notes = dict[str, FoundTask](), list[str]()
    for path in task_files(folder):
        where = path.relative_to(folder).as_posix()
        try:
            file, said = read_task(path)
        except MissingExtra:
            raise
        except LookawayError as error:
            notes.append(f"not readable: {error}")
            continue
        notes += said
        if file.id in found:
            notes.append(f"there twice: {file.id}: {where} is left out")
            continue
        found[file.id], said = _with_pictures(folder, file, path)
        notes += said
    return found, notes


def read_task(path: Path) -> tuple[TaskFile, list[str]]:
    """A task file; a field that is not as the release has it is left out and named."""
    told = safe_yaml(path)
    if not isinstance(told, dict):
        raise SuiteError(f"{path}: not a task: its fields are not told by name")
    told = {str(name): value for name, value in told.items()}
    notes = []
    if told.get("id") is None:
        notes.append(f"missing: id in {path.name}; its name is taken")
    id = told.get("id") or path.stem
    if not isinstance(id, str):  # YAML reads 012 as ten
        if str(id) != path.stem:
            notes.append(f"not readable: the id in {path.name} is no text; its name is taken")
        id = path.stem
    if not _ID.fullmatch(id):
        raise SuiteError(f"{path}: {id[:120]!r} cannot be the id of a task: plain letters, numbers, _ . + -")
    if id != path.stem:
        notes.append(f"contradictory: {path.name} tells the id {id}, which is taken")
    try:
        return TaskFile.model_validate(told | {"id": id}), notes
    except ValidationError as error:
        wrong = {str(each["loc"][0]) for each in error.errors()}
        notes.append(f"not readable: {id}: {problems(error)}; left out")
    kept = {name: value for name, value in told.items() if name not in wrong}
    return TaskFile.model_validate(kept | {"id": id}), notes


def safe_yaml(path: Path) -> Any:
    """What a YAML file tells, in plain values. Aliases are refused: a few lines of them stand for gigabytes."""
    if extras.missing("yaml"):
        raise MissingExtra("yaml", str(path))
    import yaml

    if path.stat().st_size > TASK_FILE_BYTES:
        raise SuiteError(f"{path}: larger than {TASK_FILE_BYTES // MB} MB")
    text = text_of(path)
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise SuiteError(f"{path}: has YAML aliases, which are not read; write their values out")
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SuiteError(f"{path}: not readable YAML ({_first_line(error)})") from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]


def _with_pictures(folder: Path, file: TaskFile, path: Path) -> tuple[FoundTask, list[str]]:
    group = path.parent.parent.name if path.parent.parent != folder.parent else ""
    notes = list[str]()
    first, last = (_beside(folder, path, kind, notes) for kind in (FIRST, LAST))
    task = FoundTask(file, path, group, last=last)
    if first is None:
        return task, notes
    try:
        size = image_size(first)
    except (BadImage, OSError) as error:
        return task, [*notes, f"not readable: {file.id}: {first.name}: {error}"]
    notes += _digest(file, first)
    return FoundTask(file, path, group, first, size, last), notes


def _beside(folder: Path, path: Path, kind: str, notes: list[str]) -> Path | None:
    for suffix in PICTURES:
        picture = path.with_name(f"{path.stem}{kind}{suffix}")
        if picture.is_file():
            if picture.resolve().is_relative_to(folder.resolve()):
                return picture
            notes.append(f"not readable: {path.stem}: {picture.name} leads out of the release")
    return None


def _digest(file: TaskFile, picture: Path) -> Iterator[str]:
    """Is it the picture for which the texts were written?"""
    told = file.judged.inputs_digest
    if told is None or not told.initial_frame_sha256:
        return
    if hashlib.sha256(picture.read_bytes()).hexdigest() != told.initial_frame_sha256.removeprefix("sha256:").lower():
        yield f"contradictory: {file.id}: {picture.name} is not the picture of which its texts tell the sha256"
