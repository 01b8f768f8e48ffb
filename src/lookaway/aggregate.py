"""Scores to Cells: each row becomes a few small numbers once, then counts, sums and intervals over scenes.

The result depends on the rows alone, not on the order in which workers wrote them, down to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from lookaway import dose
from lookaway.records import Board, Cell, LedgerStep, Protocol, Task
from lookaway.stats.intervals import Floats, scene_mean, scene_rate

CELL = ["protocol", "metric", "variant", "version", "instrument", "phase_source", "system"]
CLIP = ["system", "task", "seed"]
STATUSES = ("ok", "not_applicable", "avoided", "no_opportunity", "abstained", "no_output", "failed")
COUNTED_AS_WORST = ("avoided", "no_output")
SLICES = ("all", "category", "event")


class Scale(NamedTuple):
    """What is known of a metric's values: the smallest, the largest, and which of them is the worst."""

    low: float
    high: float
    worst: float


Scales = Mapping[tuple[str, str], Scale]  # by metric and variant; absent where a metric has no fixed range


def cells(scores: pl.DataFrame, tasks: Iterable[Task], scales: Scales) -> list[Cell]:
    """One cell per system, metric, variant, version and instrument, over everything and per slice."""
    facts = pl.DataFrame(
        [(t.id, t.scene, "", t.category, t.event) for t in tasks],
        schema=dict.fromkeys(("task", "scene", *SLICES), pl.String),
        orient="row",
    )
    numbered = facts.with_columns(pl.col("scene", *SLICES).rank("dense").cast(pl.Int64) - 1)
    identities = scores.select(CELL).unique().sort(CELL)
    rows = (
        scores.lazy()
        .join(numbered.lazy(), on="task")
        .join(identities.lazy().with_columns(cell=pl.int_range(pl.len(), dtype=pl.Int64)), on=CELL)
        .select("cell", "scene", *SLICES, "value", fate=pl.coalesce("gate", "status").cast(pl.Enum(STATUSES)))
        .with_columns(pl.col("fate").to_physical().cast(pl.Int64))
        .sort("value")  # floats add up to other last bits in another order
        .collect()
    )
    labels = {name: facts[name].unique().sort().to_list() for name in SLICES}
    return [cell for name in SLICES for cell in _slice(rows, name, labels[name], identities, scales)]


def _slice(
    rows: pl.DataFrame, name: str, labels: Sequence[str], identities: pl.DataFrame, scales: Scales
) -> list[Cell]:
    """The cells of one slicing, by label and then by identity."""
    facts, scenes = identities.rows(named=True), int(rows["scene"].max() or 0) + 1  # type: ignore[arg-type]
    scene, fate, value = (rows[column].to_numpy() for column in ("scene", "fate", "value"))
    place, places = rows[name].to_numpy() * len(facts) + rows["cell"].to_numpy(), len(labels) * len(facts)
    table = np.bincount(place * len(STATUSES) + fate, minlength=places * len(STATUSES))
    counts = table.reshape(-1, len(STATUSES)).tolist()

    ok = fate == STATUSES.index("ok")
    place, scene, value = place[ok], scene[ok], value[ok]
    spots, spot = np.unique(place * scenes + scene, return_inverse=True)
    sums, measured = (np.bincount(spot, weights).astype(np.float64) for weights in (value, None))
    graded = np.bincount(place, (value != 0) & (value != 1), places) > 0
    ends = np.searchsorted(spots, np.arange(places + 1) * scenes).tolist()

    made = []
    for number in np.flatnonzero(table.reshape(-1, len(STATUSES)).any(axis=1)).tolist():
        label, cell = divmod(number, len(facts))
        here = slice(ends[number], ends[number + 1])
        seen = dict(zip(STATUSES, counts[number], strict=True))
        scale = scales.get((facts[cell]["metric"], facts[cell]["variant"]))
        made.append(
            Cell(
                slice="all" if name == "all" else f"{name}={labels[label]}",
                n=sum(counts[number]),
                scenes=here.stop - here.start,
                floor=_floor(seen, float(sums[here].sum()), scale),
                **facts[cell],
                **seen,
                **_estimate(sums[here], measured[here], bool(graded[number]), scale),
            )
        )
    return made


def _estimate(sums: Floats, counts: Floats, graded: bool, scale: Scale | None) -> dict[str, Any]:
    """`value`, `low`, `high` and `method` of a cell; an interval ends where the metric's values do."""
    if not len(sums):
        return {"value": None, "low": None, "high": None, "method": "nothing measured"}
    found = scene_mean(sums, counts) if graded else scene_rate(sums, counts)
    if scale is not None and found.low is not None and found.high is not None:
        found = found._replace(low=max(found.low, scale.low), high=min(found.high, scale.high))
    return found._asdict()


