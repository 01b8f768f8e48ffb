"""Scores to Cells: each row becomes a few small numbers once, then counts, sums and intervals over scenes.

The result depends on the rows alone, not on the order in which workers wrote them, down to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookaway.analyses import Findings, Scale, Scales, analysis, rows_where
from lookaway.analyses.columns import metric_columns, table_name, unverified_note
from lookaway.analyses.populations import Ints, arm_labels, counted, distinct, slice_labels
from lookaway.outcomes import Abstain
from lookaway.phrasing import INACTIVITY, inactive_camera, others, readers
from lookaway.records import Cell, Mark, Table, TableCell, TableRow
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

Codes = NDArray[np.int32]  # rows are picked several times over, and half the memory is read in a fifth of the time


@dataclass(frozen=True)
class CodedRows:
    """Scores as numbers, one entry per row, ordered by value: floats add up to other last bits in another order."""

    identities: pl.DataFrame  # one row per cell, in the order of CELL
    cell: Codes  # row of `identities`
    task: Codes  # place in `findings.tasks`
    system: Codes  # place in `systems`
    systems: tuple[str, ...]
    scene: Codes
    fate: Codes  # place in STATUSES
    branch: Codes  # place in `branches`
    branches: tuple[str, ...]
    value: Floats  # not a number where there is none
    low: Floats  # empty where no row has bounds
    high: Floats

    def kept(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> CodedRows:
        if rows.dtype == np.bool_ and rows.all():
            return self
        names = ("cell", "task", "system", "scene", "fate", "branch", "value")
        bounds = ("low", "high") if len(self.low) else ()
        return replace(self, **{name: getattr(self, name)[rows] for name in (*names, *bounds)})

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Rows with a number."""
        return np.asarray(self.fate == STATUSES.index("ok"))

    @cached_property
    def measured_rows(self) -> CodedRows:
        return self.kept(self.measured)


def coded_rows(findings: Findings) -> CodedRows:
    """The rows of the findings' protocol and tasks."""
    tasks = list(findings.tasks.values())
    ours = rows_where(
        findings.scores,
        (pl.col("protocol") == findings.protocol.name) & pl.col("task").is_in([task.id for task in tasks]),
    )
    codes = {name: _codes(ours[name]) for name in (*CELL, "branch")}
    cell, first = _identified([codes[name] for name in CELL])
    _, scenes = np.unique([task.scene for task in tasks], return_inverse=True)
    task = ours["task"].cast(pl.Enum([task.id for task in tasks])).to_physical().to_numpy().astype(np.int64)
    numbers = {name: ours[name].fill_null(float("nan")).to_numpy() for name in ("value", "low", "high")}
    if not ours["low"].count():
        numbers |= {"low": np.zeros(0), "high": np.zeros(0)}
    coded = CodedRows(
        identities=ours[first].select(CELL),
        cell=cell.astype(np.int32),
        task=task.astype(np.int32),
        system=codes["system"].place.astype(np.int32),
        systems=codes["system"].names,
        scene=scenes[task].astype(np.int32),
        fate=_fates(ours).astype(np.int32),
        branch=codes["branch"].place.astype(np.int32),
        branches=codes["branch"].names,
        **numbers,
    )
    if not len(coded.low):
        return coded.kept(np.argsort(coded.value, kind="stable"))
    return coded.kept(np.lexsort((coded.high, coded.low, coded.value)))


class _Codes(NamedTuple):
    names: tuple[str, ...]  # in order
    place: Ints


def _codes(column: pl.Series) -> _Codes:
    """Each value as its place among the sorted values."""
    if column.dtype != pl.String:
        values, place = distinct(column.to_numpy().astype(np.int64))
        return _Codes(tuple(map(str, values)), place)
    names = column.unique().sort()
    if len(names) == 1:
        return _Codes(tuple(names), np.zeros(len(column), np.int64))
    return _Codes(tuple(names), column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64))


def _identified(columns: Sequence[_Codes]) -> tuple[Ints, Ints]:
    """A number for each combination of values, in their order, and a row that has it."""
    code = np.zeros(len(columns[0].place), np.int64)
    for column in columns:
        if len(column.names) > 1:
            code = (distinct(code)[1] if code.max(initial=0) > 1 << 31 else code) * len(column.names) + column.place
    found, cell = distinct(code)
    first = np.zeros(len(found), np.int64)
    first[cell[::-1]] = np.arange(len(cell))[::-1]  # of several rows the first is written last
    return cell, first


