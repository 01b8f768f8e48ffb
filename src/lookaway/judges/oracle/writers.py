"""Texts that the oracle makes from the state log, with known polarity: questions about a video, and what to expect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import get_args

from lookaway.judges.oracle.bank_questions import changing_states, known_questions
from lookaway.judges.oracle.evidence import Evidence
from lookaway.judges.oracle.known_answers import KnownAnswer, answers
from lookaway.records import BankDimension


@answers("stevo/progress_expect", made=True)
def progress_expect(e: Evidence) -> KnownAnswer:
    """What changes and which way; with an error, the other way."""
    name, states = e.task.subjects[0].name, changing_states(e)
    if not states:
        text = f"Of {name} nothing changes."
        return KnownAnswer(
            True, text, fields={"expected_change": text}, otherwise={"expected_change": f"{name} changes."}
        )
    right, wrong = (_expected(name, states, turned) for turned in (False, True))
    return KnownAnswer(True, right, fields={"expected_change": right}, otherwise={"expected_change": wrong})


def _expected(name: str, states: Sequence[tuple[str, float, float]], turned: bool) -> str:
    ways = [f"{state} goes {'up' if (b > a) != turned else 'down'}" for state, a, b in states]
    return f"Of {name}, {', '.join(ways)}, until the end."


def written(dimension: BankDimension, e: Evidence) -> list[KnownAnswer]:
    """The six questions of a dimension, each with the answer that speaks for the video."""
    return [
        KnownAnswer(one.good, one.text, fields={"question": one.text}, otherwise={"question": one.text})
        for one in known_questions(e)[dimension]
    ]


for each in get_args(BankDimension):
    answers(f"memobench/write_{each}", made=True)(partial(written, each))
