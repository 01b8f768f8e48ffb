"""What the made clips say of the metrics: does every number follow as it must, and does it tell a fault from none?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from lookaway.calibration.detection import detect
from lookaway.calibration.measurable import not_measured
from lookaway.calibration.own_clips.making import Making
from lookaway.calibration.own_clips.relations import RELATIONS, SLOWER, Direction, Prediction, Relation
from lookaway.calibration.own_clips.walk import BROUGHT, ClipsRun, task_of
from lookaway.calibration.systems import Rung
from lookaway.calibration.thresholds import badness
from lookaway.metrics import METRICS, Metric, find
from lookaway.pipeline import counted_scores, plans
from lookaway.pipeline.sheets import case_of, readable, sheets
from lookaway.pipeline.tasks import built_tasks
from lookaway.readings.track import absences
from lookaway.records import Detection, DetectionKind, DetectionTable, Plan, Task
from lookaway.records.base import Record
from lookaway.stats.intervals import scene_rate
from lookaway.store import Run

NUMBER = ("task", "system", "metric", "status", "value")
READER = ("variant", "instrument_key", "ask_key")
CLOCK = "seconds of the look-away"
CLOCK_FRAMES = 3  # by which a clock may be off: nobody sees the last sliver of a subject leave


class OrderGrade(Record):
    """How often the numbers of a made clip stand to those of the clip it was made of as they must."""

    relation: str
    metrics: tuple[str, ...]  # of several one is enough
    direction: Direction
    n: int  # clips with a number before they were changed, and not the worst there is where it must get worse
    held: int  # of n; a made clip without a number does not hold
    low: float | None = None  # of the 95 % interval of their share
    high: float | None = None

    @property
    def share(self) -> float | None:
        return self.held / self.n if self.n else None


class FaultGrade(Record):
    """How well a metric tells the clips of one relation from harmless ones, here and in the known world."""

    here: Detection
    alarmed: float | None = None  # share of the made clips above the known world's threshold
    low: float | None = None  # of its 95 % interval
    high: float | None = None
    known: Detection | None = None  # of the same fault, in the known world; its threshold is the one meant


class OwnClipsTable(Record):
    """The graders graded on somebody's own clips."""

    clips: tuple[str, ...]
    made: int
    not_made: dict[str, dict[str, str]]  # by relation, then by clip: why
    unreadable: dict[str, str]  # videos, and why
    orders: tuple[OrderGrade, ...]
    grades: tuple[FaultGrade, ...]
    known_suite: str = ""  # where the known world's columns come from; empty: nothing is known


Numbers = Mapping[tuple[str, str], Mapping[str, float | None]]  # by system and metric, then by clip


def graded(run: Run, found: ClipsRun, known: DetectionTable | None) -> OwnClipsTable:
    """Everything that the scores of a run say."""
    plan, tasks = found.plan, built_tasks(run, found.plan)
    clips = sorted({each.clip for each in found.makings})
    scores = counted_scores(run, plan).join(_cases(found), on=["task", "system"], how="semi", maintain_order="left")
    relations = [RELATIONS[name] for name in dict.fromkeys(each.relation for each in found.makings)]
    return OwnClipsTable(
        clips=tuple(clips),
        made=sum(not each.reason for each in found.makings),
        not_made=not_made(found.makings),
        unreadable=found.unreadable,
        orders=(*orders(numbers_of(scores, tasks), relations), *_clock(run, plan, clips)),
        grades=tuple(grades(scores, tasks, relations, found, known)),
        known_suite="" if known is None else f"{known.suite} version {known.version}",
    )


def _cases(found: ClipsRun) -> pl.DataFrame:
    """Which task and system counts: the clips as they were brought, and what was made of them this time."""
    made = [(task_of(each), each.relation) for each in found.makings if not each.reason]
    brought = [(clip, BROUGHT) for clip in sorted({each.clip for each in found.makings})]
    return pl.DataFrame([*brought, *made], schema={"task": pl.String, "system": pl.String}, orient="row")


def not_made(makings: Iterable[Making]) -> dict[str, dict[str, str]]:
    """Why clips were left out: by relation, then by clip."""
    found: dict[str, dict[str, str]] = {}
    for each in makings:
        if each.reason:
            found.setdefault(each.relation, {})[each.clip] = each.reason
    return found


def numbers_of(scores: pl.DataFrame, tasks: Mapping[str, Task]) -> Numbers:
    """Values by system and metric, then by the clip that a clip was made of; None where there is none."""
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    counted = scores.filter(pl.col("status") != "not_applicable")
    for task, system, metric, status, value in counted.select(*NUMBER).iter_rows():
        if task in tasks:
            found.setdefault((system, metric), {})[tasks[task].scene] = value if status == "ok" else None
    return found


# ---------------------------------------------------------------- order


def orders(numbers: Numbers, relations: Iterable[Relation]) -> list[OrderGrade]:
    """Each expectation of each relation, over the clips that it was made of."""
    return [order(numbers, relation, expected) for relation in relations for expected in relation.expects]


def order(numbers: Numbers, relation: Relation, expected: Prediction) -> OrderGrade:
    """Clips count that had a number of one of the metrics before they were changed, and could get worse."""
    held: dict[str, bool] = {}
    for name in expected.metrics:
        before, after = numbers.get((BROUGHT, name), {}), numbers.get((relation.name, name), {})
        for clip, value in before.items():
            stuck = value is not None and expected.direction == "worse" and _is_worst(value, find(name))
            if value is not None and not stuck and clip in after:
                follows = _follows(value, after[clip], find(name), expected.direction)
                held[clip] = held.get(clip, False) or follows
    return _order(relation.name, expected.metrics, expected.direction, list(held.values()))


