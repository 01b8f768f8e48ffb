"""WRBench, the gate: what can be made out of the subject, frame by frame."""

from __future__ import annotations

import numpy as np

from lookaway.judges.oracle import margins
from lookaway.judges.oracle.evidence import Evidence
from lookaway.judges.oracle.known_answers import KnownAnswer, answers, inexact, no, unseen, yes
from lookaway.judges.oracle.readings import look_is_own


@answers("wrbench/judgeable", "wrbench/judgeable_rescue")
def judgeable(e: Evidence) -> list[KnownAnswer]:
    return [_row(e, row) for row in e.rows]


def _row(e: Evidence, row: int | None) -> KnownAnswer:
    if row is None:
        return unseen("the picture is blank")
    if e.out_of_sight[row]:
        return no("nothing of it can be seen", seen=_hidden_by(e, row))
    if not e.in_sight[row]:
        return inexact("a little of it can be seen", seen="in view")
    if not look_is_own(e, np.array([row])) or e.frames.copies[row] > 1:
        return inexact("one can see it, but whether it is the same thing is a matter of taste", seen="in view")
    return yes("it can be seen", seen="in view")


def _hidden_by(e: Evidence, row: int) -> str:
    if e.frames.light[row] <= margins.DARK:
        return "dark"
    return "covered" if e.frames.covered[row] > 0 else "out of the picture"
