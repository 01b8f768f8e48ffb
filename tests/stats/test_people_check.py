"""People against a bank's expected answers: by majority and by single answers, which are two numbers."""

from __future__ import annotations

from typing import Literal

import pytest

from lookaway.errors import UsageError
from lookaway.records import Choice
from lookaway.stats.agreement import Agreement
from lookaway.stats.intervals import Estimate
from lookaway.stats.people_check import PeopleCheck, PersonAnswer, people_check
from lookaway.stats.possible_counts import possible_counts


def said(question: str, answers: str) -> list[PersonAnswer]:
    """One answer per letter, y or n, each of another person."""
    return [PersonAnswer(question, f"r{n}", "yes" if one == "y" else "no") for n, one in enumerate(answers)]


def share(found: PeopleCheck, of: Literal["by_majority", "by_answer"]) -> float:
    told = getattr(found, of)
    assert isinstance(told, Agreement)
    return told.share.value


def test_majorities_and_single_answers_are_two_shares() -> None:
    answers = [*said("a", "yyn"), *said("b", "nny"), *said("c", "yny")]
    found = people_check(answers, {"a": "yes", "b": "no", "c": "no"}, {"a": "s", "b": "s", "c": "t"})
    assert (found.questions, found.ties, found.answers) == (3, 0, 9)
    assert share(found, "by_majority") == pytest.approx(2 / 3)
    assert share(found, "by_answer") == pytest.approx(5 / 9)


def test_a_tie_has_no_majority_and_its_answers_still_count() -> None:
    found = people_check([*said("a", "yn"), *said("b", "y")], {"a": "yes", "b": "yes"}, {"a": "s", "b": "s"})
    assert (found.questions, found.ties, found.answers) == (1, 1, 3)
    assert share(found, "by_answer") == pytest.approx(2 / 3)


def test_the_papers_share_fits_single_answers_and_no_majority_of_its_questions() -> None:
    """96 questions, 30 responses of 24 each: 92.9 % is 669 of 720 answers, and no number of 96 questions."""
    possible = possible_counts([92.9], most=720)
    assert 96 not in possible
    assert 720 in possible
    questions = [f"q{n}" for n in range(24)]
    expected: dict[str, Choice] = {q: "yes" if n % 2 else "no" for n, q in enumerate(questions)}
    answers = [PersonAnswer(q, f"r{rater}", expected[q]) for rater in range(30) for q in questions]
    turned: dict[Choice, Choice] = {"yes": "no", "no": "yes"}
    answers[:51] = [one._replace(answer=turned[one.answer]) for one in answers[:51]]
    found = people_check(answers, expected, dict.fromkeys(questions, "s"))
    assert round(share(found, "by_answer"), 3) == 0.929
    assert isinstance(found.by_answer, Agreement)
    assert isinstance(found.by_answer.kappa, Estimate)
    assert found.by_answer.kappa.value == pytest.approx(0.858, abs=0.001)
    assert share(found, "by_majority") == 1.0


def test_two_answers_of_one_person_and_questions_unheard_of_are_refused() -> None:
    with pytest.raises(UsageError, match="twice"):
        people_check(said("a", "y") * 2, {"a": "yes"}, {"a": "s"})
    with pytest.raises(UsageError, match="no expected answer"):
        people_check(said("b", "y"), {"a": "yes"}, {"a": "s"})
