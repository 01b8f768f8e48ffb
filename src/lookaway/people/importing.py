"""Answers from elsewhere: files that people filled in, labels of another server, and Label Studio's JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lookaway.errors import UsageError, problems
from lookaway.limits import BROUGHT_BYTES, MB
from lookaway.people.answers import AnswerWord, GivenAnswer, label_of
from lookaway.people.book import now
from lookaway.people.desk import StudyDesk
from lookaway.people.register import label_key
from lookaway.records import Label, Record, Showing, StudyItem

LABEL_STUDIO = "label-studio"
WORDS_OF_OTHERS: dict[str, AnswerWord] = {
    **{word: "left" for word in ("a", "left", "first")},
    **{word: "right" for word in ("b", "right", "second")},
    **{word: "tie" for word in ("tie", "same", "no difference")},
    **{word: "not_judgeable" for word in ("not judgeable", "not_judgeable", "cannot tell", "cannot be judged")},
    **{word: word for word in ("yes", "no", "accept", "edit", "reject", "never")},
}


class FiledAnswer(Record):
    """One line of what a file keeps: an answer, or that one was taken back."""

    number: int = Field(ge=0)
    axis: str
    submission: str
    at: str = Field(max_length=40)
    undone: bool = False
    word: AnswerWord | None = None
    frame: int | None = None
    text: str = ""
    reason: str = ""
    seen: tuple[int, ...] = ()


class FiledAnswers(Record):
    """What a person saved from a study in one file."""

    lookaway: Literal["answers"]
    form: Literal[1]
    study: str
    rater: str
    consented: bool
    answers: tuple[FiledAnswer, ...]


class Studio(BaseModel):
    """Of Label Studio's export, what is used here."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class StudioData(Studio):
    item: str


class StudioValue(Studio):
    number: int | None = None
    choices: list[str] | None = None


class StudioResult(Studio):
    from_name: str
    value: StudioValue | None = None


class StudioAnnotation(Studio):
    completed_by: Any = None
    was_cancelled: bool | None = None
    updated_at: str | None = None
    created_at: str | None = None
    result: list[StudioResult] | None = None


class StudioTask(Studio):
    data: StudioData
    annotations: list[StudioAnnotation]


class Brought(NamedTuple):
    new: int
    known: int  # that were there already


def bring(desk: StudyDesk, path: Path) -> Brought:
    """Put the labels of a file into the book; those that are there count once."""
    labels = list(labels_in(desk, path))
    known = {item.cases for item in desk.folder.items.values()}
    erased = {row["name"] for row in desk.book.rows("SELECT name FROM raters WHERE erased_at IS NOT NULL")}
    for label in labels:
        if label.rater in erased:
            raise UsageError(f"{path}: {label.rater} had all that they said deleted; nothing was taken")
        if label.study != desk.folder.label or label.items not in known:
            raise UsageError(f"{path}: a label is about another study ({label.study[:60]}); nothing was taken")
    with desk.book.writing():
        before = {label_key(label) for label in desk.labels()}
        fresh = {label_key(label): label for label in labels if label_key(label) not in before}
        desk.book.run_many(
            "INSERT OR IGNORE INTO raters (name, role, joined_at, by_file) VALUES (?, 'rater', ?, 1)",
            [(name, now()) for name in sorted({label.rater for label in fresh.values()})],
        )
        desk.book.run_many(
            "INSERT INTO brought (rater, key, content, source, at) VALUES (?, ?, ?, ?, ?)",
            [(label.rater, key, label.model_dump_json(), path.name[:200], now()) for key, label in fresh.items()],
        )
        desk.book.note("command line", "brought labels", f"{len(fresh)} new")
    return Brought(len(fresh), len(labels) - len(fresh))


def labels_in(desk: StudyDesk, path: Path) -> Iterable[Label]:
    """The labels of a file, whoever wrote it; nothing is kept."""
    content = _read(path)
    if isinstance(content, list) and content and all(isinstance(row, dict) and "annotations" in row for row in content):
        return _of_label_studio(desk, content, path)
    if isinstance(content, dict) and content.get("lookaway") == "answers":
        return _of_file(desk, content, path)
    if isinstance(content, list) and content and all(isinstance(row, dict) and "rater" in row for row in content):
        return _of_server(content, path)
    raise UsageError(
        f"{path}: neither answers saved from a file, nor labels as JSON Lines, nor an export of Label Studio (JSON)"
    )


