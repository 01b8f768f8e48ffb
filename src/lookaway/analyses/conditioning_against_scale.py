"""Does a given first frame buy more than size? Systems two by two, with both effects and their interaction."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT, TEST, bounded_difference, widest_difference
from lookaway.analyses.dimensions import DimensionReading
from lookaway.analyses.headline import headline_readings, reading_column
from lookaway.analyses.summaries import marked, rows_of, summary_cell
from lookaway.outcomes import Abstain
from lookaway.records import Column, System, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.paired import Significance, holm, sign_flip

SIZE = re.compile(r"-a?(\d+(?:\.\d+)?)b(?=-|$)")  # wan-2.1-1.3b, wan-14b-no-frame; a: active parameters of a mixture


class DesignCell(NamedTuple):
    """Where a system stands in the design."""

    conditioned: bool  # a first frame is among its inputs
    large: bool

    def __str__(self) -> str:
        return f"{'with' if self.conditioned else 'without'} a first frame, {'large' if self.large else 'small'}"


CELLS = tuple(DesignCell(conditioned, large) for conditioned in (True, False) for large in (True, False))


class DesignEffect(NamedTuple):
    """What a factor adds: the sum of the four cells, each with its sign, over `by`."""

    title: str
    signs: tuple[int, int, int, int]  # in the order of CELLS
    by: float

    def of(self, cells: Floats) -> Floats:
        return np.asarray(cells @ np.array(self.signs) / self.by, np.float64)

    @property
    def reach(self) -> float:
        """How many times as far as two values of a metric it can be from 0."""
        return sum(sign > 0 for sign in self.signs) / self.by


EFFECTS = (
    DesignEffect("first frame: with − without", (1, 1, -1, -1), 2.0),
    DesignEffect("size: large − small", (1, -1, 1, -1), 2.0),
    DesignEffect("interaction: what a first frame adds when large − when small", (1, -1, -1, 1), 1.0),
)


def size_of(system: System) -> float | None:
    """Thousand millions of parameters, by the name of the card; None where it does not tell."""
    found = SIZE.search(system.card.name)
    return float(found[1]) if found else None


def design(systems: Sequence[System]) -> dict[str, DesignCell]:
    """The cell of every system whose card tells both: inputs, and in its name a size.

    Large is above the geometric mean of the smallest size and the largest.
    """
    sizes = {system.label: size for system in systems if (size := size_of(system)) is not None}
    middle = float(np.sqrt(min(sizes.values()) * max(sizes.values()))) if sizes else 0.0
    return {
        system.label: DesignCell("image" in system.card.input, sizes[system.label] > middle)
        for system in systems
        if system.label in sizes and system.card.input
    }


@analysis(version=1, title="Conditioning against scale")
def conditioning_against_scale(findings: Findings) -> list[Table] | Abstain:
    """Systems by first frame and size, the four means, and what each of the two buys by itself and together."""
    placed = design(findings.systems)
    filled = {cell: [label for label, of in placed.items() if of == cell] for cell in CELLS}
    if lacking := [str(cell) for cell, labels in filled.items() if not labels]:
        return Abstain(f"{_told(filled)}; the design lacks systems {'; '.join(lacking)}")
    readings = headline_readings(findings)
    if not readings:
        return Abstain("nothing of the headline was scored")
    return [_means(filled, readings, findings), _effects(placed, readings, findings)]


def _told(filled: Mapping[DesignCell, Sequence[str]]) -> str:
    told = [f"{', '.join(labels)}: {cell}" for cell, labels in filled.items() if labels]
    return "; ".join(told) or "no card tells both its inputs and, in its name, a size"


def _means(
    filled: Mapping[DesignCell, Sequence[str]], readings: Sequence[DimensionReading], findings: Findings
) -> Table:
    rows = []
    for cell, labels in filled.items():
        mine = pl.col("system").is_in(list(labels))
        means = [summary_cell(rows_of(one, findings).filter(mine), one, findings.scales) for one in readings]
        rows.append(TableRow(title=str(cell), cells=(TableCell(text=", ".join(labels)), *means)))
    return Table(
        name=table_name("conditioning-means", findings.protocol.name),
        title="Systems by first frame and size",
        columns=(Column(name="systems", title="systems"), *map(reading_column, readings)),
        rows=tuple(rows),
        notes=(
            "By the cards: a system has a first frame where an image is among its inputs; its size stands in its name, "
            "and large is above the geometric mean of the smallest and the largest of the run.",
        ),
        protocol=findings.protocol.name,
        reading="What else differs between the systems of two cells is part of every difference between them.",
    )


def _effects(placed: Mapping[str, DesignCell], readings: Sequence[DimensionReading], findings: Findings) -> Table:
    found = {
        (one, effect): _effect(one, effect, *cell_values(one, placed, findings), findings)
        for one in readings
        for effect in EFFECTS
    }
    p_values = {place: p for place, (_, p) in found.items() if p is not None}
    corrected = dict(zip(p_values, holm(np.array(list(p_values.values()), np.float64)).tolist(), strict=True))
    rows = []
    for (one, effect), (cell, p) in found.items():
        holds = corrected.get((one, effect), 1.0) < SIGNIFICANT
        told = [TableCell(reason="not tested") if x is None else TableCell(value=x) for x in (p,)]
        told += [TableCell(value=corrected[one, effect]) if p is not None else TableCell(reason="not tested")]
        cells = (marked(cell, "significant") if holds else cell, *told)
        rows.append(TableRow(title=effect.title, group=reading_column(one).title, cells=cells))
    return Table(
        name=table_name("conditioning-effects", findings.protocol.name),
        title="What a first frame buys, what size buys, and what they do together",
        columns=(
            Column(name="effect", title="effect", digits=3),
            Column(name="p", title="sign-flip", unit="p"),
            Column(name="p_corrected", title="Holm", unit="p"),
        ),
        rows=tuple(rows),
        notes=(
            "In the metric's own unit, over tasks that have a number in all four cells (n), each cell the mean of its "
            f"systems' clips. Intervals are over scenes; the test is {TEST}, Holm over {len(p_values)} effects, "
            f"marked is a corrected p below {SIGNIFICANT}.",
        ),
        protocol=findings.protocol.name,
        reading="An interaction other than 0 means that neither factor's effect can be told without the other.",
    )


def cell_values(
    reading: DimensionReading, placed: Mapping[str, DesignCell], findings: Findings
) -> tuple[Floats, list[str], int]:
    """(tasks, 4) in the order of CELLS for tasks with all four, their scenes, and how many tasks there are."""
    rows = rows_of(reading, findings).filter(pl.col("system").is_in(list(placed)))
    numbers = {label: CELLS.index(cell) for label, cell in placed.items()}
    cell = pl.col("system").replace_strict(numbers, default=None, return_dtype=pl.Int64).alias("cell")
    means = rows.drop_nulls("value").group_by("task", "scene", cell).agg(pl.col("value").sort().mean())
    by_task: dict[tuple[str, str], dict[int, float]] = {}
    for task, scene, number, value in means.sort("task", "cell").iter_rows():
        by_task.setdefault((task, scene), {})[number] = value
    whole = {place: of for place, of in by_task.items() if len(of) == len(CELLS)}
    values = np.array([[of[number] for number in range(len(CELLS))] for of in whole.values()]).reshape(-1, len(CELLS))
    return values, [scene for _, scene in whole], rows["task"].n_unique()


def _effect(
    reading: DimensionReading, effect: DesignEffect, values: Floats, scenes: list[str], tasks: int, findings: Findings
) -> tuple[TableCell, float | None]:
    each, where = effect.of(values), np.array(scenes)
    span = widest_difference(reading.ref, findings.scales)
    found = bounded_difference(each, where, None if span is None else effect.reach * span)
    if found is None:
        return TableCell(reason="no task has a number in all four cells", n=0, total=tasks), None
    tested = sign_flip(each, where)
    cell = TableCell(value=found.value, low=found.low, high=found.high, n=len(each), total=tasks)
    return cell, tested.p if isinstance(tested, Significance) else None
