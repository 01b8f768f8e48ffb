"""Scores to Cells: each row becomes a few small numbers once, then counts, sums and intervals over scenes.

The result depends on the rows alone, not on the order in which workers wrote them, down to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from lookaway.analyses import Findings, Scale, Scales, analysis
from lookaway.analyses.columns import metric_columns, table_name
from lookaway.analyses.populations import counted_rows, rows_of_arms, sliced_rows
from lookaway.outcomes import Abstain
from lookaway.phrasing import INACTIVITY, inactive_camera, others, readers
from lookaway.records import Cell, Table, TableCell, TableRow
from lookaway.stats.intervals import Floats, scene_mean, scene_rate

CELL = [
    "protocol",
    "metric",
    "variant",
    "version",
    "instrument",
    "instrument_key",
    "ask",
    "ask_key",
    "phase_source",
    "system",
]
STATUSES = ("ok", "not_applicable", "avoided", "no_opportunity", "not_judgeable", "abstained", "no_output", "failed")
COUNTED_AS_WORST = ("avoided", "no_output")
EVERYTHING = "all"


def cells(findings: Findings) -> list[Cell]:
    """One cell per system, metric, variant, version, instrument and ask: over the population, per slice, and per kind
    of twin and branch, which are no part of it."""
    protocol = findings.protocol
    ours = findings.scores.filter(pl.col("protocol") == protocol.name)
    scenes = pl.DataFrame(
        [(task.id, task.scene) for task in findings.tasks.values()],
        schema={"task": pl.String, "scene": pl.String},
        orient="row",
    ).with_columns(pl.col("scene").rank("dense").cast(pl.Int64) - 1)
    identities = ours.select(CELL).unique().sort(CELL)
    rows = (
        ours.lazy()
        .join(scenes.lazy(), on="task")
        .join(identities.lazy().with_columns(cell=pl.int_range(pl.len(), dtype=pl.Int64)), on=CELL)
        .select(
            "cell",
            "scene",
            *("task", "system", "branch", "metric", "variant"),
            *("value", "low", "high"),
            fate=pl.coalesce("gate", "status").cast(pl.Enum(STATUSES)).to_physical().cast(pl.Int64),
        )
        .sort("value", "low", "high")  # floats add up to other last bits in another order
        .collect()
    )
    counted = counted_rows(rows, findings)
    parted = [(counted.with_columns(label=pl.lit(EVERYTHING)), identities)]
    parted += [(sliced_rows(counted, part, findings), identities) for part in protocol.slices]
    parted += [(rows_of_arms(rows, findings), identities)]
    return [cell for part, facts in parted for cell in _part(part, facts, findings.scales)]


def _part(rows: pl.DataFrame, identities: pl.DataFrame, scales: Scales) -> list[Cell]:
    """The cells of one way to part the rows, by label and then by identity."""
    if not rows.height:
        return []
    labels = rows["label"].unique().sort()
    rows = rows.with_columns(label=pl.col("label").rank("dense").cast(pl.Int64) - 1)
    facts, scenes = identities.rows(named=True), int(rows["scene"].max() or 0) + 1  # type: ignore[arg-type]
    scene, fate, value = (rows[column].to_numpy() for column in ("scene", "fate", "value"))
    place, places = rows["label"].to_numpy() * len(facts) + rows["cell"].to_numpy(), len(labels) * len(facts)
    table = np.bincount(place * len(STATUSES) + fate, minlength=places * len(STATUSES))
    counts = table.reshape(-1, len(STATUSES)).tolist()

    ok = fate == STATUSES.index("ok")
    bounds = _bounds(rows.filter(ok), place[ok], places)
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
                slice=labels[label],
                n=sum(counts[number]),
                scenes=here.stop - here.start,
                floor=_floor(seen, float(sums[here].sum()), scale),
                **facts[cell],
                **seen,
                **_estimate(sums[here], measured[here], bool(graded[number]), scale),
                **bounds.get(number, {}),
            )
        )
    return made


def _bounds(ok: pl.DataFrame, place: Floats, places: int) -> dict[int, dict[str, float]]:
    """Means of what the measurements allow, for cells in which any measurement tells its bounds."""
    if ok["low"].null_count() == ok.height:
        return {}
    n = np.bincount(place, minlength=places)
    told = np.bincount(place, ok["low"].is_not_null().to_numpy(), places)
    low, high = (np.bincount(place, ok[end].fill_null(ok["value"]).to_numpy(), places) for end in ("low", "high"))
    return {
        int(spot): {"measured_low": float(low[spot] / n[spot]), "measured_high": float(high[spot] / n[spot])}
        for spot in np.flatnonzero(told)
    }


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


@analysis(name="cells", version=1, title="Headline")
def cell_tables(findings: Findings) -> list[Table] | Abstain:
    """The headline: a row per system, a column per metric, instrument and ask, over the protocol's population."""
    protocol = findings.protocol
    whole = [cell for cell in findings.once(cells) if cell.slice == EVERYTHING]
    metrics = [(ref, by) for ref in protocol.headline for by in readers(ref, whole)]
    if not whole or not metrics:
        return Abstain("the protocol has no headline" if whole else "nothing was scored")
    places = {(c.system, c.metric, c.variant, c.instrument_key, c.ask_key): c for c in whole}  # the newest version last
    flags = {c.system: inactive_camera(c) for c in whole if (c.metric, c.variant) == INACTIVITY}
    rows = []
    for system in (one.label for one in findings.systems):
        mine = (places.get((system, r.name, r.variant, by.instrument_key, by.ask_key)) for r, by in metrics)
        rows.append(TableRow(title=system, cells=tuple(_table_cell(cell, bool(flags.get(system))) for cell in mine)))
    return [
        Table(
            name=table_name("cells", protocol.name),
            title=f"{protocol.name}: {protocol.summary}",
            columns=metric_columns(metrics),
            rows=tuple(rows),
            notes=tuple(f"{system}: {flag}" for system, flag in flags.items() if flag),
            protocol=protocol.name,
            reading="Means over the clips that could be measured, n of all clips, with 95 % intervals over scenes.",
        )
    ]


def _table_cell(cell: Cell | None, inactive: bool) -> TableCell:
    if cell is None or cell.value is None:
        return TableCell(reason="not scored" if cell is None else others(cell), n=0, total=cell.n if cell else 0)
    return TableCell(
        value=cell.value,
        low=cell.low,
        high=cell.high,
        measured_low=cell.measured_low,
        measured_high=cell.measured_high,
        n=cell.ok,
        total=cell.n,
        marks=("inactive",) if inactive else (),
    )
