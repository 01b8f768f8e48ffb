"""How memory fades: the share of clips that walk the whole ledger, against how much was asked of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.ledger import clip_fates
from lookaway.geometry.asked import largest_turn_deg
from lookaway.outcomes import Abstain
from lookaway.phrasing import DOSES, point_dose, with_reader
from lookaway.records import Column, DoseCurve, DoseKind, DosePoint, Protocol, Table, TableCell, TableRow, Task
from lookaway.stats.intervals import scene_rate

MOST_POINTS = 6
TASKS_PER_POINT = 2  # at least, where doses have to be pooled: one task is no rate
HIDDEN_STEP_S, ROTATION_STEP_DEG = 0.0625, 2.0  # doses closer than this are the same dose


def hidden_s(task: Task) -> float:
    """Seconds for which the task's subject is out of view, all look-aways together."""
    return sum(interval.end_s - interval.start_s for interval in task.phases if interval.phase == "hidden")


def dose_curves(findings: Findings) -> list[DoseCurve]:
    """The curves of every system of the findings."""
    if not findings.protocol.ledger:
        return []
    contexts = {s.label: s.card.context_s for s in findings.systems if s.card.context_s is not None}
    labels = [system.label for system in findings.systems]
    return curves(findings.once(clip_fates), findings.protocol, findings.tasks.values(), labels, contexts)


def curves(
    clips: pl.DataFrame,
    protocol: Protocol,
    tasks: Iterable[Task],
    systems: Sequence[str],
    contexts: Mapping[str, float],
) -> list[DoseCurve]:
    """State correctness per system against hidden seconds, context windows and rotation.

    `clips` are the protocol's `ledger.fates`; a clip is right if it reached every step, wrong if the step where it
    was lost has a number, and without a verdict if it became unknown or avoided the question (gated).
    """
    seen = set(clips["task"])
    asked = [task for task in tasks if task.id in seen and hidden_s(task) > 0 and task.camera_asked]
    if not protocol.ledger or not asked:
        return []
    by_time = pooled({task.id: hidden_s(task) for task in asked}, HIDDEN_STEP_S)
    by_turn = pooled({task.id: largest_turn_deg(task) for task in asked}, ROTATION_STEP_DEG)
    scenes = {task.id: task.scene for task in asked}
    right = pl.col("outcome") == "reached"
    judged = clips.with_columns(right=right, verdict=right | (pl.col("value").is_not_null() & ~pl.col("gated")))
    found = []
    for system, instruments in itertools.product(systems, clips["instruments"].unique().sort()):
        mine = judged.filter((pl.col("system") == system) & (pl.col("instruments") == instruments))
        facts = {"protocol": protocol.name, "system": system, "instruments": instruments}
        in_time = _points(mine, by_time, scenes)
        found.append(DoseCurve(**facts, dose="hidden_s", points=in_time))
        if (context := contexts.get(system)) is not None:
            found.append(DoseCurve(**facts, dose="context", points=tuple(_divided(p, context) for p in in_time)))
        else:
            found.append(DoseCurve(**facts, dose="context", reason="the model card tells no context window"))
        found.append(DoseCurve(**facts, dose="rotation_deg", points=_points(mine, by_turn, scenes)))
    return found


Group = Mapping[str, float]  # the doses of tasks that share a point


