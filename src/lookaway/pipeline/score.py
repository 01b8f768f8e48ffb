"""Stage `score`: gates, then metrics, over what was seen. No pixels, no clocks; seconds for a whole run."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookaway.errors import BlobError
from lookaway.gates import GATES
from lookaway.judges.prompting import load as load_prompt
from lookaway.metrics import METRICS, Case, Metric, rounds_of
from lookaway.outcomes import Abstain, Gated, Measured, NotApplicable
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.framing import shown_task, shown_truth
from lookaway.pipeline.instruments import observer_instrument
from lookaway.pipeline.observe import observation_key
from lookaway.pipeline.plans import planned_metrics
from lookaway.pipeline.questions import QUESTION, Item, Way, answer_inputs, answer_key, question_item, ways_of
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_banks, built_references, built_tasks
from lookaway.records import (
    Answer,
    Bank,
    Clip,
    Instrument,
    Observation,
    Plan,
    Reference,
    Score,
    Task,
    content_key,
    together,
)
from lookaway.registry import Plugin
from lookaway.store import Run


@dataclass(frozen=True)
class Reading:
    """One number to make: a metric as a protocol reads it, from what these instruments saw and this judge answered."""

    protocol: str
    metric: str  # name:variant
    version: int  # of the metric
    lookers: tuple[str, ...]  # observers
    instrument: str  # label of them and the judge together; none where nobody has to look
    instrument_key: str
    way: Way | None = None  # to the judge, where one is asked
    ask: str = ""  # label of what it is asked
    ask_key: str = ""
    round: int = 1

    def key(self, clip: Clip) -> str:
        who = (self.instrument_key, self.ask_key)
        return content_key("score", str(clip.case), self.protocol, self.metric, self.version, self.round, *who)


@dataclass(frozen=True)
class Sheet:
    """Everything one clip's scores are made from; picklable."""

    clip: Clip
    task: Task
    reference: Reference | None
    bank: Bank
    observations: Mapping[str, Observation]
    answers: Mapping[str, Answer]  # by answer_key
    readings: Mapping[str, Reading]  # by score key


def planned_readings(plan: Plan) -> list[Reading]:
    """What is measured of every clip, in its first round."""
    chosen = {protocol.name: protocol.observers for protocol in plan.protocols}
    ways = ways_of(plan) if plan.judges else []
    found = []
    for protocol, metric in planned_metrics(plan):
        lookers = metric.looks_with(chosen[protocol])
        saw = [observer_instrument(plan, name) for name in lookers]
        plain = functools.partial(Reading, protocol, str(metric.ref), metric.version, lookers)
        if not metric.needs_answers:
            found.append(plain(*_named(together(saw))))
        for way in ways if metric.needs_answers else ():
            ask = way.ask_of(Item(QUESTION, load_prompt(QUESTION)))
            found.append(plain(*_named(together([*saw, way.instrument])), way, ask.label, ask.key))
    return found


def _named(looked: Instrument | None) -> tuple[str, str]:
    return ("none", "") if looked is None else (looked.label, looked.key)


def jobs(run: Run, plan: Plan) -> list[Job]:
    tasks, references, banks = built_tasks(run, plan), built_references(run), built_banks(run)
    observations = run.latest("observations", Observation)
    answers = run.latest("answers", Answer) if plan.judges else {}
    readings = planned_readings(plan)
    lookers = {name: observer_instrument(plan, name) for reading in readings for name in reading.lookers}
    found = []
    for clip in current_clips(run, plan):
        task = tasks[clip.case.task]
        bank = banks.get(task.id, Bank(task=task.id))
        seen = _seen(clip, task, lookers, observations)
        mine = {
            reading.key(clip): reading
            for planned in readings
            for number in rounds_of(METRICS.get(planned.metric), task)
            for reading in [replace(planned, round=number)]
        }
        said = _said(clip, task, bank, mine.values(), answers)
        given = content_key(clip.video, clip.status, clip.reason, clip.fit, clip.pace, task)
        expects = {key: _inputs(given, clip, task, bank, reading, seen, said) for key, reading in mine.items()}
        sheet = Sheet(clip, task, references.get(task.instance), bank, seen, said, mine)
        found.append(Job(str(clip.case), clip.case.task, sheet, expects))
    return found


