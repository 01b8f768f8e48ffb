"""How often each metric notices each fault, and how often it cries wolf: scores in, detection rows out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import polars as pl

from lookaway.calibration.clip_scores import NOBODY, Reader, by_reader, clip_scores, without_copies
from lookaway.calibration.measurable import not_measured
from lookaway.calibration.observable import UNOBSERVABLE_BELOW, unobservable_cases
from lookaway.calibration.systems import Rung, rung_of
from lookaway.calibration.thresholds import (
    FALSE_ALARMS,
    Alarms,
    Flags,
    MetricScores,
    alarms,
    auc,
    badness,
    halves,
    layout_of,
)
from lookaway.metrics import METRICS, Metric
from lookaway.outcomes import Abstain
from lookaway.pipeline import counted_scores
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import CaseId, Detection, DetectionTable, Plan, Task
from lookaway.stats.intervals import scene_rate
from lookaway.store import Run


def detection_from(run: Run, plan: Plan) -> DetectionTable | Abstain:
    """The detection table of whatever reference models a run holds, or why there is nothing to compare."""
    rungs = known_rungs(plan)
    tasks, scores = built_tasks(run, plan), without_copies(counted_scores(run, plan), current_clips(run, plan))
    kinds = {rung.kind for rung in rungs.values()}
    if "harmless" not in kinds:
        return Abstain("no harmless variation of the truth was run, so nothing says what a false alarm is")
    if not kinds & {"fault", "baseline"}:
        return Abstain("no reference model with a fault was run")
    split = halves(map(layout_of, tasks.values()))
    if not split[1]:
        return Abstain("thresholds need tasks in at least two layouts")
    measured = list(METRICS.all().values())
    unseen = unobservable_cases(run, plan)
    rows = detect(scores, rungs, tasks.values(), measured, unseen, not_measured(plan), _not_made(plan, rungs, tasks))
    clips = scores.filter(pl.col("system").is_in(list(rungs))).select("task", "system", "seed").unique()
    harmless = [name for name, rung in rungs.items() if rung.kind == "harmless"]
    return DetectionTable(
        suite=plan.suite,
        version=plan.suite_version,
        tasks=tuple(tasks),
        halves=split,
        n_clips=clips.height,
        n_harmless=clips.filter(pl.col("system").is_in(harmless)).height,
        false_alarms=FALSE_ALARMS,
        unobservable_below=UNOBSERVABLE_BELOW,
        rows=tuple(rows),
    )


def known_rungs(plan: Plan) -> dict[str, Rung]:
    """What each system of a plan is, for those that are reference models or baselines."""
    known = {system.label: rung_of(system) for system in plan.systems}
    return {name: rung for name, rung in known.items() if rung is not None}


def _not_made(plan: Plan, rungs: Mapping[str, Rung], tasks: Mapping[str, Task]) -> dict[str, str]:
    """Systems that a sampled plan has no case for, and why."""
    made = {case.system for case in plan.cases}
    found = {}
    for name, rung in rungs.items():
        if plan.cases and name not in made:
            reasons = [rung.applies(task) for task in tasks.values()]
            unable = f"no task of the sample can show it: {_commonest(reasons)}"
            found[name] = unable if all(reasons) else "no clip of it was asked for"
    return found


def _commonest(reasons: Iterable[str]) -> str:
    counted = Counter(reasons)
    return min(counted, key=lambda reason: (-counted[reason], reason)) if counted else ""


def detect(
    scores: pl.DataFrame,
    rungs: Mapping[str, Rung],
    tasks: Iterable[Task],
    metrics: Sequence[Metric],
    unobservable: Set[CaseId] = frozenset(),
    not_measured: Mapping[str, str] | None = None,
    not_made: Mapping[str, str] | None = None,
) -> list[Detection]:
    """One row per metric, reader and rung, for every metric: those without scores say why they have none.

    `rungs` says what each system is; `not_measured` (by `name:variant`) and `not_made` (by system) why there is none.
    """
    reasons, unmade = not_measured or {}, not_made or {}
    clips = clip_scores(scores, tasks, unobservable)
    rows = []
    for metric in metrics:
        name = f"{metric.name}:{metric.variant}"
        ours = clips.filter((pl.col("metric") == metric.name) & (pl.col("variant") == metric.variant))
        ours = ours.filter(pl.col("version") == metric.version)
        if name in reasons or not ours.height:
            why = reasons.get(name, "no clip was measured")
            rows += [_row(metric, NOBODY, rung, reason=why) for rung in rungs.values()]
        else:
            rows += [row for by, part in by_reader(ours) for row in _rows(metric, by, part, rungs, unmade)]
    return rows


def _rows(
    metric: Metric, by: Reader, clips: pl.DataFrame, rungs: Mapping[str, Rung], not_made: Mapping[str, str]
) -> list[Detection]:
    """What one reader's numbers say, by thresholds that its own numbers set."""
    inside = clips.filter(pl.col("status") != "not_applicable")
    kinds = {name: rung.kind for name, rung in rungs.items()}
    system = inside["system"].to_numpy().astype(str)
    sheet = MetricScores(
        system=system,
        scene=inside["scene"].to_numpy().astype(str),
        half=inside["half"].to_numpy(),
        value=inside["value"].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
        gated=(inside["status"] == "gated").to_numpy(),
        unobservable=inside["unobservable"].to_numpy() & np.array([kinds.get(s) == "fault" for s in system], bool),
        harmless=np.array([kinds.get(s) == "harmless" for s in system], bool),
    )
    found = alarms(sheet, metric)
    outside = clips.filter(pl.col("status") == "not_applicable")
    return [
        _row(metric, by, rung, reason=not_made[name])
        if name in not_made
        else _measured(metric, by, rung, name, sheet, found, outside)
        for name, rung in rungs.items()
    ]


