"""Scores to Cells: one grouping over the score table, then intervals over scenes.

Rows are grouped once by cell and scene; every slice and interval is computed from that small table, so a million
scores cost little more than reading them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import polars as pl

from lookaway.protocols import Protocol
from lookaway.records import Board, Cell, LedgerStep, Task
from lookaway.stats.intervals import Estimate, scene_mean, scene_rate

CELL = ["protocol", "metric", "variant", "version", "instrument", "phase_source", "system"]
STATUSES = ("ok", "not_applicable", "avoided", "no_opportunity", "abstained", "no_output", "failed")
COUNTED_AS_WORST = ("avoided", "no_output")
SLICES = ("category", "event")


def cells(scores: pl.DataFrame, tasks: Iterable[Task], worst: Mapping[tuple[str, str], float | None]) -> list[Cell]:
    """One cell per system, metric, variant, version and instrument, over everything and per slice.

    `worst` gives, by metric and variant, the value an avoided or missing output counts as in `floor`.
    """
    facts = pl.DataFrame(
        [{"task": t.id, "scene": t.scene, "category": t.category, "event": t.event} for t in tasks],
        schema={"task": pl.String, "scene": pl.String, "category": pl.String, "event": pl.String},
    )
    per_task = _per_task(scores).join(facts, on="task", how="inner")
    found = _slice(per_task, "all", worst)
    for column in SLICES:
        for label in sorted(per_task[column].unique()):
            found += _slice(per_task.filter(pl.col(column) == label), f"{column}={label}", worst)
    return found


def _per_task(scores: pl.DataFrame) -> pl.DataFrame:
    """Row counts per status and value sums, per cell and task: the one pass over all rows."""
    status = pl.coalesce("gate", "status")
    ok = pl.col("status") == "ok"
    return (
        scores.lazy()
        .group_by([*CELL, "task"])
        .agg(
            *[(status == name).sum().alias(name) for name in STATUSES],
            pl.col("value").sum().alias("sum"),
            (ok & ~pl.col("value").is_in([0.0, 1.0])).any().alias("graded"),
        )
        .collect()
    )


def _slice(per_task: pl.DataFrame, label: str, worst: Mapping[tuple[str, str], float | None]) -> list[Cell]:
    sums = [pl.col(name).sum() for name in (*STATUSES, "sum")]
    per_scene = per_task.group_by([*CELL, "scene"]).agg(*sums, pl.col("graded").any()).sort([*CELL, "scene"])
    made = []
    for identity, rows in per_scene.group_by(CELL, maintain_order=True):
        facts = dict(zip(CELL, identity, strict=True))
        counts = {name: int(rows[name].sum()) for name in STATUSES}
        measured = rows.filter(pl.col("ok") > 0)
        estimate = _estimate(measured)
        made.append(
            Cell.model_validate(
                facts
                | counts
                | {
                    "slice": label,
                    "n": sum(counts.values()),
                    "scenes": measured.height,
                    "value": estimate.value if estimate else None,
                    "low": estimate.low if estimate else None,
                    "high": estimate.high if estimate else None,
                    "method": estimate.method if estimate else "nothing measured",
                    "floor": _floor(rows, worst.get((facts["metric"], facts["variant"]))),
                }
            )
        )
    return made


def _estimate(per_scene: pl.DataFrame) -> Estimate | None:
    if not per_scene.height:
        return None
    sums, counts = per_scene["sum"].to_numpy(), per_scene["ok"].to_numpy().astype(np.float64)
    return scene_mean(sums, counts) if per_scene["graded"].any() else scene_rate(sums, counts)


def _floor(per_scene: pl.DataFrame, worst: float | None) -> float | None:
    """The mean if every output that avoided the question or never came counted as the worst value."""
    ok, total = int(per_scene["ok"].sum()), float(per_scene["sum"].to_numpy().sum())
    missing = sum(int(per_scene[name].sum()) for name in COUNTED_AS_WORST)
    if worst is None or ok + missing == 0:
        return None
    return (total + worst * missing) / (ok + missing)


def ledger(scores: pl.DataFrame, protocol: Protocol, systems: Iterable[str]) -> list[LedgerStep]:
    """How far each system's clips got, step by step, and the reason at the step where they stopped."""
    names = {step.metric: number for number, step in enumerate(protocol.ledger)}
    least = {step.metric: step.at_least for step in protocol.ledger}
    ours = scores.filter((pl.col("protocol") == protocol.name) & pl.col("metric").is_in(list(names)))
    metric = pl.col("metric")
    below = pl.col("value").is_null() | (pl.col("value") < metric.replace_strict(least, return_dtype=pl.Float64))
    short = {step.metric: f"{step.metric} below {step.at_least:g}" for step in protocol.ledger}
    why = pl.when(pl.col("reason") == "").then(metric.replace_strict(short)).otherwise(pl.col("reason"))
    stopped = (
        ours.filter(below)
        .with_columns(metric.replace_strict(names, return_dtype=pl.Int64).alias("step"), why.alias("why"))
        .sort("step")
        .group_by(["system", "task", "seed"], maintain_order=True)
        .first()
        .group_by(["system", "step", "why"])
        .len()
        .sort(["len", "why"], descending=[True, False])
    )
    totals = dict(ours.group_by("system").agg(pl.struct("task", "seed").n_unique()).iter_rows())
    steps = []
    for system in systems:
        reached = total = totals.get(system, 0)
        for number, step in enumerate(protocol.ledger):
            here = stopped.filter((pl.col("system") == system) & (pl.col("step") == number))
            lost = dict(zip(here["why"], here["len"], strict=True))
            reached -= sum(lost.values())
            steps.append(LedgerStep(system=system, step=step.name, reached=reached, total=total, lost=lost))
    return steps


def board(
    suite: str,
    suite_version: str,
    systems: Iterable[str],
    protocols: Iterable[Protocol],
    tasks: Iterable[Task],
    scores: pl.DataFrame,
    worst: Mapping[tuple[str, str], float | None],
    not_measured: Mapping[str, str],
    environment: Mapping[str, str],
) -> Board:
    """Everything a report shows, in one record."""
    systems, protocols, tasks = list(systems), list(protocols), list(tasks)
    current = scores.filter(
        pl.col("system").is_in(systems)
        & pl.col("task").is_in([t.id for t in tasks])
        & pl.col("protocol").is_in([p.name for p in protocols])
    )
    return Board(
        suite=suite,
        suite_version=suite_version,
        systems=tuple(systems),
        protocols=tuple(p.name for p in protocols),
        cells=tuple(cells(current, tasks, worst)),
        ledger=tuple(step for p in protocols for step in ledger(current, p, systems)),
        not_measured=dict(not_measured),
        environment=dict(environment),
    )
