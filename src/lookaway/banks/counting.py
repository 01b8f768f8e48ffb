"""What banks come to: what each stage leaves, what is told apart, and what somebody passes who never looks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lookaway.banks.filters import DIMENSIONS, FEWEST
from lookaway.records import BankDimension, BankedQuestion, Question, QuestionBank


class Funnel(NamedTuple):
    """Questions that are left after each stage; a stage that was not held takes none away."""

    written: int
    after_truth: int
    after_failure: int
    kept: int

    @classmethod
    def of(cls, questions: Iterable[BankedQuestion]) -> Funnel:
        listed = list(questions)
        true = [one for one in listed if one.survives("on_truth")]
        failing = [one for one in true if one.survives("on_failure") and one.survives("with_hint")]
        return cls(len(listed), len(true), len(failing), sum(one.stays for one in failing))


class Separation(NamedTuple):
    """Of the questions that stay, those put to a failure: how many a failure fails, how many every failure passes."""

    tried: int
    failing: int
    passing: int
    separating: int  # the truth passes it and a failure fails it


class QuestionFloors(NamedTuple):
    """Pass rate of somebody who always says the same; both are a half where half of the questions expect a yes."""

    always_yes: float
    always_no: float

    @property
    def higher(self) -> float:
        return max(self)


def questions_of(banks: Iterable[QuestionBank], dimension: BankDimension | None = None) -> list[BankedQuestion]:
    every = [one for bank in banks for one in bank.questions]
    return [one for one in every if dimension in (None, one.question.dimension)]


def separation(questions: Iterable[BankedQuestion]) -> Separation:
    tried = [one for one in questions if one.stays and one.held("on_failure")]
    failing = [one for one in tried if any(one.passed(trial) is False for trial in one.held("on_failure"))]
    passing = [one for one in tried if all(one.passed(trial) for trial in one.held("on_failure"))]
    separating = [one for one in failing if any(one.passed(trial) for trial in one.held("on_truth"))]
    return Separation(len(tried), len(failing), len(passing), len(separating))


def floors(questions: Sequence[Question]) -> QuestionFloors | None:
    """Over all these questions together; None where there are none."""
    if not questions:
        return None
    yes = sum(question.expected == "yes" for question in questions) / len(questions)
    return QuestionFloors(yes, 1 - yes)


def banks_without_failing(banks: Iterable[QuestionBank]) -> list[str]:
    """Tasks whose failures pass every question that stays: nothing in their bank can tell a failure."""
    return [bank.task for bank in banks if not separation(bank.questions).failing]


def short_dimensions(bank: QuestionBank) -> list[BankDimension]:
    """Dimensions of which fewer questions stay than the released code wants."""
    left = [question.dimension for question in bank.kept]
    return [dimension for dimension in DIMENSIONS if left.count(dimension) < FEWEST]


def edited_since(bank: QuestionBank) -> list[str]:
    """Questions that stay with words which no filter has seen."""
    return [one.question.id for one in bank.questions if one.stays and one.original and one.held("on_truth")]