def _measured(
    metric: Metric,
    by: Reader,
    rung: Rung,
    name: str,
    sheet: MetricScores,
    found: Alarms | Abstain,
    outside: pl.DataFrame,
) -> Detection:
    """One rung's row: clips counted, then whatever numbers they allow."""
    mine = sheet.system == name
    shown = mine & ~sheet.unobservable
    counts: dict[str, Any] = {
        "n": int(shown.sum()),
        "n_abstained": int((shown & ~sheet.ok & ~sheet.gated).sum()),
        "n_gated": int((shown & sheet.gated).sum()),
        "n_unobservable": int((mine & sheet.unobservable).sum()),
        "n_harmless": int((sheet.harmless & sheet.ok).sum()),
    }
    counted = shown if rung.kind in ("fault", "baseline") else shown & sheet.ok
    if not counted.any():
        return _row(metric, by, rung, reason=_why_none(counts, name, outside), **counts)
    numbers: dict[str, Any] = {}
    reasons = []
    calm = sheet.harmless & sheet.ok
    if calm.any():
        bad = np.where(sheet.ok, badness(np.nan_to_num(sheet.value), metric), -np.inf)
        numbers["auc"] = auc(bad[counted], bad[calm])
    if isinstance(found, Abstain):
        reasons.append(found.reason)
    else:
        numbers |= _rates(sheet, found, counted)
        if numbers["hit_low"] is None:
            reasons.append("too few scenes for an interval")
    return _row(metric, by, rung, reason="; ".join(reasons), **counts, **numbers)


def _rates(sheet: MetricScores, found: Alarms, counted: Flags) -> dict[str, Any]:
    scenes, place = np.unique(sheet.scene[counted], return_inverse=True)
    hits = np.bincount(place, found.alarmed[counted], len(scenes)).astype(np.float64)
    rate = scene_rate(hits, np.bincount(place, minlength=len(scenes)).astype(np.float64))
    calm = sheet.harmless & sheet.ok
    return {
        "threshold": found.threshold,
        "hit_rate": rate.value,
        "hit_low": rate.low,
        "hit_high": rate.high,
        "false_alarm_rate": float(found.alarmed[calm].mean()),
    }


def _why_none(counts: Mapping[str, int], name: str, outside: pl.DataFrame) -> str:
    """The reason why a rung has no clip that counts."""
    if counts["n"]:
        return "no clip has a number"
    if counts["n_unobservable"]:
        return "no clip differs enough from the truth to be seen"
    why = _commonest(outside.filter(pl.col("system") == name)["reason"].to_list())
    return f"not applicable: {why}" if why else "no clip was measured"


def _row(metric: Metric, by: Reader, rung: Rung, reason: str, **numbers: Any) -> Detection:
    blank: dict[str, Any] = dict.fromkeys(("n", "n_abstained", "n_gated", "n_unobservable", "n_harmless"), 0)
    blank |= dict.fromkeys(("auc", "threshold", "hit_rate", "hit_low", "hit_high", "false_alarm_rate"))
    return Detection(
        metric=metric.name,
        variant=metric.variant,
        instrument=by.instrument,
        instrument_key=by.instrument_key,
        ask=by.ask,
        ask_key=by.ask_key,
        kind=rung.kind,
        fault=rung.name,
        severity=rung.severity,
        declared=rung.kind == "fault" and metric.name == rung.declared and metric.variant == "sound",
        reason=reason,
        **(blank | numbers),
    )
