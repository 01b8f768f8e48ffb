"""Rows of clips to one cell: a mean with interval, n and total, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from lookaway.analyses import Findings, Scales
from lookaway.analyses.clip_rows import UNKNOWN, clip_rows
from lookaway.analyses.dimensions import REOBSERVED, SUPPORT, DimensionReading, Panel
from lookaway.phrasing import commonest
from lookaway.records import Mark, MetricRef, TableCell
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.intervals import Estimate, scene_mean, scene_rate
from lookaway.stats.jackknife import jackknifed

SPARSE_CLIPS, SPARSE_SHARE = 10, 0.10  # fewer clips, or a smaller share of the outputs, and a mean is marked

Parts = Mapping[tuple[object, ...], pl.DataFrame]


def rows_of(reading: DimensionReading, findings: Findings) -> pl.DataFrame:
    """The rows of one reading."""
    rows = findings.once(_rows_by_reading).get(reading.key)
    return findings.once(clip_rows).clear() if rows is None else rows


def _rows_by_reading(findings: Findings) -> Parts:
    return parted(findings.once(clip_rows), "metric", "variant", "instrument_key", "ask_key")


def parted(rows: pl.DataFrame, *fields: str) -> Parts:
    """The rows by the values of some fields."""
    return rows.partition_by(list(fields), as_dict=True, maintain_order=True)


def counts_as(reading: DimensionReading) -> str:
    """Which column is averaged: support counts every output, the others only the clips that posed the question."""
    return "credited" if reading.dimension == SUPPORT else "value"


def summary_cell(rows: pl.DataFrame | None, reading: DimensionReading, scales: Scales) -> TableCell:
    """The mean of a reading over some of its rows; bounds tell what the clips of which nobody knows could change."""
    if rows is None or rows.is_empty():
        return TableCell(reason="not scored", n=0, total=0)
    column = counts_as(reading)
    known = rows.drop_nulls(column)
    if known.is_empty():
        return TableCell(reason=why_nothing(rows), n=0, total=rows.height)
    found = on_scale(estimate(known, column), reading.ref, scales)
    bounds = _bounds(rows, known) if reading.dimension == SUPPORT else {}
    cell = TableCell(value=found.value, low=found.low, high=found.high, n=known.height, total=rows.height, **bounds)
    few = reading.dimension in REOBSERVED and known.height < SPARSE_CLIPS
    return marked(cell, "sparse") if few else cell


def on_scale(found: Estimate, ref: MetricRef, scales: Scales) -> Estimate:
    """The estimate with an interval that ends where the metric's scale does."""
    scale = scales.get((ref.name, ref.variant))
    if scale is None or found.low is None or found.high is None:
        return found
    return found._replace(low=max(found.low, scale.low), high=min(found.high, scale.high))


def estimate(known: pl.DataFrame, column: str) -> Estimate:
    """The mean of a column without gaps, its interval over scenes."""
    sums, counts = scene_totals(known, column)
    binary = bool(known[column].is_in([0.0, 1.0]).all())
    return scene_rate(sums, counts) if binary else scene_mean(sums, counts)


def scene_totals(known: pl.DataFrame, column: str) -> tuple[Floats, Floats]:
    """Each scene's sum and number of rows, by the scene's name."""
    by_scene = known.sort(column).group_by("scene", maintain_order=True).agg(sum=pl.col(column).sum(), n=pl.len())
    by_scene = by_scene.sort("scene")
    return by_scene["sum"].to_numpy().astype(np.float64), by_scene["n"].to_numpy().astype(np.float64)


def totals_by_scene(parts: Sequence[tuple[pl.DataFrame, str]]) -> Floats:
    """(scenes, 2 x parts): sum and number of the rows with a number, for each part and scene; 0 where it has none."""
    scenes = sorted({name for rows, _ in parts for name in rows["scene"]})
    place = {name: number for number, name in enumerate(scenes)}
    made = np.zeros((len(scenes), 2 * len(parts)))
    for number, (rows, column) in enumerate(parts):
        known = rows.drop_nulls(column)
        where = [place[name] for name in known["scene"]]
        values = known[column].to_numpy()
        order = np.argsort(values, kind="stable")
        np.add.at(made[:, 2 * number], np.array(where, int)[order], values[order])
        np.add.at(made[:, 2 * number + 1], where, 1.0)
    return made


def mean_difference(
    first: pl.DataFrame | None, second: pl.DataFrame | None, column: str, most: float | None = None
) -> TableCell:
    """The mean of one part minus that of another, with an interval over the scenes of both; none beyond `most`."""
    whole = [(part, column) for part in (first, second) if part is not None and part.drop_nulls(column).height]
    found = jackknifed(totals_by_scene(whole), _of_totals) if len(whole) == 2 else None
    if found is None:
        return TableCell(reason="one of the two has no number")
    n = sum(part.drop_nulls(column).height for part, _ in whole)
    low, high = found.low, found.high
    if most is not None and low is not None and high is not None:
        low, high = max(low, -most), min(high, most)
    return TableCell(value=found.value, low=low, high=high, n=n)


def _of_totals(totals: Floats) -> float:
    return float(totals[0] / totals[1] - totals[2] / totals[3]) if totals[1] and totals[3] else float("nan")


def why_nothing(rows: pl.DataFrame) -> str:
    counted = rows["reason"].value_counts().sort(["count", "reason"], descending=[True, False])
    return commonest(dict(counted.iter_rows())) or "nothing measured"


def _bounds(rows: pl.DataFrame, known: pl.DataFrame) -> dict[str, float]:
    unknown = rows.filter(pl.col("fate").is_in(UNKNOWN)).height
    if not unknown:
        return {}
    total, n = float(known["credited"].sum()), known.height + unknown
    return {"measured_low": total / n, "measured_high": (total + unknown) / n}


def is_sparse(cell: TableCell, support: TableCell | None) -> bool:
    """Whether a conditional mean comes from too few clips or too small a share of the outputs to be compared."""
    if cell.value is None or cell.n is None:
        return False
    share = support.value if support is not None and support.value is not None else cell.n / (cell.total or cell.n)
    return cell.n < SPARSE_CLIPS or share < SPARSE_SHARE


def marked(cell: TableCell, *marks: Mark) -> TableCell:
    kept = tuple(dict.fromkeys((*cell.marks, *marks)))
    return cell if cell.value is None else cell.model_copy(update={"marks": kept})


SystemCells = Mapping[str, Mapping[DimensionReading, TableCell]]  # by label of the system


def system_cells(findings: Findings, panel: Panel) -> SystemCells:
    """Every system's mean in every reading of the panel; re-observed means from few clips are marked sparse."""
    parts = {reading: parted(rows_of(reading, findings), "system") for reading in panel.readings}
    found: dict[str, dict[DimensionReading, TableCell]] = {}
    for label in (system.label for system in findings.systems):
        cells = {one: summary_cell(of.get((label,)), one, findings.scales) for one, of in parts.items()}
        support = panel.only(SUPPORT)
        asked = cells[support] if isinstance(support, DimensionReading) else None
        found[label] = {
            one: marked(cell, "sparse") if one.dimension in REOBSERVED and is_sparse(cell, asked) else cell
            for one, cell in cells.items()
        }
    return found
