"""Stage `score`: gates, then metrics, over what was seen. No pixels, no clocks; seconds for a whole run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookaway import gates
from lookaway.errors import BlobError
from lookaway.metrics import METRICS, Case, Metric
from lookaway.observers import OBSERVERS
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.framing import shown_task, shown_truth
from lookaway.pipeline.observe import observation_inputs, observation_key
from lookaway.pipeline.plans import planned_metrics
from lookaway.pipeline.questions import Way, answer_inputs, answer_key, question_item, way_of
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.records import Answer, Clip, Observation, Plan, Reference, Score, Task, content_key
from lookaway.registry import Plugin
from lookaway.store import Run


@dataclass(frozen=True)
class Sheet:
    """Everything one clip's scores are made from; picklable."""

    clip: Clip
    task: Task
    reference: Reference | None
    observations: Mapping[str, Observation]
    answers: Mapping[str, Answer]
    metrics: tuple[tuple[str, str, str], ...]  # protocol, name:variant, score key
    chosen: Mapping[str, tuple[str, ...]]  # protocol to the observers that it names
    judge: str


def score_key(clip: Clip, protocol: str, metric: Metric) -> str:
    return content_key("score", str(clip.case), protocol, metric.name, metric.variant, metric.version)


def jobs(run: Run, plan: Plan) -> list[Job]:
    tasks, references = built_tasks(run, plan), built_references(run)
    observations = run.latest("observations", Observation)
    answers = run.latest("answers", Answer) if plan.judge is not None else {}
    way = way_of(plan) if plan.judge is not None else None
    judge = way.judge if way is not None else ""
    metrics = planned_metrics(plan)
    chosen = {protocol.name: protocol.observers for protocol in plan.protocols}
    lookers = {name for protocol, metric in metrics for name in metric.looks_with(chosen[protocol])}
    found = []
    for clip in current_clips(run, plan):
        task = tasks[clip.case.task]
        seen, said = _evidence(clip, task, lookers, observations, answers, judge)
        expects = {
            score_key(clip, protocol, metric): _inputs(
                plan, way, clip, task, metric, metric.looks_with(chosen[protocol]), seen, said
            )
            for protocol, metric in metrics
        }
        named = tuple((p, f"{m.name}:{m.variant}", score_key(clip, p, m)) for p, m in metrics)
        sheet = Sheet(clip, task, references.get(task.instance), seen, said, named, chosen, judge)
        found.append(Job(str(clip.case), clip.case.task, sheet, expects))
    return found


def _evidence(
    clip: Clip,
    task: Task,
    lookers: set[str],
    observations: Mapping[str, Observation],
    answers: Mapping[str, Answer],
    judge: str,
) -> tuple[dict[str, Observation], dict[str, Answer]]:
    if clip.video is None:
        return {}, {}
    keys = {name: observation_key(clip.video, task.instance, name) for name in lookers}
    seen = {name: observations[key] for name, key in keys.items() if key in observations}
    asked = {q.id: answer_key(clip.video, task.instance, q.id, judge) for q in task.questions}
    return seen, {question: answers[key] for question, key in asked.items() if key in answers}


def _inputs(
    plan: Plan,
    way: Way | None,
    clip: Clip,
    task: Task,
    metric: Metric,
    lookers: tuple[str, ...],
    seen: Mapping[str, Observation],
    said: Mapping[str, Answer],
) -> str:
    """Hash of all a score depends on, so that any change upstream scores it again."""
    looked = [(name, observation_inputs(plan, name, clip), seen.get(name)) for name in lookers]
    asked = []
    if metric.needs_answers and way is not None:
        asked = [(q.id, answer_inputs(way, question_item(q)), said.get(q.id)) for q in task.questions]
    return content_key(
        clip.video, clip.status, clip.reason, clip.fit, clip.pace, task.instance, metric.version, looked, asked
    )


def work(run: Run, job: Job) -> list[Entry]:
    sheet = _readable(run, job.payload)
    case = attempt(_case, run, sheet)
    entries = []
    for protocol, name, key in sheet.metrics:
        if key in job.todo:
            metric = METRICS.get(name)
            score = _score(sheet, case, protocol, metric)
            entries.append(Entry(key, score, repeats=_repeats(score, job.payload, protocol, metric)))
    return entries


def _repeats(score: Score, sheet: Sheet, protocol: str, metric: Metric) -> bool:
    """Whether a score failed because its clip, an observation or an answer did."""
    looked = [sheet.observations.get(name) for name in metric.looks_with(sheet.chosen[protocol])]
    answers = sheet.answers.values() if metric.needs_answers else ()
    sources = [sheet.clip, *filter(None, looked), *answers]
    return score.status == "failed" and any(source.status == "failed" for source in sources)


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
    return Case(shown_task(sheet.task, sheet.clip, known), known, MappingProxyType(seen), sheet.answers)


