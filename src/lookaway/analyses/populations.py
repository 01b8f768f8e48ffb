"""Which rows a table counts: those of a population, of a slice of it, or of twins and branches beside it.

Rows are told by numbers: the place of their task among the findings' tasks, and of their system among those named.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookaway.analyses import Findings
from lookaway.geometry.visibility import has_opportunity
from lookaway.records import Population, Slice, Task

Ints = NDArray[np.int64] | NDArray[np.int32]
Flags = NDArray[np.bool_]

SMALL_RANGE = 1_000_000  # numbers up to here may be counted one by one


def counted(
    task: Ints, system: Ints, systems: Sequence[str], metrics: Sequence[str], metric: Ints, findings: Findings
) -> Flags:
    """The rows of each metric's population; `metric` is the place of its `name:variant` in `metrics`."""
    protocol = findings.protocol
    inside = _inside(protocol.population, task, system, systems, findings)
    for name, population in protocol.populations.items():
        mine = np.array([one == name for one in metrics], bool)[metric]
        inside = np.where(mine, _inside(population, task, system, systems, findings), inside)
    return np.asarray(inside)


def counted_rows(rows: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """The same of a table with columns task, system, metric and variant."""
    systems = rows["system"].unique().to_list()
    names = rows.select(pl.concat_str("metric", "variant", separator=":")).to_series()
    metrics = names.unique().to_list()
    task, system, metric = (
        _places(column, among)
        for column, among in ((rows["task"], list(findings.tasks)), (rows["system"], systems), (names, metrics))
    )
    return rows.filter(counted(task, system, systems, metrics, metric, findings))


def _places(column: pl.Series, among: Sequence[str]) -> Ints:
    return column.cast(pl.Enum(among)).to_physical().to_numpy().astype(np.int64)


def _inside(population: Population, task: Ints, system: Ints, systems: Sequence[str], findings: Findings) -> Flags:
    known = {one.label for one in findings.systems if population.counts_system(one)}
    tasks = np.array([counts_task(population, one) for one in findings.tasks.values()], bool)
    return np.asarray(tasks[task] & np.array([name in known for name in systems], bool)[system])


def counts_task(population: Population, task: Task) -> bool:
    return population.counts_task(task) and (not population.opportunity or has_opportunity(task))


def slice_labels(
    part: Slice, task: Ints, system: Ints, systems: Sequence[str], findings: Findings
) -> tuple[Ints, tuple[str, ...]]:
    """For each row the place of its label, and the labels in order."""
    tasks, known = list(findings.tasks.values()), {one.label: one for one in findings.systems}
    if part.is_about_systems:
        each = [part.label(one, known.get(name)) for one in tasks for name in systems]
        place = task * len(systems) + system
    else:
        each, place = [part.label(one, None) for one in tasks], task
    return _placed(each, place)


def arm_labels(
    task: Ints, branch: Ints, branches: Sequence[str], findings: Findings
) -> tuple[Flags, Ints, tuple[str, ...]]:
    """Which rows belong to twins and branches, arms of contrasts; for each of those the place of its label, and all."""
    tasks = findings.tasks.values()
    twins = np.array(["" if one.twin is None else f"twin={one.twin}" for one in tasks] or [""])
    ways = np.array(branches or ("",))
    apart = (twins != "")[task] | (ways != "")[branch] if len(task) else np.zeros(0, bool)
    pairs = zip(twins[task[apart]].tolist(), ways[branch[apart]].tolist(), strict=True)
    each = [", ".join(filter(None, [twin, f"branch={way}" if way else ""])) for twin, way in pairs]
    return apart, *_placed(each, np.arange(len(each)))


def _placed(each: Sequence[str], place: Ints) -> tuple[Ints, tuple[str, ...]]:
    labels, number = np.unique(np.array(each or [""]), return_inverse=True)
    used, dense = distinct(number[place] if len(place) else np.zeros(0, np.int64))
    return dense, tuple(labels[used].tolist())


def distinct(codes: Ints) -> tuple[Ints, Ints]:
    """The distinct codes in order, and each one's place among them; by counting, where they are not far apart.

    >>> codes, places = distinct(np.array([7, 3, 7]))
    >>> codes.tolist(), places.tolist()
    ([3, 7], [1, 0, 1])
    """
    top = int(codes.max(initial=-1)) + 1
    if top > 4 * len(codes) + SMALL_RANGE:
        return np.unique(codes.astype(np.int64), return_inverse=True)
    present = np.flatnonzero(np.bincount(codes, minlength=top))
    places = np.zeros(top, np.int64)
    places[present] = np.arange(len(present))
    return present, places[codes]
