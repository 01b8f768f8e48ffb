"""Texts that the oracle makes from the state log, with known polarity: questions about a video, and what to expect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lookaway.judges.oracle.evidence import Evidence
from lookaway.judges.oracle.known_answers import KnownAnswer, answers

Asked = tuple[str, bool]  # a question, and whether yes speaks for the video


def course(e: Evidence) -> list[tuple[str, float, float]]:
    """Name of every state that changes, and its first and last value."""
    first, last = e.clip.due_state[0], e.clip.due_state[-1]
    moved = np.ptp(e.clip.due_state, axis=0) > 0
    listed = zip(e.state_names, first, last, moved, strict=True)
    return [(name.replace("_", " "), float(a), float(b)) for name, a, b, changes in listed if changes]


@answers("stevo/progress_expect", made=True)
def progress_expect(e: Evidence) -> KnownAnswer:
    """What changes and which way; with an error, the other way."""
    name, states = e.task.subjects[0].name, course(e)
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


@answers("memobench/write_memory", made=True)
def write_memory(e: Evidence) -> list[KnownAnswer]:
    name = e.task.subjects[0].name
    return _rows(
        (f"Can one see {name} at the end?", True),
        (f"Is it the same {_bare(name)} at the end as at the start?", True),
        (f"Is there one of {name} only, whenever it is in sight?", True),
        (f"Is {name} gone for good?", False),
        (f"Are there two of {name} at any time?", False),
        (f"Does {name} look as if time had gone backwards while it was out of sight?", False),
    )


@answers("memobench/write_things", made=True)
def write_things(e: Evidence) -> list[KnownAnswer]:
    name = e.task.subjects[0].name
    return _rows(
        (f"Does {name} keep its colour?", True),
        ("Are the surroundings the same at the start and at the end?", True),
        ("Do fixed things keep their places among each other?", True),
        (f"Does {name} turn into another thing?", False),
        ("Is the scene another one at the end?", False),
        ("Do walls, ground or furniture bend?", False),
    )


@answers("memobench/write_physics", made=True)
def write_physics(e: Evidence) -> list[KnownAnswer]:
    name = e.task.subjects[0].name
    return _rows(
        (f"Does {name} keep its size?", True),
        ("Does everything heavy rest on something?", True),
        (f"Does {name} cast its shadow where the light has it?", True),
        (f"Does {name} sink into what carries it?", False),
        (f"Can one see through {name}?", False),
        (f"Does {name} jump from one place to another in full sight?", False),
    )


@answers("memobench/write_instruction", made=True)
def write_instruction(e: Evidence) -> list[KnownAnswer]:
    name, states = e.task.subjects[0].name, course(e)
    state = states[0][0] if states else "state"
    return _rows(
        ("Does the camera end where it began?", True),
        (f"Does the {state} of {name} change?", bool(states)),
        (f"Is {name} in sight at the beginning?", True),
        (f"Does the {state} of {name} stay as it was all the time?", not states),
        ("Does the picture jump?", False),
        (f"Does {name} go along with the camera?", False),
    )


def _bare(name: str) -> str:
    return name.removeprefix("a ").removeprefix("an ")


def _rows(*asked: Asked) -> list[KnownAnswer]:
    return [KnownAnswer(good, text, fields={"question": text}, otherwise={"question": text}) for text, good in asked]
