"""Scores of imaginary clips, small enough to grade by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from lookaway.calibration.systems import Rung
from lookaway.metrics import METRICS, Metric
from lookaway.records import Detection, Score, Task, WorldSpec
from lookaway.store import parquet
from tests.builders import task
from tests.store.store_records import a_score

LAYOUTS = ("beach", "garden", "kitchen", "street")  # halves: beach and kitchen, garden and street

RUNGS = {
    "truth": Rung("truth", "truth", "truth"),
    "calm": Rung("calm", "harmless", "calm"),
    "lost@0.5": Rung("lost@0.5", "fault", "lost", 0.5, middle=True, declared="grade"),
    "blurred": Rung("blurred", "stress", "blurred"),
    "still": Rung("still", "baseline", "still"),
}


def a_metric(**changes: Any) -> Metric:
    """`grade`, lower is better, never below 0."""
    facts: dict[str, Any] = {"name": "grade", "variant": "sound", "version": 1, "better": "lower", "range": None}
    return replace(next(iter(METRICS.all().values())), **(facts | {"margin": 0.0} | changes))


def in_layouts(per_layout: int = 1) -> list[Task]:
    """Tasks beach0, beach1, …, each in a scene of its own."""
    return [
        task(
            id=f"{layout}{number}",
            scene=f"{layout}{number}",
            world=WorldSpec(layout=layout, process="ball", seed=number),
            observation_controls=("yaw-left" if number % 2 else "cardboard",),
        )
        for layout in LAYOUTS
        for number in range(per_layout)
    ]


def scored(system: str, tasks: Sequence[Task], values: Iterable[float | str], **changes: Any) -> list[Score]:
    """One score per task; a word is the status of a score without a number."""
    return [_score(system, one, value, **changes) for one, value in zip(tasks, values, strict=True)]


def _score(system: str, one: Task, value: float | str, **changes: Any) -> Score:
    facts: dict[str, Any] = {"metric": "grade", "variant": "sound", "version": 1, "task": one.id, "system": system}
    if isinstance(value, str):
        gate = "avoided" if value == "gated" else None
        return a_score(**(facts | {"status": value, "gate": gate, "value": None, "reason": "why"} | changes))
    return a_score(**(facts | {"value": value} | changes))


def table(scores: Iterable[Score]) -> pl.DataFrame:
    rows = [{"key": str(n), "inputs": "", "attempt": 0, **score.model_dump()} for n, score in enumerate(scores)]
    return pl.DataFrame(rows, schema=parquet.schema(Score))


def row_of(rows: Iterable[Detection], fault: str) -> Detection:
    (row,) = [row for row in rows if row.fault == fault]
    return row