def _seen(
    clip: Clip, task: Task, lookers: Mapping[str, Instrument], observations: Mapping[str, Observation]
) -> dict[str, Observation]:
    if clip.video is None:
        return {}
    keys = {name: observation_key(clip.video, task.instance, looker) for name, looker in lookers.items()}
    return {name: observations[key] for name, key in keys.items() if key in observations}


def _said(
    clip: Clip, task: Task, bank: Bank, readings: Iterable[Reading], answers: Mapping[str, Answer]
) -> dict[str, Answer]:
    ways = [reading.way for reading in readings if reading.way is not None]
    keys = [key for way in ways for key in _answer_keys(clip, task, bank, way).values()]
    return {key: answers[key] for key in keys if key in answers}


def _answer_keys(clip: Clip, task: Task, bank: Bank, way: Way) -> dict[str, str]:
    """Where the answer to each question of the task is kept."""
    return {q.id: answer_key(clip.video or "", task.instance, question_item(q), way) for q in bank.questions}


def _inputs(
    given: str,
    clip: Clip,
    task: Task,
    bank: Bank,
    reading: Reading,
    seen: Mapping[str, Observation],
    said: Mapping[str, Answer],
) -> str:
    """Hash of all a score depends on, so that any change upstream scores it again."""
    looked = [(name, seen.get(name)) for name in reading.lookers]
    asked = []
    if reading.way is not None:
        keys = _answer_keys(clip, task, bank, reading.way)
        asked = [(q, answer_inputs(reading.way, question_item(q)), said.get(keys[q.id])) for q in bank.questions]
    gates = [(name, GATES.get(name).version) for name in METRICS.get(reading.metric).gates]
    return content_key(given, looked, asked, gates)


def work(run: Run, job: Job) -> list[Entry]:
    sheet = _readable(run, job.payload)
    case = attempt(_case, run, sheet)
    entries = []
    for key, reading in sheet.readings.items():
        if key in job.todo:
            score = _score(sheet, case, reading)
            entries.append(Entry(key, score, repeats=_repeats(score, job.payload, reading)))
    return entries


def _repeats(score: Score, sheet: Sheet, reading: Reading) -> bool:
    """Whether a score failed because its clip, an observation or an answer did."""
    looked = [sheet.observations[name].status for name in reading.lookers if name in sheet.observations]
    said = [answer.status for answer in _answers(sheet, reading).values()]
    return score.status == "failed" and "failed" in (sheet.clip.status, *looked, *said)


def _answers(sheet: Sheet, reading: Reading) -> dict[str, Answer]:
    """What this reading's judge answered, by question."""
    if reading.way is None:
        return {}
    keys = _answer_keys(sheet.clip, sheet.task, sheet.bank, reading.way)
    return {question: sheet.answers[key] for question, key in keys.items() if key in sheet.answers}


def _readable(run: Run, sheet: Sheet) -> Sheet:
    """The sheet, where an observation whose arrays are gone or damaged is a failed one: it costs only who needs it."""
    return replace(sheet, observations={name: _with_arrays(run, seen) for name, seen in sheet.observations.items()})


def _with_arrays(run: Run, seen: Observation) -> Observation:
    try:
        if seen.arrays is not None:
            run.blobs.path(seen.arrays)
        return seen
    except BlobError as error:
        return seen.model_copy(update={"status": "failed", "reason": str(error), "arrays": None})


def _case(run: Run, sheet: Sheet) -> Case:
    seen: dict[str, Mapping[str, NDArray[Any]]] = {}
    for name, observation in sheet.observations.items():
        if observation.arrays is not None:
            seen[name] = _read_only(run.blobs.path(observation.arrays))
    known = shown_truth(sheet.reference, sheet.clip, run.blobs.root)
    shown = shown_task(sheet.task, sheet.clip, known)
    return Case(shown, known, MappingProxyType(seen), {}, sheet.bank.questions)


