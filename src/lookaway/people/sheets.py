"""What one rater said, as the CSV files that other verbs read: reviews of banks, and keyframes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from lookaway.banks.reviewing import ASKED, TOLD, as_cell
from lookaway.errors import UsageError
from lookaway.people.desk import StudyDesk
from lookaway.people.labels import study_labels
from lookaway.records import CaseId, Label, StudyItem

VERDICTS = {1.0: "accept", 0.0: "edit", -1.0: "reject"}
MARKS = ("gone", "back")  # axes of a keyframe file


def rater_sheets(desk: StudyDesk) -> dict[str, str]:
    """A file's text by rater, of items that they saw for the first time."""
    if desk.study.kind not in ("bank_review", "keyframes"):
        raise UsageError(f"a study of kind {desk.study.kind} has labels and no sheets; see: lookaway people labels")
    first = [label for label in study_labels(desk) if label.round == 0]
    found = {}
    for rater in sorted({label.rater for label in first}):
        own = [label for label in first if label.rater == rater]
        found[rater] = _keyframes(own) if desk.study.kind == "keyframes" else _review(desk.folder.main_items, own)
    return found


def _review(items: Iterable[StudyItem], labels: Sequence[Label]) -> str:
    """For `lookaway bank review`: a row per question with what was decided about it."""
    questions = {(item.cases, item.question.id): item.question for item in items if item.question is not None}
    rows = []
    for label in labels:
        question, task = questions[label.items, label.axis], CaseId.parse(label.items[0]).task
        assert label.value is not None
        told = [task, *(getattr(question, name) for name in TOLD[1:])]
        rows.append([as_cell(text) for text in [*told, VERDICTS[label.value], label.text, label.reason]])
    return _csv([*TOLD, *ASKED], rows)


def _keyframes(labels: Sequence[Label]) -> str:
    """For `lookaway suite keyframes`: a row per clip; an empty cell where there is no such frame."""
    marks: dict[str, dict[str, str]] = {}
    for label in labels:
        marks.setdefault(label.items[0], {})[label.axis] = "" if label.value is None else f"{label.value:.0f}"
    return _csv(["clip", *MARKS], [[clip, *(told.get(mark, "") for mark in MARKS)] for clip, told in marks.items()])


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([columns, *rows])
    return text.getvalue()
