"""A judge's grade in an ask: what it says, row by row, against what is right."""

from __future__ import annotations

from typing import Any

import pytest

from lookaway.calibration.ask_grades import Graded, Verdict, grade, verdict
from lookaway.calibration.right_answers import has_right_answer
from lookaway.judges.prompting import load, parsed
from lookaway.pipeline.planned import Asking
from lookaway.pipeline.seats import JudgeSeat, Member
from lookaway.records import Answer, Ask, Choice, PlannedJudge

SEAT = JudgeSeat(PlannedJudge(judge="oracle"), (Member("oracle", "", {}),))


def asked(prompt: str = "question") -> Asking:
    return Asking("place", Ask(prompt=prompt), load(prompt), SEAT)


def answer(**said: Any) -> Answer:
    who = {"instrument": "x", "instrument_key": "x", "ask": "", "ask_key": ""}
    return Answer.model_validate({"media": "m", "task_instance": "t", "question": "q", "status": "ok", **who, **said})


def given(*said: tuple[str, Verdict, Choice | None]) -> list[Graded]:
    return [Graded(*one) for one in said]


def test_errors_are_counted_among_those_that_say_yes_or_no() -> None:
    graded = given(
        *[(f"clip {n}", "yes", "yes") for n in range(5)],
        *(("clip 5", "yes", "no"), ("clip 6", "no", "no"), ("clip 7", "abstained", "no")),
        *(("clip 8", "invalid", "yes"), ("clip 9", "failed", "no"), ("clip 10", "yes", None)),
    )
    made = grade(asked(), graded)
    assert (made.n, made.n_yes, made.right, made.wrong, made.unknown) == (10, 6, 6, 1, 1)
    assert (made.abstained, made.invalid, made.failed) == (1, 1, 1)
    assert made.error == pytest.approx(1 / 7)
    assert made.low is not None
    assert made.high is not None
    assert made.low < 1 / 7 < made.high


def test_answers_about_one_clip_are_no_independent_evidence() -> None:
    """Twenty rows of two clips say less than twenty clips."""
    few = grade(asked(), given(*[(f"clip {n % 2}", "yes", "yes") for n in range(20)]))
    many = grade(asked(), given(*[(f"clip {n}", "yes", "yes") for n in range(20)]))
    assert (few.error, many.error) == (0.0, 0.0)
    assert (few.high or 0) > (many.high or 1)


def test_an_ask_without_a_right_answer_says_why_it_has_no_error() -> None:
    assert "never said yes or no" in grade(asked(), given(("a", "abstained", "yes"))).reason
    assert "nothing was asked that has a right answer" in grade(asked(), given(("a", "yes", None))).reason
    assert not has_right_answer(load("memobench/write_memory")), "a text that a judge is to write"
    own = parsed(
        "mine", "+++\nversion = 1\nasks = 'x'\npolarity = 'positive'\nvariant = 'sound'\nsees = []\n+++\nIs it?\n"
    )
    made = grade(Asking("place", Ask(prompt="mine"), own, SEAT), [])
    assert made.reason == "nobody knows the right answer to the prompt 'mine'"


def test_what_a_row_says_is_its_first_yes_or_no() -> None:
    frames = load("wrbench/judgeable", "sound").form
    rows = [{"id": "1", "seen": "dark", "identifiable": False, "place": True, "state": True, "seconds": 0.0}]
    assert verdict(answer(fields={"frames": rows}), frames, "1") == "no"
    questions = load("memobench/answer", "sound").form
    for word, means in (("yes", "yes"), ("no", "no"), ("cannot tell", "abstained")):
        assert verdict(answer(fields={"answers": [{"id": "there", "answer": word}]}), questions, "there") == means


def test_silence_is_told_apart() -> None:
    form = load("question").form
    assert verdict(answer(choice="no"), form) == "no"
    assert verdict(answer(choice=None), form) == "abstained", "p_yes on either side of one half"
    for status in ("abstained", "invalid", "failed"):
        assert verdict(answer(status=status), form) == status
    assert verdict(None, form) == "failed"