def _read_only(path: Path) -> Mapping[str, NDArray[Any]]:
    """Arrays that no metric can change under the next one's feet."""
    with np.load(path) as loaded:
        arrays = dict(loaded)
    for array in arrays.values():
        array.setflags(write=False)
    return MappingProxyType(arrays)


def _score(sheet: Sheet, case: Case | Failure, reading: Reading) -> Score:
    metric = METRICS.get(reading.metric)
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
        subject=sheet.task.subjects[0].name,
        evidence=_evidence_of(sheet, reading.lookers),
    )
    if isinstance(case, Failure):
        return score(**_without_number(case))
    seen = {name: arrays for name, arrays in case.seen.items() if name in reading.lookers}
    mine = replace(case, seen=MappingProxyType(seen), answers=_answers(sheet, reading), round=reading.round)
    return score(**_verdict(sheet, mine, metric, reading))


def _evidence_of(sheet: Sheet, lookers: tuple[str, ...]) -> tuple[str, ...]:
    """The arrays a score is read from, in the order in which its metric names its observers."""
    looked = (sheet.observations.get(name) for name in lookers)
    return tuple(o.arrays for o in looked if o is not None and o.arrays is not None)


def _verdict(sheet: Sheet, case: Case, metric: Metric, reading: Reading) -> dict[str, Any]:
    """Status, value, gate and reason: the first obstacle on the way to a number, or the number."""
    obstacle = _obstacle(sheet, case, metric, reading)
    if obstacle is not None:
        return obstacle
    for name in metric.gates:
        closed = attempt(GATES.get(name), case)
        if isinstance(closed, Gated):
            return {"status": "gated", "gate": closed.kind, "reason": closed.reason}
        if closed is not None:
            return _without_number(closed)
    value = attempt(metric.function, case)
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


def _obstacle(sheet: Sheet, case: Case, metric: Metric, reading: Reading) -> dict[str, Any] | None:
    clip = sheet.clip
    if clip.video is None:
        if clip.status == "failed":
            return {"status": "failed", "reason": clip.reason}
        return {"status": "no_output", "reason": f"{clip.status}: {clip.reason}"}
    if clip.task_instance != sheet.task.instance:
        return {
            "status": "failed",
            "reason": "the task changed after this clip was made; generate or ingest it again",
        }
    if metric.needs_truth and clip.pace != 1:
        return {
            "status": "not_applicable",
            "reason": f"the camera was asked for at {clip.pace:.2f} times the pace of the true clip; "
            "export the suite for the model to film the truth at its length",
        }
    known = () if case.truth is None else case.truth.parts
    if missing := [part for part in metric.needs_truth if part not in known]:
        of = f"; of its truth there is {', '.join(known)}" if known else ""
        return {"status": "not_applicable", "reason": f"the task has no true {missing[0]} to compare with{of}"}
    for name in reading.lookers:
        observation = sheet.observations.get(name)
        if observation is None:
            return {"status": "failed", "reason": f"{name} was never observed; run: lookaway stage observe"}
        if observation.status != "ok":
            return {"status": observation.status, "reason": f"{name}: {observation.reason}"}
    if metric.needs_answers:
        for question in sheet.bank.questions:
            answer = case.answers.get(question.id)
            if answer is None or answer.status == "failed":
                why = answer.reason if answer is not None else "never asked; run: lookaway stage judge"
                return {"status": "failed", "reason": f"question {question.id}: {why}"}
    return None


def _without_number(why: Abstain | NotApplicable | Failure) -> dict[str, Any]:
    statuses = {Abstain: "abstained", NotApplicable: "not_applicable", Failure: "failed"}
    return {"status": statuses[type(why)], "reason": why.reason or "no reason given"}


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    metrics = [metric for _, metric in planned_metrics(plan)]
    gates = sorted({name for metric in metrics for name in metric.gates})
    return [*(("metric", metric) for metric in metrics), *(("gate", GATES.get(name)) for name in gates)]


STAGE = Stage("score", "scores", jobs, work, plugins)
