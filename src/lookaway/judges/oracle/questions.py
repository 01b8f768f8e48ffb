"""The tasks' own questions: one by one, turned round, or all in rows."""

from __future__ import annotations

import numpy as np

from lookaway.judges.oracle import margins
from lookaway.judges.oracle.bank_questions import known_question, there
from lookaway.judges.oracle.evidence import Evidence
from lookaway.judges.oracle.known_answers import KnownAnswer, answers, inexact, no, unseen, yes
from lookaway.judges.oracle.readings import (
    doubled,
    faultless,
    from_end,
    from_start,
    look_is_own,
    nothing_happens,
)
from lookaway.judges.oracle.wrbench_place import displaced
from lookaway.records import Question


@answers("question")
def question(e: Evidence) -> KnownAnswer:
    (asked,) = e.questions
    return answer(e, asked)


@answers("opposite")
def opposite(e: Evidence) -> KnownAnswer:
    return question(e).negated()


@answers("memobench/answer", "memobench/answer_with_hint")
def rows(e: Evidence) -> list[KnownAnswer]:
    return [answer(e, asked) for asked in e.questions]


@answers("pair")
def pair(first: Evidence, second: Evidence) -> KnownAnswer:
    """Does the first keep to the description better? Only between a clip that shows the truth and one that does not."""
    if not len(first.clear) or not len(second.clear):
        return unseen()
    if faultless(first) == faultless(second):
        return inexact("both are right, or both are wrong")
    return yes("the first shows the truth") if faultless(first) else no("the second shows the truth")


def answer(e: Evidence, asked: Question) -> KnownAnswer:
    """A question of the known world by its id, one that the oracle writes by its words; another's answer is known where
    the clip shows the truth."""
    if (known := known_question(e, asked.text)) is not None:
        return known.answer(e)
    if asked.id == "there":
        return there(e)
    if e.last is None:
        return unseen("how the video ends is not shown")
    if not e.in_sight[e.last]:
        return unseen("the subject is not to be seen at the end")
    if faultless(e):
        return KnownAnswer(asked.expected == "yes", "the video shows the truth")
    if asked.id == "ended":
        return _ended(e, e.last)
    if asked.id == "as_before":
        return _ended(e, e.last).negated()
    return inexact("what the question is after is not known")


def _ended(e: Evidence, last: int) -> KnownAnswer:
    """Has it come to its end state, and left that of the beginning?"""
    at = np.array([last])
    if doubled(e, at) or displaced(e, at) or not look_is_own(e, at):
        return inexact("it is not as it was, so that the question may be read in two ways")
    end, start = float(from_end(e, at)[0]), float(from_start(e, at)[0])
    if nothing_happens(e) and start == 0:
        return no("it stays as it was")
    if end <= margins.ENDED < start:
        return yes("it is as at the true end")
    if start <= margins.ENDED and end >= margins.HALF_WAY:
        return no("it is as at the start")
    return inexact("it is on the way")