def _is_worst(value: float, metric: Metric) -> bool:
    """Can the metric not say anything worse?"""
    if metric.range is None:
        return False
    worst = float(badness(np.array(metric.range), metric).max())
    return bool(badness(np.array([value]), metric)[0] >= worst)


def _follows(before: float, after: float | None, metric: Metric, direction: Direction) -> bool:
    if after is None:
        return False
    one, other = badness(np.array([before, after]), metric)
    if direction == "worse":
        return bool(other > one)
    change = other - one if direction == "no worse" else abs(other - one)
    return bool(change <= metric.margin)


def _order(relation: str, metrics: tuple[str, ...], direction: Direction, held: Sequence[bool]) -> OrderGrade:
    low, high = interval(held)
    return OrderGrade(
        relation=relation, metrics=metrics, direction=direction, n=len(held), held=sum(held), low=low, high=high
    )


def interval(hits: Sequence[bool]) -> tuple[float | None, float | None]:
    """Ends of the 95 % interval of a share, a clip counting once."""
    if len(hits) < 2:
        return None, None
    rate = scene_rate(np.array(hits, float), np.ones(len(hits)))
    return rate.low, rate.high


def _clock(run: Run, plan: Plan, clips: Sequence[str]) -> list[OrderGrade]:
    """Does the look-away of a slower clip begin and end as much later?"""
    spans: dict[tuple[str, str], tuple[float, float] | None] = {}
    steps: dict[str, float] = {}
    for sheet in sheets(run, plan, ["subject_track"]):
        if sheet.clip.case.system in (BROUGHT, "retimed") and sheet.task.scene in clips and sheet.observations:
            case = case_of(run, readable(run, sheet))
            gone = absences(case) if "subject_track" in case.seen else []
            spans[sheet.clip.case.system, sheet.task.scene] = (
                (gone[0].hidden.start_s, gone[0].hidden.end_s) if gone else None
            )
            steps[sheet.task.scene] = 1 / sheet.task.fps
    held = []
    for clip in clips:
        before, after = spans.get((BROUGHT, clip)), spans.get(("retimed", clip))
        if before is not None and ("retimed", clip) in spans:
            slack = CLOCK_FRAMES * steps[clip] / SLOWER
            held.append(after is not None and bool(np.allclose(np.array(before) / SLOWER, after, atol=slack)))
    return [_order("retimed", (CLOCK,), "stays", held)] if held else []


# ---------------------------------------------------------------- detection


def grades(
    scores: pl.DataFrame,
    tasks: Mapping[str, Task],
    relations: Sequence[Relation],
    found: ClipsRun,
    known: DetectionTable | None,
) -> list[FaultGrade]:
    """Every metric of the plan, and everybody who read it, against every relation."""
    rungs = {BROUGHT: Rung(BROUGHT, "harmless", BROUGHT)} | {each.name: _rung(each) for each in relations}
    planned = {str(metric.ref) for _, metric in plans.planned_metrics(plans.installed(found.plan))}
    metrics = [metric for name, metric in METRICS.all().items() if name in planned]
    shown = [tasks[name] for name in scores["task"].unique(maintain_order=True)]
    made = {each.relation for each in found.makings if not each.reason}
    unmade = {name: "no clip could be made" for name in rungs if name not in made and name != BROUGHT}
    touched = [(pl.col("system") == r.name) & pl.col("metric").is_in(r.touches) for r in relations if r.touches]
    scores = scores.filter(~pl.any_horizontal(touched)) if touched else scores
    rows = detect(scores, rungs, shown, metrics, not_measured=not_measured(found.plan), not_made=unmade)
    parts = {keys: numbers_of(part, tasks) for keys, part in scores.group_by(*READER)}
    return [_beside(row, parts.get((row.variant, row.instrument_key, row.ask_key), {}), known) for row in rows]


def _rung(relation: Relation) -> Rung:
    kind: DetectionKind = relation.kind
    declared = next((e.metrics[0] for e in relation.expects if e.direction == "worse"), "")
    return Rung(relation.name, kind, relation.name, declared=declared)


def _beside(row: Detection, numbers: Numbers, known: DetectionTable | None) -> FaultGrade:
    """The row with the known world's row of the same fault, and the share of clips above its threshold."""
    theirs = None if known is None else known_row(known, row)
    limit = None if known is None else threshold_of(known, row)
    values = numbers.get((row.fault, row.metric), {})
    if limit is None or not values:
        return FaultGrade(here=row, known=theirs)
    metric = find(f"{row.metric}:{row.variant}")
    calm = [value for value in numbers.get((BROUGHT, row.metric), {}).values() if value is not None]
    usual = float(np.median(calm)) if calm else 0.0
    hits = [v is not None and bool(badness(np.array([v]), metric, usual)[0] > limit) for v in values.values()]
    low, high = interval(hits)
    return FaultGrade(here=row, known=theirs, alarmed=float(np.mean(hits)), low=low, high=high)


def known_row(known: DetectionTable, row: Detection) -> Detection | None:
    """The known world's row of the fault that a relation stands for, at the middle of its ladder."""
    name = RELATIONS[row.fault].known_as if row.fault in RELATIONS else ""
    ladder = [each for each in known.rows if each.fault == name and _same_metric(each, row)]
    return ladder[len(ladder) // 2] if ladder else None


def threshold_of(known: DetectionTable, row: Detection) -> float | None:
    found = (each.threshold for each in known.rows if _same_metric(each, row))
    return next((limit for limit in found if limit is not None), None)


def _same_metric(one: Detection, other: Detection) -> bool:
    return (one.metric, one.variant) == (other.metric, other.variant)
