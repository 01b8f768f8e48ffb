"""How well a judge did in an exam, kind by kind: what it notices, and what it notices that is not there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lookaway.records import (
    EXAM_KINDS,
    ExamAnswer,
    ExamItem,
    ExamKind,
    ExamPaper,
    ExamRow,
    OperatingPoint,
    Passport,
    Rate,
)
from lookaway.stats.intervals import scene_rate

Given = tuple[ExamItem, ExamAnswer]


def operating_point(passport: Passport, paper: ExamPaper) -> OperatingPoint:
    items = {item.id: item for item in paper.items}
    given = [(items[answer.item], answer) for answer in passport.answers]
    answered = [(item, answer) for item, answer in given if answer.choice is not None]
    expected_yes = float(np.mean([item.expected == "yes" for item in paper.items]))
    return OperatingPoint(
        instrument=passport.instrument.label,
        exam=passport.exam,
        fingerprint=passport.fingerprint,
        right=rate(answered, lambda item, answer: answer.choice == item.expected),
        yes=rate(answered, lambda item, answer: answer.choice == "yes"),
        expected_yes=expected_yes,
        always_yes=expected_yes,
        always_no=1 - expected_yes,
        unanswered=len(given) - len(answered),
        rows=tuple(_row(kind, given) for kind in EXAM_KINDS),
    )


def _row(kind: ExamKind, given: Sequence[Given]) -> ExamRow:
    mine = [(item, answer) for item, answer in given if item.kind == kind]
    return ExamRow(
        kind=kind,
        hits=rate([one for one in mine if one[0].alarm], lambda item, answer: answer.choice == item.expected),
        false_alarms=rate(
            [one for one in mine if not one[0].alarm], lambda item, answer: answer.choice not in (item.expected, None)
        ),
    )


def rate(given: Sequence[Given], holds: Callable[[ExamItem, ExamAnswer], bool]) -> Rate:
    """Share for which it holds, with an interval over worlds: answers about one world are not independent."""
    if not given:
        return Rate(reason="nothing of the kind is asked")
    scenes, place = np.unique([item.scene for item, _ in given], return_inverse=True)
    held = np.array([holds(item, answer) for item, answer in given], np.float64)
    counts = np.bincount(place, minlength=len(scenes)).astype(np.float64)
    found = scene_rate(np.bincount(place, held, len(scenes)).astype(np.float64), counts)
    reason = "" if found.low is not None else found.method
    return Rate(value=found.value, low=found.low, high=found.high, n=len(given), reason=reason)
