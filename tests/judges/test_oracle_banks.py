"""What is right of the questions that the oracle writes: the truth passes each, the fault that it is after fails it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lookaway.judges.oracle.bank_questions import KnownQuestion, known_question, known_questions
from lookaway.judges.oracle.questions import answer
from lookaway.records import BankDimension, Question
from tests.judges.known_clips import BACK, SECONDS, evidence, facts
from tests.judges.test_oracle import TELLINGS

MORE: dict[str, dict[str, Any]] = {
    "larger": {"stretch": np.where(BACK, 0.5, 0.0)},
    "sunk": {"off_widths": np.where(BACK, 0.1, 0.0), "lifted_m": np.where(BACK, -0.3, 0.0)},
    "turned away for good": {"turn_deg": np.minimum(SECONDS, 1.5) * 50},
}
TOLD = TELLINGS | MORE
FAILED_BY: dict[tuple[BankDimension, int], str] = {  # the number of a question, and what fails it
    ("instruction", 1): "turned away for good",
    ("instruction", 2): "never begun",
    ("instruction", 4): "never begun",
    ("things", 1): "recoloured",
    ("things", 2): "other room",
    ("things", 3): "bent",
    ("things", 5): "other room",
    ("things", 6): "bent",
    ("memory", 1): "gone",
    ("memory", 2): "recoloured",
    ("memory", 3): "twice",
    ("memory", 4): "gone",
    ("memory", 5): "twice",
    ("memory", 6): "set back",
    ("physics", 1): "larger",
    ("physics", 2): "in the air",
    ("physics", 4): "sunk",
}
EVERY_QUESTION: list[tuple[BankDimension, int]] = [
    (dimension, number) for dimension in known_questions(evidence()) for number in range(1, 7)
]


def asked(dimension: BankDimension, number: int) -> KnownQuestion:
    return known_questions(evidence())[dimension][number - 1]


@pytest.mark.parametrize(("dimension", "number"), EVERY_QUESTION)
def test_the_truth_passes_every_question(dimension: BankDimension, number: int) -> None:
    one = asked(dimension, number)
    assert one.answer(evidence()).says is one.good


@pytest.mark.parametrize(("dimension", "number"), FAILED_BY)
def test_the_fault_that_a_question_is_after_fails_it(dimension: BankDimension, number: int) -> None:
    one = asked(dimension, number)
    telling = facts(**TOLD[FAILED_BY[dimension, number]])
    assert one.answer(evidence(telling)).says is (not one.good)


@pytest.mark.parametrize("telling", TOLD)
def test_a_question_and_its_opposite_are_never_both_passed_or_both_failed(telling: str) -> None:
    e = evidence(facts(**TOLD[telling]))
    pairs: list[tuple[BankDimension, int, int]] = [("instruction", 2, 4), ("memory", 1, 4), ("memory", 3, 5)]
    for dimension, first, second in pairs:
        said = [asked(dimension, number).answer(e).says for number in (first, second)]
        assert said in ([True, False], [False, True], [None, None])


@pytest.mark.parametrize(("dimension", "number"), EVERY_QUESTION)
def test_without_frames_nobody_can_tell(dimension: BankDimension, number: int) -> None:
    found = asked(dimension, number).answer(evidence(rows=(None,) * 4))
    assert (found.says, found.seen) == (None, False)


def test_it_is_known_by_its_words_whatever_it_is_called() -> None:
    one = asked("memory", 1)
    gone = evidence(facts(**TOLD["gone"]))
    facts_of = {"dimension": "memory", "polarity": "positive", "expected": "yes"}
    assert answer(gone, Question.model_validate({"id": "x", "text": one.text, **facts_of})).says is False
    assert known_question(gone, "Is anything else the case?") is None
    assert answer(gone, Question.model_validate({"id": "x", "text": "Is it?", **facts_of})).says is None
