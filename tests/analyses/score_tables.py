"""Small score tables, and all that an analysis may know of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

import polars as pl

from lookaway.analyses import Findings, Scales
from lookaway.records import GateKind, ModelCard, Protocol, Score, Step, System, Task
from lookaway.store import parquet
from tests.builders import task
from tests.store.store_records import a_score

LEDGER = Protocol(
    name="diorama",
    summary="",
    metrics=("turned_away:sound", "object_return:sound"),
    headline=(),
    ledger=(
        Step(name="delivered", metric="turned_away:sound", at_least=1.0),
        Step(name="right", metric="object_return:sound", at_least=0.75),
    ),
)


def table(scores: Iterable[Score]) -> pl.DataFrame:
    rows = [{"key": str(n), "inputs": "", "attempt": 0, **score.model_dump()} for n, score in enumerate(scores)]
    return pl.DataFrame(rows, schema=parquet.schema(Score))


def in_scenes(*scenes: str, **changes: Any) -> list[Task]:
    """Tasks t0, t1, … in the scenes given."""
    return [task(id=f"t{number}", scene=scene, **changes) for number, scene in enumerate(scenes)]


def systems(*names: str) -> list[System]:
    return [System(name=n, card=ModelCard(name=n, summary="", control="none", generator="x")) for n in names]


def findings(
    scores: pl.DataFrame, tasks: Iterable[Task], names: Sequence[str], protocol: Protocol, scales: Scales | None = None
) -> Findings:
    return Findings(scores, {one.id: one for one in tasks}, systems(*names), protocol, scales or {})


def without_number(status: str) -> dict[str, Any]:
    gate = {"gate": status, "status": "gated"} if status in get_args(GateKind) else {"status": status}
    return {"value": None, "reason": "why", **gate}


def row(name: str, metric: str, value: float | None, reason: str = "", **changes: Any) -> Score:
    status = "ok" if value is not None else "failed"
    return a_score(task=name, metric=metric, value=value, status=status, reason=reason, **changes)


def of(name: str, status: str, metric: str = "turned_away", **changes: Any) -> Score:
    return a_score(task=name, metric=metric, **without_number(status), **changes)