def pooled(doses: Mapping[str, float], step: float) -> list[Group]:
    """Tasks with the same dose together; where there are too many doses, neighbours pooled to points of like size.

    >>> pooled({"a": 1.0, "b": 1.02, "c": 2.0, "d": 2.0}, step=0.0625)
    [{'a': 1.0, 'b': 1.02}, {'c': 2.0, 'd': 2.0}]
    >>> pooled({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}, step=0.0625)  # four doses, and two tasks at least make a point
    [{'a': 1.0, 'b': 2.0}, {'c': 3.0, 'd': 4.0}]
    """
    same: dict[int, dict[str, float]] = {}
    for task, dose in sorted(doses.items(), key=lambda item: (item[1], item[0])):
        same.setdefault(round(dose / step), {})[task] = dose
    if len(same) <= min(MOST_POINTS, max(1, len(doses) // TASKS_PER_POINT)):
        return list(same.values())
    points = max(1, min(MOST_POINTS, len(doses) // TASKS_PER_POINT))
    pools: list[dict[str, float]] = [{}]
    done = 0
    for group in same.values():
        if len(pools[-1]) >= TASKS_PER_POINT and done >= len(pools) * len(doses) / points:
            pools.append({})
        pools[-1].update(group)
        done += len(group)
    if len(pools) > 1 and len(pools[-1]) < TASKS_PER_POINT:
        pools[-2].update(pools.pop())
    return list(pools)


def _points(clips: pl.DataFrame, groups: Iterable[Group], scenes: Mapping[str, str]) -> tuple[DosePoint, ...]:
    points = [_point(clips.filter(pl.col("task").is_in(list(group))), group, scenes) for group in groups]
    return tuple(point for point in points if point.n)


def _point(clips: pl.DataFrame, group: Group, scenes: Mapping[str, str]) -> DosePoint:
    doses = [group[task] for task in sorted(set(clips["task"]))]
    judged = clips.filter("verdict").with_columns(scene=pl.col("task").replace_strict(scenes, return_dtype=pl.String))
    by_scene = judged.group_by("scene").agg(right=pl.col("right").sum(), n=pl.len()).sort("scene")
    right, counts = (by_scene[name].cast(pl.Float64).to_numpy() for name in ("right", "n"))
    rate = scene_rate(right, counts) if judged.height else None
    return DosePoint(
        dose=float(np.mean(doses)) if doses else 0.0,
        dose_low=min(doses, default=0.0),
        dose_high=max(doses, default=0.0),
        tasks=len(doses),
        scenes=by_scene.height,
        n=clips.height,
        ok=judged.height,
        other=clips.height - judged.height,
        value=rate.value if rate else None,
        low=rate.low if rate else None,
        high=rate.high if rate else None,
        method=rate.method if rate else "nothing measured",
        floor=float(right.sum()) / clips.height if clips.height else None,
    )


def _divided(point: DosePoint, by: float) -> DosePoint:
    doses = {name: getattr(point, name) / by for name in ("dose", "dose_low", "dose_high")}
    return point.model_copy(update=doses)


@analysis(name="dose", version=1, title="How memory fades")
def dose_tables(findings: Findings) -> list[Table] | Abstain:
    """State correctness against hidden seconds, context windows and rotation, one table each; a row per point."""
    if not findings.protocol.ledger:
        return Abstain("the protocol has no ledger")
    found = findings.once(dose_curves)
    if not any(curve.points for curve in found):
        return Abstain("no clip of a task that hides its subject was scored")
    by_kind = {kind: [curve for curve in found if curve.dose == kind] for kind in DOSES}
    tables = [_table(kind, mine, findings.protocol) for kind, mine in by_kind.items() if any(c.points for c in mine)]
    notes = tuple(
        f"{curve.system}: no curve against {DOSES[curve.dose]}, {curve.reason}" for curve in found if curve.reason
    )
    return [tables[0].model_copy(update={"notes": notes}), *tables[1:]]


def _table(kind: DoseKind, curves: Sequence[DoseCurve], protocol: Protocol) -> Table:
    rows = [
        TableRow(title=point_dose(point), group=with_reader(curve.system, curve.instruments), cells=_row_cells(point))
        for curve in curves
        for point in curve.points
    ]
    return Table(
        name=table_name(f"dose-{kind.replace('_', '-')}", protocol.name),
        title=f"How memory fades with {DOSES[kind]}",
        shape="curve",
        columns=(
            Column(name="dose", title=DOSES[kind]),
            Column(name="right", title=protocol.ledger[-1].name, unit="rate", better="higher"),
            Column(name="floor", title="if the others count as wrong", unit="rate", better="higher"),
            Column(name="scenes", title="n", unit="scenes"),
        ),
        rows=tuple(rows),
        protocol=protocol.name,
        reading="The share of clips that reach every step of the ledger, among those with a verdict, n of all clips.",
    )


def _row_cells(point: DosePoint) -> tuple[TableCell, ...]:
    counts = {"n": point.ok, "total": point.n}
    if point.value is None:
        right = TableCell(reason=point.method, **counts)
    else:
        right = TableCell(value=point.value, low=point.low, high=point.high, **counts)
    floor = TableCell(reason="no clips") if point.floor is None else TableCell(value=point.floor, n=point.n)
    return TableCell(value=point.dose), right, floor, TableCell(value=point.scenes)