def _floor(seen: Mapping[str, int], total: float, scale: Scale | None) -> float | None:
    """The mean if every output that avoided the question or never came counted as the worst value."""
    missing = sum(seen[name] for name in COUNTED_AS_WORST)
    if scale is None or seen["ok"] + missing == 0:
        return None
    return (total + scale.worst * missing) / (seen["ok"] + missing)


def fates(scores: pl.DataFrame, protocol: Protocol) -> pl.DataFrame:
    """One row per clip: `lost`, the number of the ledger's step at which it stopped, or null if it walked through.

    A clip stops at the first step whose metric, in its newest version, misses the bound or has no number; a step that
    does not apply to its task is passed. `value` and `reason` are that metric's; `gated` says whether any of the
    ledger's metrics was gated. With the steps place >= 0.5 and state >= 0.8:

        task  place  state      lost  value
        a     0.9    0.7    ->  1     0.7
        b     0.2    0.9    ->  0     0.2
        c     none   0.9    ->  0     null
        d     0.9    0.9    ->  null  null
    """
    asked = pl.col("metric").is_in([step.metric for step in protocol.ledger])
    ours = (
        scores.filter((pl.col("protocol") == protocol.name) & asked)
        .select(*CLIP, "metric", "version", "status", "value", "reason")
        .filter(pl.col("version") == pl.col("version").max().over("metric"))
    )
    going = ours.group_by(CLIP).agg(gated=(pl.col("status") == "gated").any())
    stopped = []
    for number, step in enumerate(protocol.ledger):
        worst_first = ours.filter(pl.col("metric") == step.metric).sort("value", descending=step.at_most is not None)
        rows = worst_first.select(*CLIP, "status", "value", "reason").unique(CLIP, keep="first", maintain_order=True)
        here = going.join(rows, on=CLIP, how="left").with_columns(lost=pl.lit(number, pl.Int64))
        within = pl.col("value") >= step.at_least if step.at_most is None else pl.col("value") <= step.at_most
        fine = within.fill_null(False) | (pl.col("status") == "not_applicable").fill_null(False)
        stopped.append(here.filter(~fine).drop("status"))
        going = here.filter(fine).select(*CLIP, "gated")
    through = going.with_columns(
        value=pl.lit(None, pl.Float64), reason=pl.lit("", pl.String), lost=pl.lit(None, pl.Int64)
    )
    return pl.concat([*stopped, through]).sort(CLIP)


def ledger(scores: pl.DataFrame, protocol: Protocol, systems: Iterable[str]) -> list[LedgerStep]:
    """How far each system's clips got, step by step, and the reason at the step where they stopped."""
    clips = fates(scores, protocol)
    steps = []
    for system in systems:
        mine = clips.filter(pl.col("system") == system)
        reached = mine.height
        for number, step in enumerate(protocol.ledger):
            why = pl.col("reason").fill_null("not scored").replace("", f"{step.metric} {step.miss}")
            lost = mine.filter(pl.col("lost") == number).group_by(why.alias("why")).len()
            lost = lost.sort(["len", "why"], descending=[True, False])
            reached -= int(lost["len"].sum())
            steps.append(
                LedgerStep(
                    system=system,
                    step=step.name,
                    reached=reached,
                    total=mine.height,
                    lost=dict(zip(lost["why"], lost["len"], strict=True)),
                )
            )
    return steps


def board(
    suite: str,
    suite_version: str,
    systems: Iterable[str],
    protocols: Iterable[Protocol],
    tasks: Iterable[Task],
    scores: pl.DataFrame,
    scales: Scales,
    not_measured: Mapping[str, str],
    environment: Mapping[str, str],
    contexts: Mapping[str, float] | None = None,
) -> Board:
    """Everything a report shows, in one record; `contexts` are the systems' context windows in seconds, where known."""
    systems, protocols, tasks = list(systems), list(protocols), list(tasks)
    current = scores.select(*CELL, "task", "seed", "status", "gate", "value", "reason").filter(
        pl.col("system").is_in(systems)
        & pl.col("task").is_in([t.id for t in tasks])
        & pl.col("protocol").is_in([p.name for p in protocols])
    )
    return Board(
        suite=suite,
        suite_version=suite_version,
        systems=tuple(systems),
        protocols=tuple(protocols),
        cells=tuple(cells(current, tasks, scales)),
        ledger=tuple(step for p in protocols for step in ledger(current, p, systems)),
        dose=tuple(
            curve for p in protocols for curve in dose.curves(fates(current, p), p, tasks, systems, contexts or {})
        ),
        not_measured=dict(not_measured),
        environment=dict(environment),
    )