def _read_only(path: Path) -> Mapping[str, NDArray[Any]]:
    """Arrays that no metric can change under the next one's feet."""
    with np.load(path) as loaded:
        arrays = dict(loaded)
    for array in arrays.values():
        array.setflags(write=False)
    return MappingProxyType(arrays)


def _score(sheet: Sheet, case: Case | Failure, protocol: str, metric: Metric) -> Score:
    lookers = metric.looks_with(sheet.chosen[protocol])
    instruments = [f"{name}@{OBSERVERS.get(name).version}" for name in lookers]
    if metric.needs_answers:
        instruments.append(sheet.judge)
    facts: dict[str, Any] = {
        "task": sheet.clip.case.task,
        "system": sheet.clip.case.system,
        "seed": sheet.clip.case.seed,
        "protocol": protocol,
        "metric": metric.name,
        "variant": metric.variant,
        "version": metric.version,
        "instrument": "+".join(instruments) or "none",
        "phase_source": metric.phase_source,
        "subject": sheet.task.subjects[0].name,
        "evidence": _evidence_of(sheet, lookers),
    }
    if isinstance(case, Failure):
        return Score(**facts, **_without_number(case))
    seen = {name: arrays for name, arrays in case.seen.items() if name in lookers}
    return Score(**facts, **_verdict(sheet, replace(case, seen=MappingProxyType(seen)), metric, lookers))


def _evidence_of(sheet: Sheet, lookers: tuple[str, ...]) -> tuple[str, ...]:
    """The arrays a score is read from, in the order in which its metric names its observers."""
    looked = (sheet.observations.get(name) for name in lookers)
    return tuple(o.arrays for o in looked if o is not None and o.arrays is not None)


def _verdict(sheet: Sheet, case: Case, metric: Metric, lookers: tuple[str, ...]) -> dict[str, Any]:
    """Status, value, gate and reason: the first obstacle on the way to a number, or the number."""
    obstacle = _obstacle(sheet, case, metric, lookers)
    if obstacle is not None:
        return obstacle
    for name in metric.gates:
        closed = attempt(gates.get(name), case)
        if isinstance(closed, Gated):
            return {"status": "gated", "gate": closed.kind, "reason": closed.reason}
        if closed is not None:
            return _without_number(closed)
    value = attempt(metric.function, case)
    if isinstance(value, Abstain | NotApplicable | Failure):
        return _without_number(value)
    wrong = _not_a_value(value, metric)
    return {"status": "failed", "reason": wrong} if wrong else {"status": "ok", "value": float(value)}


def _not_a_value(value: Any, metric: Metric) -> str:
    """Why something a metric returned is no score, or nothing."""
    if not isinstance(value, float | int | np.floating | np.integer | np.bool_):
        return f"{metric.name} returned {type(value).__name__}; a metric returns a number or an Abstain"
    if not abs(float(value)) < float("inf"):
        return f"{metric.name} returned {value}; a metric returns a number or an Abstain"
    if metric.range is not None and not metric.range[0] <= value <= metric.range[1]:
        return f"{metric.name} returned {value}, outside of its range {metric.range[0]:g} to {metric.range[1]:g}"
    return ""


def _obstacle(sheet: Sheet, case: Case, metric: Metric, lookers: tuple[str, ...]) -> dict[str, Any] | None:
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
    if metric.needs_truth != "none" and clip.pace != 1:
        return {
            "status": "not_applicable",
            "reason": f"the camera was asked for at {clip.pace:.2f} times the pace of the true clip; "
            "export the suite for the model to film the truth at its length",
        }
    if metric.needs_truth != "none" and case.truth is None:
        return {"status": "not_applicable", "reason": "the task has no true clip to compare with"}
    if metric.needs_truth == "world" and case.truth is not None and case.truth.world is None:
        return {"status": "not_applicable", "reason": "the task has a true clip, but no exact truth behind it"}
    for name in lookers:
        observation = sheet.observations.get(name)
        if observation is None:
            return {"status": "failed", "reason": f"{name} was never observed; run: lookaway stage observe"}
        if observation.status != "ok":
            return {"status": observation.status, "reason": f"{name}: {observation.reason}"}
    if metric.needs_answers:
        for question in sheet.task.questions:
            answer = sheet.answers.get(question.id)
            if answer is None or answer.status == "failed":
                why = answer.reason if answer is not None else "never asked; run: lookaway stage judge"
                return {"status": "failed", "reason": f"question {question.id}: {why}"}
    return None


def _without_number(why: Abstain | NotApplicable | Failure) -> dict[str, Any]:
    statuses = {Abstain: "abstained", NotApplicable: "not_applicable", Failure: "failed"}
    return {"status": statuses[type(why)], "reason": why.reason or "no reason given"}


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    return [("metric", metric) for _, metric in planned_metrics(plan)]


STAGE = Stage("score", "scores", jobs, work, plugins)
