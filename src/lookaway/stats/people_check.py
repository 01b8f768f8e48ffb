"""Do people answer a bank's questions on true clips as expected? By majorities, and by single answers: both are told,
because a share of one can be impossible for the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lookaway.errors import UsageError
from lookaway.outcomes import Abstain
from lookaway.records import Choice
from lookaway.stats.agreement import Agreement, agreement
from lookaway.stats.raters import majority


class PersonAnswer(NamedTuple):
    question: str
    rater: str
    answer: Choice


class PeopleCheck(NamedTuple):
    """Agreement with the expected answers; a question on which as many say yes as no has no majority."""

    by_majority: Agreement | Abstain
    questions: int  # with a majority
    ties: int
    by_answer: Agreement | Abstain
    answers: int


def people_check(
    answers: Sequence[PersonAnswer], expected: Mapping[str, Choice], scenes: Mapping[str, str]
) -> PeopleCheck:
    """Both definitions over the same answers; `scenes` gives the scene of each question, over which intervals are.

    Three say yes, yes, no where yes is expected: majorities agree in 1 of 1, single answers in 2 of 3.
    """
    given = [(one.question, one.rater) for one in answers]
    if len(set(given)) < len(given):
        raise UsageError("somebody answers a question twice")
    if strangers := sorted({one.question for one in answers} - expected.keys()):
        raise UsageError(f"question '{strangers[0]}' has no expected answer")
    asked, raters = (sorted({one[part] for one in answers}) for part in (0, 1))
    people = np.full((len(raters), len(asked)), np.nan)
    for one in answers:
        people[raters.index(one.rater), asked.index(one.question)] = one.answer == "yes"
    most = majority(people)
    decided = [(question, yes == 1) for question, yes in zip(asked, most, strict=True) if not np.isnan(yes)]
    return PeopleCheck(
        by_majority=_agreement(decided, expected, scenes),
        questions=len(decided),
        ties=len(asked) - len(decided),
        by_answer=_agreement([(one.question, one.answer == "yes") for one in answers], expected, scenes),
        answers=len(answers),
    )


def _agreement(
    said: Sequence[tuple[str, bool]], expected: Mapping[str, Choice], scenes: Mapping[str, str]
) -> Agreement | Abstain:
    told = np.array([yes for _, yes in said], float)
    right = np.array([expected[question] == "yes" for question, _ in said], float)
    return agreement(told, right, np.array([scenes[question] for question, _ in said]))
