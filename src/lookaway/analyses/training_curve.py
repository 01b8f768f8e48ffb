"""Checkpoints of one model in the order of training: the headline over the same tasks at every step."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.columns import metric_columns, table_name
from lookaway.analyses.dimensions import readers_in
from lookaway.analyses.summaries import estimate, on_scale
from lookaway.analyses.system_pairs import CASE, system_readings
from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain
from lookaway.phrasing import ReadBy
from lookaway.records import UNNAMED, MetricRef, System, Table, TableCell, TableRow

FEWEST = 3  # checkpoints of one name that make a curve


def training_step(checkpoint: str) -> float | None:
    """The last number in a checkpoint's name: `runs/a/step-2,000` and `step_2000` are 2000, `2k` too; else None.

    >>> training_step("runs/a/step-2,000"), training_step("ema 12k"), training_step("final")
    (2000.0, 12000.0, None)
    """
    name = checkpoint.rstrip("/").rpartition("/")[2]
    found = re.findall(r"(\d[\d,_]*(?:\.\d+)?)([kKmM]?)(?![a-zA-Z])", name)
    if not found or checkpoint.startswith(UNNAMED):
        return None
    digits, unit = found[-1]
    return float(digits.replace(",", "").replace("_", "")) * {"k": 1e3, "m": 1e6}.get(unit.lower(), 1)


def training_curves(findings: Findings) -> list[Table] | Abstain:
    """A curve for every model of which several checkpoints with a number in their names were run."""
    by_name: dict[str, list[tuple[float, System]]] = {}
    for system in findings.systems:
        if (step := training_step(system.checkpoint)) is not None:
            by_name.setdefault(system.name, []).append((step, system))
    curves = {name: sorted(some, key=lambda one: one[0]) for name, some in by_name.items() if len(some) >= FEWEST}
    if not curves:
        return Abstain(f"no model has {FEWEST} checkpoints whose names tell a training step")
    return [_curve(name, steps, findings) for name, steps in curves.items()]


def _curve(name: str, steps: Sequence[tuple[float, System]], findings: Findings) -> Table:
    readings = findings.once(system_readings)
    places = [
        (ref, by)
        for ref in dict.fromkeys(findings.protocol.headline)
        if str(ref) in METRICS.all()
        for by in readers_in(readings, ref)
    ]
    labels = [system.label for _, system in steps]
    parts = [_open_for_all(readings, labels, ref, by, findings) for ref, by in places]
    rows = [
        TableRow(
            title=f"{step:g}",
            cells=tuple(_cell(part, system.label, ref, findings) for part, (ref, _) in _of(parts, places)),
        )
        for step, system in steps
    ]
    return Table(
        name=table_name(
            f"training-{'-'.join(re.findall(r'[a-z0-9]+', name.lower())) or 'model'}", findings.protocol.name
        ),
        title=f"{name} over training",
        shape="curve",
        columns=metric_columns(places),
        rows=tuple(rows),
        notes=(
            "Every step is counted on the same clips, those with a number at all of them; 95 % intervals over scenes.",
        ),
        protocol=findings.protocol.name,
        reading="One row is one checkpoint, in the order of training; compare rows, not columns.",
    )


def _of(
    parts: Sequence[pl.DataFrame], places: Sequence[tuple[MetricRef, ReadBy]]
) -> list[tuple[pl.DataFrame, tuple[MetricRef, ReadBy]]]:
    return list(zip(parts, places, strict=True))


def _open_for_all(
    readings: pl.DataFrame, labels: Sequence[str], ref: MetricRef, by: ReadBy, findings: Findings
) -> pl.DataFrame:
    """The readings of one metric of the clips that have a number in all of the systems."""
    mine = readings.filter(
        (pl.col("metric") == ref.name)
        & (pl.col("variant") == ref.variant)
        & (pl.col("instrument_key") == by.instrument_key)
        & (pl.col("ask_key") == by.ask_key)
        & pl.col("system").is_in(list(labels))
    ).drop_nulls("value")
    scenes = {name: task.scene for name, task in findings.tasks.items()}
    mine = mine.with_columns(scene=pl.col("task").replace_strict(scenes, return_dtype=pl.String))
    everywhere = mine.group_by(*CASE, "round").agg(n=pl.col("system").n_unique()).filter(pl.col("n") == len(labels))
    return mine.join(everywhere, on=[*CASE, "round"], how="semi")


def _cell(part: pl.DataFrame, label: str, ref: MetricRef, findings: Findings) -> TableCell:
    mine = part.filter(pl.col("system") == label)
    if mine.is_empty():
        return TableCell(reason="no clip has a number at every step", n=0)
    found = on_scale(estimate(mine, "value"), ref, findings.scales)
    return TableCell(value=found.value, low=found.low, high=found.high, n=mine.height)