def _read(path: Path) -> Any:
    try:
        if path.stat().st_size > BROUGHT_BYTES:
            raise UsageError(f"{path}: larger than {BROUGHT_BYTES // MB} MB; these are no labels")
        text = path.read_text("utf-8-sig")
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: cannot read it: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON: {error}") from error


def _of_file(desk: StudyDesk, content: Mapping[str, Any], path: Path) -> Iterator[Label]:
    try:
        filed = FiledAnswers.model_validate(content)
    except ValidationError as error:
        raise UsageError(f"{path}: not what a study's file saves: {problems(error)}") from error
    if filed.study != desk.folder.key or filed.rater not in desk.raters():
        raise UsageError(f"{path}: saved from another study's file, or by a rater whose answers were deleted")
    if not filed.consented:
        raise UsageError(f"{path}: {filed.rater} has not agreed to take part; nothing was taken")
    showings = desk.showings(filed.rater)
    newest = {(answer.number, answer.axis): answer for answer in filed.answers}
    for answer in newest.values():
        if answer.undone:
            continue
        try:
            given = GivenAnswer.model_validate(answer.model_dump(exclude={"at", "undone"}))
            showing = showings[answer.number]
            yield label_of(desk.study, desk.folder.label, desk.item(showing), showing, given, filed.rater, answer.at)
        except (ValidationError, UsageError, IndexError) as error:
            raise UsageError(f"{path}: answer {answer.number} on {answer.axis[:60]}: {problems(error)}") from error


def _of_server(rows: Iterable[Mapping[str, Any]], path: Path) -> Iterator[Label]:
    for number, row in enumerate(rows, 1):
        try:
            yield Label.model_validate(row)
        except ValidationError as error:
            raise UsageError(f"{path}: line {number} is no label: {problems(error)}") from error


def _of_label_studio(desk: StudyDesk, tasks: Iterable[Mapping[str, Any]], path: Path) -> Iterator[Label]:
    """`data.item` is an item's id; a result's `from_name` is the axis, and its choice or number the answer.

    Of a pair, the first clip of the item is A. What somebody skipped or cancelled is no label.
    """
    for number, row in enumerate(tasks, 1):
        try:
            task = StudioTask.model_validate(row)
            item = desk.folder.items.get(task.data.item)
            if item is None:
                raise UsageError("has no data.item that is in this study")
            for annotation in task.annotations:
                if not annotation.was_cancelled:
                    yield from _of_annotation(desk, item, annotation)
        except (ValidationError, UsageError) as error:
            raise UsageError(f"{path}: task {number}: {problems(error)}") from error


def _of_annotation(desk: StudyDesk, item: StudyItem, annotation: StudioAnnotation) -> Iterator[Label]:
    rater = f"{LABEL_STUDIO}-{_who(annotation.completed_by)}"
    at = (annotation.updated_at or annotation.created_at or "")[:40]
    showing = Showing(number=0, item=item.id)
    for result in annotation.result or ():
        about = {"number": 0, "axis": result.from_name, "submission": "0" * 32}
        given = GivenAnswer.model_validate(about | _said(result.value or StudioValue()))
        yield label_of(desk.study, desk.folder.label, item, showing, given, rater, at)


def _who(completed_by: Any) -> str:
    """Label Studio gives an id, or a person with an e-mail address, which is not kept."""
    name = completed_by.get("id") if isinstance(completed_by, dict) else completed_by
    return str(name) if type(name) is int else "unknown"


def _said(value: StudioValue) -> dict[str, Any]:
    if value.number is not None:
        return {"word": "frame", "frame": value.number}
    choices = value.choices or ()
    if len(choices) != 1 or choices[0].strip().lower() not in WORDS_OF_OTHERS:
        known = ", ".join(sorted(WORDS_OF_OTHERS))
        raise UsageError(f"'{', '.join(choices)[:80]}' is no answer; one of: {known}")
    return {"word": WORDS_OF_OTHERS[choices[0].strip().lower()]}
