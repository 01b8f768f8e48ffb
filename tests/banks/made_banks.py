"""Small banks for tests: questions by dimension, with the answers that clips got."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lookaway.records import BankedQuestion, BankStep, BankTrial, Question, QuestionBank

Said = str | None


def question(number: int = 1, dimension: str = "memory", expected: str = "yes", **changes: Any) -> Question:
    facts: dict[str, Any] = {
        "id": f"{dimension}-{number}",
        "text": f"Is {dimension} number {number} as it should be?",
        "dimension": dimension,
        "polarity": "positive" if expected == "yes" else "negative",
        "expected": expected,
    }
    return Question.model_validate(facts | changes)


def banked(
    asked: Question, truth: Said = "", failures: Sequence[Said] = (), hinted: Sequence[Said] = ()
) -> BankedQuestion:
    """A question that got these answers; an empty one was not put to the truth."""
    said = [("on_truth", "truth", truth)] if truth != "" else []
    said += [("on_failure", f"fault{n}", answer) for n, answer in enumerate(failures)]
    said += [("with_hint", f"fault{n}", answer) for n, answer in enumerate(hinted)]
    trials = [BankTrial.model_validate({"stage": s, "clip": c, "answer": a}) for s, c, a in said]
    return BankedQuestion(question=asked, trials=tuple(trials))


def bank(*questions: BankedQuestion, task: str = "a_task", **changes: Any) -> QuestionBank:
    step = BankStep(name="written", by="somebody")
    return QuestionBank(task=task, steps=(step,), questions=questions, **changes)


def plain_bank(task: str = "a_task", count: int = 2) -> QuestionBank:
    """So many questions in each dimension, every other of which expects a no."""
    asked = [
        banked(question(n, dimension, "yes" if n % 2 else "no"))
        for dimension in ("instruction", "things", "memory", "physics")
        for n in range(1, count + 1)
    ]
    return bank(*asked, task=task)
