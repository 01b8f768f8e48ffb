"""What the answers to a bank mean: each matched to its question by id, and whether it speaks for the video."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lookaway.errors import ReadingError
from lookaway.outcomes import Abstain, Measured, NotApplicable, Outcome
from lookaway.readings import Case
from lookaway.readings.told.memobench import BankAnswers
from lookaway.records import BankAnswerWord, BankDimension, Question


class AnsweredQuestion(NamedTuple):
    """A question and what was said to it; `answer` is None where nothing was."""

    question: Question
    answer: BankAnswerWord | None
    seen: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether the answer is the one that speaks for the video; None where there is none, or nobody can tell."""
        return None if self.answer in (None, "cannot tell") else self.answer == self.question.expected


def answered_questions(questions: Sequence[Question], told: BankAnswers) -> list[AnsweredQuestion]:
    """Every question with its row; a row that no question has, or that is there twice, is refused.

    Rows are called by the number of their question, from 1 on: that is how they are put to a judge.
    """
    rows = {row.id: row for row in told.answers}
    numbers = [str(number) for number in range(1, len(questions) + 1)]
    if len(rows) < len(told.answers):
        raise ReadingError("two answers have the same id")
    if strangers := sorted(rows.keys() - set(numbers)):
        raise ReadingError(f"an answer has the id '{strangers[0]}', and there are {len(questions)} questions")
    return [
        AnsweredQuestion(question, rows[number].answer, rows[number].seen)
        if number in rows
        else AnsweredQuestion(question, None)
        for number, question in zip(numbers, questions, strict=True)
    ]


def pass_rate(case: Case, ask: str, dimension: BankDimension) -> Outcome:
    """Share of the dimension's questions that the clip passes; what is not answered is not passed.

    The upper bound is the share if all that nobody could tell had passed.
    """
    if not any(question.dimension == dimension for question in case.questions):
        return NotApplicable(f"the bank has no question on {dimension}")
    told = case.told(ask, BankAnswers)
    if isinstance(told, Abstain):
        return told
    mine = [one.passed for one in answered_questions(case.questions, told) if one.question.dimension == dimension]
    passed, unanswered = mine.count(True), mine.count(None)
    value = passed / len(mine)
    return Measured(value, value, (passed + unanswered) / len(mine)) if unanswered else value
