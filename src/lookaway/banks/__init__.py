"""Banks: yes/no questions about a task, how they are kept, filtered, reviewed and counted. No judge is asked here.

A bank is a folder with one JSON file per task, a `QuestionBank` each: all that was written, and every verdict.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError

from lookaway.errors import UsageError, problems
from lookaway.limits import MB, RELEASE_BYTES
from lookaway.names import file_name, inside
from lookaway.records import BankRef, QuestionBank, asked_key
from lookaway.store import write_whole

Banks = Mapping[str, QuestionBank]  # by task
MOST_QUESTIONS = 200  # of a task; a judge is asked all of them in one call
LONGEST_QUESTION = 2000  # characters
_ALL = TypeAdapter(tuple[QuestionBank, ...])


def read_banks(folder: Path) -> dict[str, QuestionBank]:
    """The banks of a folder, by task; a file that is no bank, or is called by another task, is refused."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: no folder of banks; make one with: lookaway bank write, or lookaway bank import")
    found: dict[str, QuestionBank] = {}
    for path in sorted(folder.glob("*.json")):
        bank = _read(path)
        if path.name != _called(bank):
            raise UsageError(f"{path}: holds the bank of task '{bank.task}', which belongs in {_called(bank)}")
        found[bank.task] = bank
    if not found:
        raise UsageError(f"{folder}: holds no bank; make some with: lookaway bank write, or lookaway bank import")
    return found


def _called(bank: QuestionBank) -> str:
    return f"{file_name(bank.task)}.json"


def _read(path: Path) -> QuestionBank:
    try:
        if path.stat().st_size > RELEASE_BYTES:
            raise UsageError(f"{path}: larger than {RELEASE_BYTES // MB} MB; this is no bank")
        return checked_bank(QuestionBank.model_validate_json(path.read_bytes()), str(path))
    except ValidationError as error:
        raise UsageError(f"{path}: no bank of questions: {problems(error)}") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot read it: {error.strerror}") from error


def checked_bank(bank: QuestionBank, where: str) -> QuestionBank:
    """The bank, if a judge can be asked it: each question has words of its own, in one line and not without end."""
    if len(bank.questions) > MOST_QUESTIONS:
        raise UsageError(f"{where}: {len(bank.questions)} questions; a judge is asked {MOST_QUESTIONS} at most")
    for one in bank.questions:
        if why := unaskable(one.question.text):
            raise UsageError(f"{where}: question {one.question.id}: {why}")
    return bank


def unaskable(text: str) -> str:
    """Why a question cannot be put, or nothing: a line break would make two rows of it."""
    if not text.strip():
        return "has no words"
    if len(text) > LONGEST_QUESTION:
        return f"has {len(text)} characters, more than {LONGEST_QUESTION}"
    return "" if text.isprintable() else "holds a line break or a control character"


def write_banks(folder: Path, banks: Iterable[QuestionBank]) -> list[Path]:
    """A file per task; one that is there is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        write_whole(inside(folder, _called(bank)), bank.model_dump_json(indent=1) + "\n", "run the same command again")
        for bank in banks
    ]


def packed(banks: Banks) -> bytes:
    """All banks as one piece of JSON, the same for the same banks."""
    return orjson.dumps([banks[task].model_dump(mode="json") for task in sorted(banks)])


def unpacked(content: bytes) -> dict[str, QuestionBank]:
    return {bank.task: bank for bank in _ALL.validate_json(content)}


def reference(banks: Banks) -> BankRef:
    """How a plan names banks."""
    asked = asked_key({task: bank.kept for task, bank in banks.items()})
    return BankRef(blob=hashlib.sha256(packed(banks)).hexdigest(), asked=asked)
