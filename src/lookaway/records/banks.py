"""How a bank of questions came about: every question that was written, and what each stage said of it."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from lookaway.records.asked import Bank, BankStage, BankVerdict, Question
from lookaway.records.base import Record, content_key

BankDimension = Literal["instruction", "things", "memory", "physics"]
BankAnswerWord = Literal["yes", "no", "cannot tell"]
FailureRule = Literal["main_text", "hint", "sound"]
ReviewWord = Literal["accept", "edit", "reject"]

BANK_FORM = 1  # of bank files
STAYS: tuple[BankVerdict, ...] = ("kept", "edited")


class BankTrial(Record):
    """One answer to a question while its bank was made."""

    stage: Literal["on_truth", "on_failure", "with_hint"]
    clip: str  # `truth`, or the name of what failed
    answer: BankAnswerWord | None  # None: the judge gave no answer that can be read
    seen: str = ""  # what the judge says it saw, or why there is no answer
    instrument: str = ""  # label of the judge; empty: the source does not tell
    recorded: Literal["pass", "fail", ""] = ""  # the verdict that the source prints beside it; empty: none


class BankReview(Record):
    """What a person decided about a question."""

    verdict: ReviewWord
    by: str
    reason: str = ""

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if self.verdict != "accept" and not self.reason.strip():
            raise ValueError(f"a question that is {self.verdict}ed needs a reason")
        return self


class BankedQuestion(Record):
    """A question with all that is known of how it fared; `question.verdicts` has what each stage made of it."""

    question: Question
    original: str = Field("", description="its text as it was written, where a review changed it")
    trials: tuple[BankTrial, ...] = ()
    review: BankReview | None = None

    @property
    def stays(self) -> bool:
        """Whether no stage took it out; a stage without a verdict on it does."""
        return all(verdict in STAYS for verdict in self.question.verdicts.values())

    def survives(self, stage: BankStage) -> bool:
        """Whether that stage, if it was held, left it in."""
        return self.question.verdicts.get(stage, "kept") in STAYS

    def passed(self, trial: BankTrial) -> bool | None:
        """Whether the answer speaks for the clip, by the question's own expected answer; None without an answer."""
        return None if trial.answer in (None, "cannot tell") else trial.answer == self.question.expected

    def held(self, stage: BankStage) -> tuple[BankTrial, ...]:
        return tuple(trial for trial in self.trials if trial.stage == stage)


class BankStep(Record):
    """One thing that was done to a bank, in order; their number is its version."""

    name: Literal["written", "imported", "filtered", "reviewed"]
    by: str  # label of the judge, a person, or whose release
    how: str = ""  # the rule, and what it was held on


class QuestionBank(Record):
    """All questions that were ever written for a task; those that stay are put to judges."""

    form: int = BANK_FORM
    task: str
    instance: str = Field("", description="of the task that it was written for; empty: the source does not tell")
    hint: str = Field("", description="what is known to be wrong with its failure clip, where one clip is named")
    steps: tuple[BankStep, ...] = ()
    questions: tuple[BankedQuestion, ...] = ()

    @model_validator(mode="after")
    def _has_a_form_that_is_known(self) -> Self:
        if self.form != BANK_FORM:
            raise ValueError(f"a bank of form {self.form}; this version of lookaway reads form {BANK_FORM}")
        Bank(task=self.task, questions=tuple(one.question for one in self.questions))  # ids of their own
        return self

    @property
    def version(self) -> int:
        return len(self.steps)

    @property
    def kept(self) -> tuple[Question, ...]:
        return tuple(one.question for one in self.questions if one.stays)


class BankRef(Record):
    """The banks of a run: where they are kept in it, and what they ask by content."""

    blob: str  # sha256 of the banks as JSON
    asked: str  # key of all questions that stay; part of every ask that puts them


def asked_key(banks: dict[str, tuple[Question, ...]]) -> str:
    """Names what is asked, by task: other words, another order or another expected answer make another key."""
    told = {
        task: [(q.id, q.text, q.dimension, q.polarity, q.expected) for q in questions]
        for task, questions in banks.items()
        if questions
    }
    return content_key("bank", told)
