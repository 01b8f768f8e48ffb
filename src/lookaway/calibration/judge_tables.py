"""What a calibration says of each of its judges: how often it is right in each ask, and whether it is biased."""

from __future__ import annotations

from collections.abc import Sequence

from lookaway.calibration.ask_grades import ask_grades, planned_asks
from lookaway.calibration.judge_checks import askings, question_checks
from lookaway.pipeline.seats import JudgeSeat
from lookaway.places import safe_text
from lookaway.records import AskGrade, JudgeTable, Plan
from lookaway.store import Run


def judge_tables(run: Run, plan: Plan) -> list[JudgeTable]:
    """One table per judge that is asked something; one that fills several roles has one."""
    seats: dict[str, list[JudgeSeat]] = {}
    for (instrument, _), asking in planned_asks(plan).items():
        seats.setdefault(instrument, []).append(asking.seat)
    grades = ask_grades(run, plan)
    return [_table(run, plan, mine, grades.get(key, [])) for key, mine in seats.items()]


def _table(run: Run, plan: Plan, seats: Sequence[JudgeSeat], asks: Sequence[AskGrade]) -> JudgeTable:
    key = seats[0].instrument.key
    question = next((asking for asking in askings(plan) if asking.seat.instrument.key == key), None)
    checks = question_checks(run, plan, question) if question is not None else None
    floors = checks.floors if checks is not None else None
    settings = {name: value for member in seats[0].members for name, value in member.settings.items()}
    return JudgeTable(
        judge=safe_text(" and ".join(dict.fromkeys(str(seat.planned) for seat in seats))),
        settings={name: safe_text(value) if isinstance(value, str) else value for name, value in settings.items()},
        suite=plan.suite,
        version=plan.suite_version,
        true_clips=checks.true_clips if checks is not None else 0,
        faulty_clips=checks.faulty_clips if checks is not None else 0,
        always_yes=floors.always_yes if floors is not None else None,
        always_no=floors.always_no if floors is not None else None,
        right=checks.right if checks is not None else None,
        checks=checks.checks if checks is not None else (),
        asks=tuple(asks),
    )
