"""What MemoBench's judges answer to a bank of questions, and the questions that they write."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Strict

from lookaway.readings.told import Told


class BankAnswer(Told):
    id: str  # of the question
    seen: str
    answer: Literal["yes", "no", "cannot tell"]


class BankAnswers(Told):
    prompts: ClassVar = (
        "memobench/answer:paper",
        "memobench/answer:sound",
        "memobench/answer_with_hint:paper",
        "memobench/answer_with_hint:sound",
    )
    answers: Annotated[tuple[BankAnswer, ...], Strict(False)]


class WrittenQuestion(Told):
    id: str
    question: str
    good_answer: Literal["yes", "no"]


class WrittenQuestions(Told):
    prompts: ClassVar = (
        "memobench/write_instruction:paper",
        "memobench/write_memory:paper",
        "memobench/write_memory:sound",
        "memobench/write_physics:paper",
        "memobench/write_things:paper",
    )
    questions: Annotated[tuple[WrittenQuestion, ...], Strict(False)]
