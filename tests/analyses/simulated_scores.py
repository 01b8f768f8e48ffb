"""A score table of 23 simulated systems under the profile's dimensions, with effects of known size or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookaway.analyses import Findings, Scale
from lookaway.records import ModelCard, Protocol, Score, Slice, System, Table, Task
from lookaway.store import parquet
from tests.builders import task

Floats = NDArray[np.float64]
EVENTS = {"none": (False, False), "spatial": (True, False), "state_only": (False, True), "full": (True, True)}
CAMERAS = {
    "static": "hold@4s",
    "left": "hold@1s, yaw:left:75@0.5s, hold@1s, yaw:right:75@0.5s, hold@1s",
    "right": "hold@1s, yaw:right:75@0.5s, hold@1s, yaw:left:75@0.5s, hold@1s",
}
KINDS = ("source-video",) * 3 + ("geometry-cache",) * 3 + ("model-inferred",) * 10 + ("prompt-only",) * 7
METRICS = {
    "requested_camera_precision": "sound",
    "prompt_camera_alignment": "sound",
    "visual_integrity": "paper",
    "judged_support": "sound",
    "visible_spatial": "paper",
    "visible_state": "paper",
    "reobserved_spatial": "paper",
    "reobserved_state": "paper",
}
REFS = tuple(f"{name}:{variant}" for name, variant in METRICS.items())
PROTOCOL = Protocol(
    name="wrbench",
    summary="",
    metrics=REFS,
    headline=REFS,
    slices=(Slice(fields=("family",)), Slice(fields=("tier",))),
)
FIELDS = parquet.schema(Score)
SCALES = {(name, variant): Scale(0.0, 1.0, 0.0) for name, variant in METRICS.items()}


@dataclass(frozen=True)
class Planted:
    """Effects on the simulated scores; all zero is a null."""

    moved: float = 0.0  # added to visible and re-observed values where the event moves the subject
    changed: float = 0.0  # added to them where it changes in place
    both: float = 0.0  # added where it does both: the interaction
    left_support: float = 1.0  # support towards the left, as a multiple of that towards the right
    in_place_support: float = 1.0  # support of in-place change, as a multiple of that of the others
    state_by_support: float = 0.0  # re-observed state rises by this much from no support to full
    camera_by_support: float = 0.0  # camera alignment, likewise
    larger_visible: float = 0.0  # added to visible values of the larger one of a series
    hard_family: float = 0.0  # taken from every judged value of the first family
    spread: float = 0.05  # of systems' skills
    noise: float = 0.1  # of clips


def tasks(families: int = 10) -> list[Task]:
    return [
        task(
            id=f"f{family:02}-{event}-{camera}",
            scene=f"f{family:02}",
            family=f"f{family:02}",
            action="sit" if family < 6 else "place",
            tier={"none": "T0", "spatial": "T1"}.get(event, "T2"),
            moves=moves,
            changes_in_place=changes,
            camera=path,
        )
        for family in range(families)
        for event, (moves, changes) in EVENTS.items()
        for camera, path in CAMERAS.items()
    ]


def names() -> list[str]:
    """Two of them are the smaller and larger size of one series."""
    return ["twin-1.3b" if n == 6 else "twin-14b" if n == 7 else f"m{n:02}" for n in range(len(KINDS))]


def systems(kinds: Sequence[str] = KINDS) -> list[System]:
    return [
        System(
            name=name,
            card=ModelCard.model_validate(
                {"name": name, "summary": "", "control": "none", "generator": "x", "condition_type": kind}
            ),
        )
        for name, kind in zip(names(), kinds, strict=True)
    ]


def simulated(
    seed: int = 0,
    planted: Planted = Planted(),
    support: Floats | None = None,
    families: int = 10,
) -> Findings:
    """Findings with every dimension; `support` is each system's rate towards the right, drawn where it is not given."""
    rng, asked = np.random.default_rng(seed), tasks(families)
    rates = rng.uniform(0.15, 0.9, len(KINDS)) if support is None else support
    parts = [_of_system(rng, label, rates[n], asked, planted) for n, label in enumerate(names())]
    rows = [row for part in parts for row in part]
    frame = pl.DataFrame(rows, schema=FIELDS, orient="row")
    return Findings(frame, {one.id: one for one in asked}, systems(), PROTOCOL, SCALES)


def _of_system(rng: np.random.Generator, label: str, rate: float, asked: list[Task], planted: Planted) -> list[Any]:
    skill = {metric: 0.6 + planted.spread * rng.standard_normal() for metric in METRICS}
    skill["prompt_camera_alignment"] += planted.camera_by_support * (rate - 0.5)
    skill["reobserved_state"] += planted.state_by_support * (rate - 0.5)
    if label == "twin-14b":
        skill |= {name: skill[name] + planted.larger_visible for name in ("visible_spatial", "visible_state")}
    rows = []
    for one in asked:
        way = one.id.rpartition("-")[2]
        chance = 0.0 if way == "static" else rate * (planted.left_support if way == "left" else 1.0)
        chance *= planted.in_place_support if one.event == "state_only" else 1.0
        seen = bool(rng.random() < chance)
        event = planted.moved * one.moves + planted.changed * one.changes_in_place
        event += planted.both * (one.event == "full") - planted.hard_family * (one.family == "f00")
        for metric in METRICS:
            judged = "visible" in metric or "reobserved" in metric
            drawn = float(np.clip(skill[metric] + planted.noise * rng.standard_normal() + judged * event, 0, 1))
            rows.append(_row(one, label, metric, drawn, seen, way))
    return rows


def _row(one: Task, label: str, metric: str, drawn: float, seen: bool, way: str) -> list[Any]:
    gate: str | None = None
    value: float | None = float(seen) if metric == "judged_support" else drawn
    if metric.startswith("reobserved") and not seen:
        gate, value = "no_opportunity" if way == "static" else "avoided", None
    if metric == "prompt_camera_alignment" and way == "static":
        return _filled(one, label, metric, None, None, "not_applicable")
    return _filled(one, label, metric, value, gate, "gated" if gate else "ok")


def _filled(one: Task, label: str, metric: str, value: float | None, gate: str | None, status: str) -> list[Any]:
    facts = {
        "task": one.id,
        "system": label,
        "protocol": "wrbench",
        "metric": metric,
        "variant": METRICS[metric],
        "instrument": "judge",
        "status": status,
        "gate": gate,
        "value": value,
        "reason": "" if status == "ok" else gate or "no yaw",
    }
    plain = {"seed": 0, "round": 1, "version": 1, "key": "", "inputs": "", "attempt": 0, "evidence": []}
    return [facts.get(name, plain.get(name, None if name in ("low", "high") else "")) for name in FIELDS]


def changed(findings: Findings, *new: pl.Expr, **changes: Any) -> Findings:
    """The findings with some columns of their scores, or other parts, replaced."""
    parts = {name: changes.get(name, getattr(findings, name)) for name in ("tasks", "systems", "protocol", "scales")}
    return Findings(findings.scores.with_columns(*new), **parts)


def cell_at(table: Table, row: str, column: str, group: str | None = None) -> Any:
    """The cell of a row by its title, and of a column by the start of its name."""
    (line,) = [one for one in table.rows if one.title == row and group in (None, one.group)]
    places = [n for n, one in enumerate(table.columns) if one.name == column or one.name.startswith(column + ":")]
    return line.cells[places[0]]
