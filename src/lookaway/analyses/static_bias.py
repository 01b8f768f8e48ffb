"""Static bias: does the scene stop changing when the camera moves? Both arms are observed; only the camera differs."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import contrast, difference_cell, with_holm
from lookaway.analyses.pairs import QUESTION, ContrastArm, metric_readings
from lookaway.geometry.asked import stands_still
from lookaway.outcomes import Abstain
from lookaway.phrasing import titled
from lookaway.records import Column, MetricRef, Table, TableRow, Task

PROGRESS = "state_progress"
MOVING, RESTING = ContrastArm("camera moves"), ContrastArm("camera rests")
PLACE = ["system", "seed", "round", *QUESTION, "pair"]


@analysis(version=1, title="Static bias")
def static_bias(findings: Findings) -> list[Table] | Abstain:
    """Progress in observed videos whose camera moves, against those of the same process whose camera rests."""
    pairs = _pairs(findings)
    readings = pairs.drop_nulls(["first", "second"]).select(QUESTION).unique(maintain_order=True).rows()
    if not readings:
        return Abstain(
            "no process is observed both by a camera that moves and by one that rests, with verdicts on both"
        )
    return [_table(reading, number, pairs, findings) for number, reading in enumerate(readings)]


def _arm(task: Task) -> str | None:
    """Which side an observed task is on; others are on none."""
    if task.twin != "observed" or task.cover:
        return None
    return "second" if not task.camera_asked or stands_still(task) else "first"


def _pairs(findings: Findings) -> pl.DataFrame:
    """A row per process, system and seed: progress with a moving camera (`first`) and a resting one (`second`)."""
    sides = {name: arm for name, task in findings.tasks.items() if (arm := _arm(task))}
    process = {name: _process(findings.tasks[name]) for name in sides}
    scenes = {_process(task): task.scene for task in findings.tasks.values()}
    mine = metric_readings(findings.scores, findings.protocol).filter(
        (pl.col("metric") == PROGRESS) & pl.col("task").is_in(list(sides)) & (pl.col("branch") == "")
    )
    placed = mine.with_columns(
        pair=pl.col("task").replace_strict(process, return_dtype=pl.String),
        side=pl.col("task").replace_strict(sides, return_dtype=pl.String),
    )
    first, second = (_side(placed, name) for name in ("first", "second"))
    found = first.join(second, on=PLACE, how="inner")
    return found.with_columns(scene=pl.col("pair").replace_strict(scenes, return_dtype=pl.String)).sort(PLACE)


def _process(task: Task) -> str:
    return "\n".join((task.scene, task.family, task.action_control))


def _side(placed: pl.DataFrame, name: str) -> pl.DataFrame:
    mine = placed.filter(pl.col("side") == name).sort("task")
    return mine.group_by(PLACE, maintain_order=True).agg(
        pl.col("value").mean().alias(name), pl.col("reason").first().alias(f"{name}_reason")
    )


def _table(reading: tuple[str, ...], number: int, pairs: pl.DataFrame, findings: Findings) -> Table:
    mine = pairs.filter(pl.all_horizontal(pl.col(name) == each for name, each in zip(QUESTION, reading, strict=True)))
    labels = [system.label for system in findings.systems]
    made = with_holm(
        [contrast(label, mine.filter(pl.col("system") == label), MOVING, RESTING, most=1.0) for label in labels],
        "systems",
    )
    return Table(
        name=table_name(f"static-bias{number + 1 if number else ''}", findings.protocol.name),
        title=f"Static bias: {titled(MetricRef(name=reading[0], variant=reading[1]))}",
        columns=(Column(name="difference", title="camera moves minus camera rests", unit="rate"),),
        rows=tuple(TableRow(title=one.name, cells=(difference_cell(one),)) for one in made),
        notes=(
            "Pairs of observed videos of one process, system and seed; nothing is ever hidden in them. Intervals are "
            "95 % over scenes; marked: sign-flip permutation over scenes, Holm over systems.",
        ),
        protocol=findings.protocol.name,
        reading="Below 0: the scene goes on less while the camera moves, though it is in full view.",
    )
