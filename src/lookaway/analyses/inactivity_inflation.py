"""What a camera that stays where it is does for consistency: numbers and ranks with and without its clips."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import with_holm
from lookaway.analyses.memory_sides import INFLATED
from lookaway.analyses.named_metrics import CLIP, clip_values, ranks, system_means
from lookaway.analyses.over_systems import ContrastLine, over_systems, questions_table
from lookaway.analyses.summaries import estimate
from lookaway.outcomes import Abstain
from lookaway.phrasing import INACTIVITY
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.correlations import spearman

STILL, MOVING = "camera at rest", "camera moving"


class GatedMetric(NamedTuple):
    """A metric's clips, told apart by whether the camera moved."""

    title: str
    every: pl.DataFrame
    moving: pl.DataFrame
    still: pl.DataFrame


@analysis(version=1, title="Inactivity inflation")
def inactivity_inflation(findings: Findings) -> list[Table] | Abstain:
    """Consistency, identity, smoothness and reappearance with and without clips whose camera hardly moves."""
    inactive = clip_values(findings, INACTIVITY[0])
    if isinstance(inactive, Abstain):
        return inactive
    resting = inactive.rows.rename({"value": "rest"})
    metrics, absent = [], []
    for name in INFLATED:
        found = clip_values(findings, name)
        if isinstance(found, Abstain):
            absent.append(found.reason)
            continue
        rows = found.rows.join(resting, on=CLIP, how="left")
        parts = (rows, rows.filter(pl.col("rest") == 0), rows.filter(pl.col("rest") > 0))
        metrics.append(GatedMetric(str(found.ref), *parts))
    if not metrics:
        return Abstain("; ".join(absent))
    notes = tuple(f"Absent: {reason}." for reason in absent)
    return [_ranks_table(metrics, resting, notes, findings), _contrasts_table(metrics, notes, findings)]


def _ranks_table(
    metrics: list[GatedMetric], resting: pl.DataFrame, notes: tuple[str, ...], findings: Findings
) -> Table:
    rows = [row for metric in metrics for row in _metric_rows(metric, findings)]
    return Table(
        name=table_name("inactivity-inflation", findings.protocol.name),
        title="With and without clips whose camera hardly moves",
        columns=(
            Column(name="every", title="all clips", unit="score", better="higher", digits=3),
            Column(name="moving", title="moving camera", unit="score", better="higher", digits=3),
            Column(name="inflation", title="inflation", unit="score", digits=3),
            Column(name="rank", title="rank, all", unit="ranks", digits=1),
            Column(name="moving_rank", title="rank, moving", unit="ranks", digits=1),
            Column(name="lost", title="places lost", unit="ranks", digits=1),
        ),
        rows=tuple(rows),
        notes=(
            "A camera hardly moves if it makes less than a tenth of the turn it was asked for (camera_inactivity). "
            "Inflation is all clips minus moving ones; a clip whose camera nobody could follow is in no moving mean. "
            "Ranks are over systems that have a number; one that never moves has none there.",
            *_correlation_notes(metrics, resting),
            *notes,
        ),
        protocol=findings.protocol.name,
        reading="A system that loses places was ranked by clips in which there was nothing to keep consistent.",
    )


def _metric_rows(metric: GatedMetric, findings: Findings) -> list[TableRow]:
    whole, moving = system_means(metric.every), system_means(metric.moving)
    places, moving_places = ranks(whole), ranks(moving)
    rows = []
    for label in (system.label for system in findings.systems if system.label in whole):
        none = TableCell(reason="its camera moves in no clip")
        moved = label in moving
        cells = (
            _mean_cell(metric.every, label),
            _mean_cell(metric.moving, label) if moved else none,
            TableCell(value=whole[label] - moving[label]) if moved else none,
            TableCell(value=places[label]),
            TableCell(value=moving_places[label]) if moved else none,
            TableCell(value=moving_places[label] - places[label]) if moved else none,
        )
        rows.append(TableRow(title=label, group=metric.title, cells=cells))
    return rows


def _mean_cell(rows: pl.DataFrame, label: str) -> TableCell:
    mine = rows.filter(pl.col("system") == label)
    found = estimate(mine, "value")
    return TableCell(value=found.value, low=found.low, high=found.high, n=mine.height)


def _correlation_notes(metrics: list[GatedMetric], resting: pl.DataFrame) -> list[str]:
    """How a metric goes with the share of clips at rest, over systems."""
    shares = system_means(resting.rename({"rest": "value"}))
    told = []
    for metric in metrics:
        means = system_means(metric.every)
        both = sorted(means.keys() & shares.keys())
        found = spearman(*(np.array([of[label] for label in both]) for of in (shares, means)))
        about = f"{metric.title} against the share of clips at rest, rank correlation over systems"
        if isinstance(found, Abstain):
            told.append(f"{about}: none, {found.reason}.")
            continue
        ends = "" if found.low is None or found.high is None else f" [{found.low:.2f}, {found.high:.2f}]"
        told.append(f"{about}: {found.value:.2f}{ends}.")
    return told


def _contrasts_table(metrics: list[GatedMetric], notes: tuple[str, ...], findings: Findings) -> Table:
    """Within systems: clips at rest minus clips with a moving camera."""
    arms, asked = (STILL, MOVING), len(findings.systems)
    contrasts = [
        over_systems(metric.title, arms, system_means(metric.still), system_means(metric.moving), asked)
        for metric in metrics
    ]
    lines = [ContrastLine("", contrast.name, contrast) for contrast in with_holm(contrasts, "metrics")]
    return questions_table(
        "inactivity-contrasts",
        "Does it pay to stand still? Clips at rest minus clips with a moving camera",
        lines,
        findings,
        "Above 0: within the same systems, clips in which the camera hardly moves score higher.",
        notes,
    )