def _fates(ours: pl.DataFrame) -> Ints:
    fate = ours.select(pl.coalesce("gate", "status").cast(pl.Enum(STATUSES)).to_physical())
    return fate.to_series().to_numpy().astype(np.int64)


def cells(findings: Findings) -> list[Cell]:
    """One cell per system, metric, variant, version, instrument and ask: over the population, per slice, and per kind
    of twin and branch, which are no part of it."""
    rows = coded_rows(findings)
    refs = list(map(":".join, rows.identities.select("metric", "variant").rows()))
    inside = counted(rows.task, rows.system, rows.systems, refs, rows.cell, findings)
    main = rows.kept(inside & _are(rows.branch, rows.branches, ""))
    parted: list[tuple[CodedRows, Ints, tuple[str, ...]]] = []
    parted.append((main, np.zeros(len(main.cell), np.int64), (EVERYTHING,)))
    for part in findings.protocol.slices:
        parted.append((main, *slice_labels(part, main.task, main.system, main.systems, findings)))
    apart, labels, names = arm_labels(rows.task, rows.branch, rows.branches, findings)
    parted.append((rows.kept(apart), labels, names))
    return [cell for part, label, named in parted for cell in _part(part, label, named, findings.scales)]


def _are(place: Ints, names: Sequence[str], name: str) -> NDArray[np.bool_]:
    return np.asarray(np.array([one == name for one in names], bool)[place])


def _part(rows: CodedRows, label: Ints, labels: Sequence[str], scales: Scales) -> list[Cell]:
    """The cells of one way to part the rows, by label and then by identity."""
    if not len(label):
        return []
    facts, scenes = rows.identities.rows(named=True), int(rows.scene.max()) + 1
    place, places = label * len(facts) + rows.cell, len(labels) * len(facts)
    table = np.bincount(place * len(STATUSES) + rows.fate, minlength=places * len(STATUSES))
    counts = table.reshape(-1, len(STATUSES)).tolist()

    measured_rows, place = rows.measured_rows, place[rows.measured]
    bounds = _bounds(measured_rows, place, places)
    value = measured_rows.value
    spots, spot = distinct(place * scenes + measured_rows.scene)
    sums, measured = (np.bincount(spot, weights).astype(np.float64) for weights in (value, None))
    graded = np.bincount(place, (value != 0) & (value != 1), places) > 0
    ends = np.searchsorted(spots, np.arange(places + 1) * scenes).tolist()

    made = []
    for number in np.flatnonzero(table.reshape(-1, len(STATUSES)).any(axis=1)).tolist():
        which, cell = divmod(number, len(facts))
        here = slice(ends[number], ends[number + 1])
        seen = dict(zip(STATUSES, counts[number], strict=True))
        scale = scales.get((facts[cell]["metric"], facts[cell]["variant"]))
        made.append(
            Cell(
                slice=labels[which],
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


def _bounds(ok: CodedRows, place: Ints, places: int) -> dict[int, dict[str, float]]:
    """Means of what the measurements allow, for cells in which any measurement tells its bounds."""
    if not len(ok.low):
        return {}
    told = ~np.isnan(ok.low)
    n, known = np.bincount(place, minlength=places), np.bincount(place, told, places)
    low, high = (np.bincount(place, np.where(told, end, ok.value), places) for end in (ok.low, ok.high))
    return {
        int(spot): {"measured_low": float(low[spot] / n[spot]), "measured_high": float(high[spot] / n[spot])}
        for spot in np.flatnonzero(known)
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
    for one in findings.systems:
        mine = (places.get((one.label, r.name, r.variant, by.instrument_key, by.ask_key)) for r, by in metrics)
        inactive: tuple[Mark, ...] = ("inactive",) if flags.get(one.label) else ()
        marks = (*(("ceiling",) if one.is_ceiling else ()), *inactive)
        rows.append(TableRow(title=one.label, cells=tuple(_table_cell(cell, marks) for cell in mine)))
    return [
        Table(
            name=table_name("cells", protocol.name),
            title=f"{protocol.name}: {protocol.summary}",
            columns=metric_columns(metrics),
            rows=tuple(rows),
            notes=(
                *(f"{system}: {flag}" for system, flag in flags.items() if flag),
                *unverified_note(protocol.headline),
            ),
            protocol=protocol.name,
            reading="Means over the clips that could be measured, n of all clips, with 95 % intervals over scenes.",
        )
    ]


def _table_cell(cell: Cell | None, marks: tuple[Mark, ...]) -> TableCell:
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
        marks=marks,
    )
