"""A review file: a line per question that stays, for a person to accept, edit or reject it with a reason."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from lookaway.banks import unaskable
from lookaway.errors import UsageError, problems
from lookaway.records import BankedQuestion, BankReview, BankStep, QuestionBank, ReviewWord

ASKED = ("verdict", "new_text", "reason")  # what a person fills in
TOLD = ("task", "id", "dimension", "expected", "text")
WORDS: tuple[ReviewWord, ...] = get_args(ReviewWord)
_FORMULA = ("=", "+", "-", "@", "'")  # a spreadsheet would compute what begins so

ReviewRow = dict[str, str]


def review_sheet(banks: Iterable[QuestionBank]) -> str:
    """The file to fill in, as CSV; no cell of it is a formula to a spreadsheet."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [*TOLD, *ASKED], lineterminator="\r\n")
    writer.writeheader()
    for bank in banks:
        for question in bank.kept:
            told = {"task": bank.task, **{name: getattr(question, name) for name in TOLD[1:]}}
            writer.writerow({name: as_cell(value) for name, value in told.items()})
    return text.getvalue()


def as_cell(text: str) -> str:
    """The text so that a spreadsheet shows it; `-1 of them?` becomes `'-1 of them?`, and `of_cell` undoes it."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def of_cell(text: str) -> str:
    return text[1:] if text.startswith("'") and text[1:2] in _FORMULA else text


def read_review(path: Path) -> list[ReviewRow]:
    """The lines of a review file that have a verdict."""
    try:
        lines = csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""))
        rows = [{name: of_cell(value or "") for name, value in row.items() if name} for row in lines]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{path}: cannot be read as CSV: {error}") from error
    missing = [name for name in (*TOLD, *ASKED) if rows and name not in rows[0]]
    if missing or not rows:
        what = f"no column {missing[0]}" if missing else "no lines"
        raise UsageError(f"{path}: {what}; write a review file with: lookaway bank review BANK --write FILE")
    return [row for row in rows if row["verdict"].strip()]


def reviewed(banks: Mapping[str, QuestionBank], rows: Iterable[ReviewRow], by: str) -> dict[str, QuestionBank]:
    """The banks with what the rows decide; an edited question keeps its original words beside the new ones.

    A row about a question that is not in a bank, or whose text is not the bank's, is refused: it is about another bank.
    """
    decided: dict[str, dict[str, ReviewRow]] = {}
    for row in rows:
        mine = decided.setdefault(row["task"], {})
        if row["id"] in mine:
            raise UsageError(f"task {row['task']}: question {row['id']} is reviewed twice in this file")
        mine[row["id"]] = row
    if strangers := sorted(decided.keys() - banks.keys()):
        raise UsageError(f"task {strangers[0]}: not in this folder of banks; the review is about another one")
    return {task: _with_review(banks[task], mine, by) for task, mine in decided.items()}


def _with_review(bank: QuestionBank, rows: Mapping[str, ReviewRow], by: str) -> QuestionBank:
    if strangers := sorted(rows.keys() - {question.id for question in bank.kept}):
        raise UsageError(f"task {bank.task}: no question '{strangers[0]}' is left in its bank")
    questions = tuple(
        _decided(one, rows[one.question.id], bank.task, by) if one.question.id in rows else one
        for one in bank.questions
    )
    counts = ", ".join(f"{word} {sum(row['verdict'].strip() == word for row in rows.values())}" for word in WORDS)
    return bank.model_copy(
        update={"questions": questions, "steps": (*bank.steps, BankStep(name="reviewed", by=by, how=counts))}
    )


def _decided(one: BankedQuestion, row: ReviewRow, task: str, by: str) -> BankedQuestion:
    where, word, new = f"task {task}, question {one.question.id}", row["verdict"].strip(), row["new_text"].strip()
    if row["text"] != one.question.text:
        raise UsageError(f"{where}: its text in the review is not the bank's; write edits into new_text")
    if word not in WORDS:
        raise UsageError(f"{where}: verdict '{word}'; give {', '.join(WORDS)}")
    if (word == "edit") != bool(new) or (new and unaskable(new)):
        raise UsageError(f"{where}: {unaskable(new) if new and word == 'edit' else 'exactly an edit has a new_text'}")
    try:
        review = BankReview(verdict=word, by=by, reason=row["reason"].strip())
    except ValidationError as error:
        raise UsageError(f"{where}: {problems(error)}") from error
    said = {"accept": "kept", "edit": "edited", "reject": "dropped"}[word]
    told = {"verdicts": {**one.question.verdicts, "review": said}, "text": new or one.question.text}
    question = one.question.model_copy(update=told)
    original = (one.original or one.question.text) if new else one.original
    return one.model_copy(update={"question": question, "original": original, "review": review})
