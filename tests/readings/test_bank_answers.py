"""Answers to a bank: matched by id, never passed without an answer."""

from __future__ import annotations

from typing import Any

import pytest

from lookaway.errors import ReadingError
from lookaway.metrics import METRICS, Case
from lookaway.outcomes import Abstain, Measured, NotApplicable
from lookaway.readings.bank_answers import answered_questions
from lookaway.readings.told.memobench import BankAnswers
from lookaway.records import Answer, Question
from tests.banks.made_banks import question
from tests.builders import task
from tests.metrics.judged_cases import answer

ASKED = (
    question(1, "memory", "yes"),
    question(2, "memory", "no"),
    question(1, "physics", "yes"),
    question(3, "memory", "no"),
)
WORDS = {"y": "yes", "n": "no", "?": "cannot tell"}


def told(letters: str) -> Answer:
    rows = [{"id": str(n), "seen": "it", "answer": WORDS[one]} for n, one in enumerate(letters, 1)]
    return answer(estimator="structured", fields={"answers": rows})


def case(said: Answer, asked: tuple[Question, ...] = ASKED) -> Case:
    return Case(task(), None, {}, {f"answer:{v}": {"memobench/answer": said} for v in ("paper", "sound")}, asked)


def rate(letters: str, dimension: str = "memory", variant: str = "sound") -> Any:
    return METRICS.get(f"vqa_{dimension}:{variant}").function(case(told(letters)))


def test_a_pass_is_the_expected_answer_by_the_questions_own_polarity() -> None:
    assert rate("ynyn") == 1.0
    assert rate("yyyy") == pytest.approx(1 / 3), "always yes passes what expects a yes"
    assert rate("nnnn") == pytest.approx(2 / 3)
    assert (rate("ynyn", "physics"), rate("ynnn", "physics")) == (1.0, 0.0)
    assert rate("ynyn", variant="paper") == 1.0


def test_what_nobody_can_tell_is_not_passed_and_bounds_say_so() -> None:
    found = rate("y?y?")
    assert isinstance(found, Measured)
    assert (found.value, found.low, found.high) == (pytest.approx(1 / 3), pytest.approx(1 / 3), 1.0)
    assert rate("????").value == 0.0


def test_a_bank_without_the_dimension_and_a_judge_without_answer_give_no_number() -> None:
    assert rate("ynyn", "things") == NotApplicable("the bank has no question on things")
    silent = answer(status="invalid", reason="answers has 3 rows, not 4")
    found = METRICS.get("vqa_memory:sound").function(case(silent))
    assert found == Abstain("answer:sound: answers has 3 rows, not 4")


def test_a_missing_row_is_unanswered_and_strange_or_doubled_rows_are_refused() -> None:
    readable = BankAnswers.read(told("yny"))
    assert [one.passed for one in answered_questions(ASKED, readable)] == [True, True, True, None]
    with pytest.raises(ReadingError, match="id '5', and there are 4 questions"):
        answered_questions(ASKED, BankAnswers.read(told("ynyny")))
    with pytest.raises(ReadingError, match="same id"):
        answered_questions(ASKED, BankAnswers(answers=(*readable.answers, readable.answers[0])))
