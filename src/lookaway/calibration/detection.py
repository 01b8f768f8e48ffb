"""How often each metric notices each fault, and how often it cries wolf: scores in, detection rows out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import polars as pl

from lookaway import extras
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
from lookaway.observers import OBSERVERS
from lookaway.outcomes import Abstain
from lookaway.pipeline import counted_scores
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.plans import installed, planned_metrics
from lookaway.pipeline.tasks import built_tasks
from lookaway.protocols import asked_by
from lookaway.records import CaseId, Clip, Detection, DetectionTable, Plan, Task
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


def without_copies(scores: pl.DataFrame, clips: Iterable[Clip]) -> pl.DataFrame:
    """Scores of different videos: a model without chance makes the same clip of a task with every seed."""
    seen: set[tuple[str, str, str]] = set()
    copies = []
    for clip in sorted(clips, key=lambda clip: clip.case.seed):
        case = clip.case
        if clip.video is not None and (case.task, case.system, clip.video) in seen:
            copies.append((case.task, case.system, case.seed))
        seen.add((case.task, case.system, clip.video or ""))
    columns = {"task": pl.String, "system": pl.String, "seed": pl.Int64}
    gone = pl.DataFrame(copies, schema=columns, orient="row")
    return scores.join(gone, on=list(columns), how="anti", maintain_order="left")


def cannot_measure(metric: Metric, judged: bool) -> str:
    """Why a metric cannot be measured here, or nothing."""
    if asked_by(metric) and not judged:
        return "needs a judge; give one with --judge"
    for need in metric.needs:
        if need not in OBSERVERS.all():
            return f"needs the observer '{need}', which is not installed here"
        extra = OBSERVERS.get(need).extra
        if extra is not None and extras.missing(extra):
            return f"needs the '{extra}' extra: pip install 'lookaway[{extra}]'"
    return ""


def not_measured(plan: Plan) -> dict[str, str]:
    """Registered metrics that a plan leaves out, by `name:variant`, and why."""
    planned = {str(metric.ref) for _, metric in planned_metrics(installed(plan))}
    left = {name: metric for name, metric in METRICS.all().items() if name not in planned}
    return {name: cannot_measure(metric, bool(plan.judges)) or "not part of this run" for name, metric in left.items()}


def _not_made(plan: Plan, rungs: Mapping[str, Rung], tasks: Mapping[str, Task]) -> dict[str, str]:
    """Systems that a sampled plan has no case for, and why."""
    made = {case.system for case in plan.cases}
    found = {}
    for name, rung in rungs.items():
        if plan.cases and name not in made:
            why = _commonest(filter(None, map(rung.applies, tasks.values())))
            found[name] = f"no task of the sample can show it: {why}"
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
    """One row per metric and rung, for every metric: those without scores say why they have none.

    `rungs` says what each system is; `not_measured` (by `name:variant`) and `not_made` (by system) why there is none.
    """
    reasons, unmade = not_measured or {}, not_made or {}
    clips = _clips(scores, tasks, unobservable)
    rows = []
    for metric in metrics:
        name = f"{metric.name}:{metric.variant}"
        ours = clips.filter((pl.col("metric") == metric.name) & (pl.col("variant") == metric.variant))
        ours = ours.filter(pl.col("version") == metric.version)
        if name in reasons or not ours.height:
            why = reasons.get(name, "no clip was measured")
            rows += [_row(metric, rung, reason=why) for rung in rungs.values()]
        else:
            rows += _rows(metric, ours, rungs, unmade)
    return rows


def _clips(scores: pl.DataFrame, tasks: Iterable[Task], unobservable: Set[CaseId]) -> pl.DataFrame:
    """Scores with scene, half and whether the fault can be seen at all; a clip counts once per metric."""
    tasks = list(tasks)
    first, _ = halves(map(layout_of, tasks))
    facts = pl.DataFrame(
        [(t.id, t.scene, 0 if layout_of(t) in first else 1) for t in tasks],
        schema={"task": pl.String, "scene": pl.String, "half": pl.Int64},
        orient="row",
    )
    hidden = pl.DataFrame(
        [(c.task, c.system, c.seed, True) for c in sorted(unobservable, key=str)],
        schema={"task": pl.String, "system": pl.String, "seed": pl.Int64, "unobservable": pl.Boolean},
        orient="row",
    )
    return (
        scores.select("task", "system", "seed", "metric", "variant", "version", "status", "value", "reason")
        .unique(["task", "system", "seed", "metric", "variant", "version"], keep="first", maintain_order=True)
        .join(facts, on="task", maintain_order="left")
        .join(hidden, on=["task", "system", "seed"], how="left", maintain_order="left")
        .with_columns(pl.col("unobservable").fill_null(False))
    )


def _rows(
    metric: Metric, clips: pl.DataFrame, rungs: Mapping[str, Rung], not_made: Mapping[str, str]
) -> list[Detection]:
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
        _row(metric, rung, reason=not_made[name])
        if name in not_made
        else _measured(metric, rung, name, sheet, found, outside)
        for name, rung in rungs.items()
    ]


def _measured(
    metric: Metric, rung: Rung, name: str, sheet: MetricScores, found: Alarms | Abstain, outside: pl.DataFrame
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
        return _row(metric, rung, reason=_why_none(counts, name, outside), **counts)
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
    return _row(metric, rung, reason="; ".join(reasons), **counts, **numbers)


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


def _row(metric: Metric, rung: Rung, reason: str, **numbers: Any) -> Detection:
    blank: dict[str, Any] = dict.fromkeys(("n", "n_abstained", "n_gated", "n_unobservable", "n_harmless"), 0)
    blank |= dict.fromkeys(("auc", "threshold", "hit_rate", "hit_low", "hit_high", "false_alarm_rate"))
    return Detection(
        metric=metric.name,
        variant=metric.variant,
        kind=rung.kind,
        fault=rung.name,
        severity=rung.severity,
        declared=rung.kind == "fault" and metric.name == rung.declared and metric.variant == "sound",
        reason=reason,
        **(blank | numbers),
    )
