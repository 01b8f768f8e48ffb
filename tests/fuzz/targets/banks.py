"""Banks of questions: our files, MemoBench's tables, and reviews."""

from __future__ import annotations

import shutil
from pathlib import Path

from lookaway.banks import read_banks, unaskable
from lookaway.banks.memobench import read_failures, read_release
from lookaway.banks.reviewing import read_review, reviewed
from tests.fuzz.driving import CORPUS, Attempt, FalseVerdict, Target
from tests.fuzz.mutation import spoilt_json, spoilt_text

WORDS = (
    "task",
    "questions",
    "question",
    "id",
    "text",
    "dimension",
    "polarity",
    "expected",
    "verdicts",
    "trials",
    "yes",
)
COLUMNS = (
    "scene,video_id",
    "Start Questions",
    "Final questions",
    '"',
    '""',
    ",",
    "\n",
    "[",
    "]",
    "{",
    "}",
    '""ID"": 1',
)


def _bank(folder: Path) -> Attempt:
    def attempt(data: bytes) -> bool:
        (folder / "ball.json").write_bytes(data)
        (bank,) = read_banks(folder).values()
        for question in bank.kept:
            if unaskable(question.text) or question.expected not in ("yes", "no"):
                raise FalseVerdict(f"{question} is kept")
        return bank.task == "ball"

    return attempt


def _released(folder: Path) -> Attempt:
    shutil.copy(next((CORPUS / "failure_cases" / "good").glob("*")), folder / "failure-cases.csv")

    def attempt(data: bytes) -> bool:
        (folder / "Barn-1-questions.csv").write_bytes(data)
        found = read_release(folder)
        for bank in found.banks.values():
            for one in bank.questions:
                if one.stays and unaskable(one.question.text):
                    raise FalseVerdict(f"{one.question} is kept")
        return bool(found.banks)

    return attempt


def _failures(folder: Path) -> Attempt:
    def attempt(data: bytes) -> bool:
        (folder / "failure-cases.csv").write_bytes(data)
        return bool(read_failures(folder / "failure-cases.csv"))

    return attempt


def _review(folder: Path) -> Attempt:
    own = folder / "banks"
    own.mkdir()
    shutil.copy(next((CORPUS / "bank_file" / "good").glob("*")), own / "ball.json")
    banks = read_banks(own)
    words = {one.question.id: one.question.text for one in banks["ball"].questions}

    def attempt(data: bytes) -> bool:
        (folder / "review.csv").write_bytes(data)
        rows = read_review(folder / "review.csv")
        for bank in reviewed(banks, rows, "fuzz").values():
            for one in bank.questions:
                decided = next((row for row in rows if row["id"] == one.question.id), None)
                if decided is None and one.question.text != words[one.question.id]:
                    raise FalseVerdict(f"{one.question} was changed by nobody")
                if decided is not None and decided["verdict"].strip() == "reject" and one.stays:
                    raise FalseVerdict(f"{one.question} stays though it was rejected")
        return bool(rows)

    return attempt


TARGETS = (
    Target("bank_file", _bank, spoilt_json(WORDS), share=4),
    Target("released_bank", _released, spoilt_text(COLUMNS), share=1),
    Target("failure_cases", _failures, spoilt_text(["scene,video_id,hint,folder\n", ",", '"', "\n"]), share=2),
    Target(
        "bank_review", _review, spoilt_text(["accept", "edit", "reject", ",", '"', "\r\n", "ball", "q1", "'="]), share=2
    ),
)
