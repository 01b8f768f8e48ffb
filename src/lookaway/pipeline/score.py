"""Stage `score`: gates, then metrics, over what was seen. No pixels, no clocks; seconds for a whole run."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lookaway.gates import GATES
from lookaway.metrics import METRICS, Metric, rounds_of
from lookaway.outcomes import Abstain, Gated, Measured, NotApplicable
from lookaway.pipeline.due import Unanswered, asked_sheets, opened, possible
from lookaway.pipeline.framing import watched_truth
from lookaway.pipeline.obstacles import obstacle
from lookaway.pipeline.planned import PlannedScore, planned_scores
from lookaway.pipeline.plans import planned_metrics
from lookaway.pipeline.sheets import Sheet, case_of, readable
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.readings import Case
from lookaway.records import Answer, Plan, Score, content_key
from lookaway.registry import Plugin
from lookaway.store import Run


@dataclass(frozen=True)
class Scoring:
    """What one clip's scores are made from; picklable."""

    sheet: Sheet
    said: Mapping[str, Answer]  # by key of the item
    readings: Mapping[str, PlannedScore]  # by score key


def jobs(run: Run, plan: Plan) -> list[Job]:
    readings = planned_scores(plan)
    asks = any(reading.askings for reading in readings)
    answers = run.latest("answers", Answer) if asks else {}
    found = []
    for sheet in asked_sheets(run, plan, readings):
        mine = {
            reading.key(sheet.clip): reading
            for planned in readings
            for number in rounds_of(METRICS.get(planned.metric), sheet.task)
            for reading in [replace(planned, round=number)]
        }
        found.append(_job(sheet, mine, answers))
    return found


def _job(sheet: Sheet, mine: Mapping[str, PlannedScore], answers: Mapping[str, Answer]) -> Job:
    """The scores of a clip; their inputs are all that they depend on, so that any change scores them again."""
    clip = sheet.clip
    about = {key: _answers(sheet, reading, answers) for key, reading in mine.items() if reading.askings}
    more = [*filter(None, [clip.asked]), *watched_truth(clip, sheet.reference)]
    given = content_key(clip.video, clip.status, clip.reason, clip.fit, clip.pace, sheet.task, *more)
    expects = {}
    for key, reading in mine.items():
        looked = [(name, sheet.observations.get(name)) for name in reading.lookers]
        asked = [sheet.bank.questions, about[key]] if reading.askings else []
        gates = [(name, GATES.get(name).version) for name in reading.function.gates]
        expects[key] = content_key(given, looked, asked, gates)
    said = {key: answer for of in about.values() for key, answer in of.items()}
    return Job(str(clip.case), clip.case.task, Scoring(sheet, said, mine), expects)


def _answers(sheet: Sheet, reading: PlannedScore, answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """All that the reading's judges have answered about the clip, by key."""
    items = possible([reading], sheet)
    return {key: answers[key] for key in items if key in answers}


def work(run: Run, job: Job) -> list[Entry]:
    scoring: Scoring = job.payload
    sheet = readable(run, scoring.sheet)
    case = attempt(case_of, run, sheet)
    entries = []
    for key, reading in scoring.readings.items():
        if key in job.todo:
            score, repeats = _score(scoring, sheet, case, reading)
            entries.append(Entry(key, score, repeats=repeats))
    return entries


def _score(scoring: Scoring, sheet: Sheet, case: Case | Failure, reading: PlannedScore) -> tuple[Score, bool]:
    """A reading of the clip, and whether it failed because its clip, an observation or an answer did."""
    metric = reading.function
    score = functools.partial(
        Score,
        **dict(sheet.clip.case),
        round=reading.round,
        protocol=reading.protocol,
        metric=metric.name,
        variant=metric.variant,
        version=metric.version,
        instrument=reading.instrument,
        instrument_key=reading.instrument_key,
        ask=reading.ask,
        ask_key=reading.ask_key,
        phase_source=metric.phase_source,
        subject=sheet.task.subject.name if sheet.task.subject is not None else "",
        evidence=_evidence_of(sheet, reading.lookers),
    )
    if isinstance(case, Failure):
        return score(**_without_number(case)), False
    made = score(**_verdict(scoring, sheet, case, reading))
    return made, made.status == "failed" and "failed" in _statuses(scoring, reading)


def _statuses(scoring: Scoring, reading: PlannedScore) -> list[str]:
    """Of all that a reading is made from, as it was recorded."""
    seen = scoring.sheet.observations
    looked = [seen[name].status for name in reading.lookers if name in seen]
    said = [answer.status for answer in _answers(scoring.sheet, reading, scoring.said).values()]
    return [scoring.sheet.clip.status, *looked, *said]


def _evidence_of(sheet: Sheet, lookers: tuple[str, ...]) -> tuple[str, ...]:
    """The arrays a score is read from, in the order in which its metric names its observers."""
    looked = (sheet.observations.get(name) for name in lookers)
    return tuple(o.arrays for o in looked if o is not None and o.arrays is not None)


def _verdict(scoring: Scoring, sheet: Sheet, case: Case, reading: PlannedScore) -> dict[str, Any]:
    """Status, value, gate and reason: the first obstacle on the way to a number, or the number."""
    metric = reading.function
    if (wall := obstacle(sheet, case, metric, reading.lookers)) is not None:
        return {"status": wall.status, "reason": wall.reason}
    ready = opened(reading, sheet, case, scoring.said)
    if isinstance(ready, Gated):
        return {"status": "gated", "gate": ready.kind, "reason": ready.reason}
    if isinstance(ready, Unanswered):
        missing = ready.items[0].name
        return {"status": "failed", "reason": f"question {missing}: never asked; run: lookaway stage judge"}
    value = ready if not isinstance(ready, Case) else attempt(metric.function, ready)
    if isinstance(value, Abstain | NotApplicable | Failure):
        return _without_number(value)
    measured = value if isinstance(value, Measured) else Measured(value)
    for number in (measured.value, *measured.bounds):
        if wrong := _not_a_value(number, metric):
            return {"status": "failed", "reason": wrong}
    if measured.low is None or measured.high is None:
        return {"status": "ok", "value": float(measured.value)}
    if not measured.low <= measured.value <= measured.high:
        return {"status": "failed", "reason": f"{metric.name} lies outside of the bounds it gives: {measured}"}
    return {"status": "ok", "value": measured.value, "low": float(measured.low), "high": float(measured.high)}


def _not_a_value(value: Any, metric: Metric) -> str:
    """Why something a metric returned is no score, or nothing."""
    if not isinstance(value, float | int | np.floating | np.integer | np.bool_):
        return f"{metric.name} returned {type(value).__name__}; a metric returns a number or an Abstain"
    if not abs(float(value)) < float("inf"):
        return f"{metric.name} returned {value}; a metric returns a number or an Abstain"
    if metric.range is not None and not metric.range[0] <= value <= metric.range[1]:
        return f"{metric.name} returned {value}, outside of its range {metric.range[0]:g} to {metric.range[1]:g}"
    return ""


def _without_number(why: Abstain | NotApplicable | Failure) -> dict[str, Any]:
    statuses = {Abstain: "abstained", NotApplicable: "not_applicable", Failure: "failed"}
    return {"status": statuses[type(why)], "reason": why.reason or "no reason given"}


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    metrics = [metric for _, metric in planned_metrics(plan)]
    gates = sorted({name for metric in metrics for name in metric.gates})
    return [*(("metric", metric) for metric in metrics), *(("gate", GATES.get(name)) for name in gates)]


STAGE = Stage("score", "scores", jobs, work, plugins)
