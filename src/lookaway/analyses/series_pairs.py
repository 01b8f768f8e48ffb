"""What size buys: the smaller and the larger model of one series, by the names of their cards."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT
from lookaway.analyses.dimensions import DimensionReading, Panel, panel_name, panels
from lookaway.analyses.summaries import counts_as, marked, mean_difference, rows_of
from lookaway.outcomes import Abstain
from lookaway.records import System, Table, TableCell, TableRow
from lookaway.stats.paired import Significance, holm, sign_flip

SIZED = re.compile(r"(?P<series>.+)-a?(?P<size>\d+(?:\.\d+)?)b")  # wan-fun-2.1-1.3b; a: active parameters of a mixture


class SeriesPair(NamedTuple):
    """Two sizes of one series."""

    series: str
    smaller: System
    larger: System

    @property
    def title(self) -> str:
        return f"{self.smaller.label} → {self.larger.label}"


def series_pairs_of(systems: Sequence[System]) -> list[SeriesPair]:
    """Neighbouring sizes of each series; a card's name ends in its size, such as `-1.3b` or `-a14b`."""
    sizes: dict[str, list[tuple[float, System]]] = {}
    for system in systems:
        if found := SIZED.fullmatch(system.card.name):
            sizes.setdefault(found["series"], []).append((float(found["size"]), system))
    pairs = []
    for series, of in sorted(sizes.items()):
        ordered = sorted(of, key=lambda one: (one[0], one[1].label))
        pairs += [SeriesPair(series, a[1], b[1]) for a, b in itertools.pairwise(ordered) if a[0] < b[0]]
    return pairs


@analysis(version=1, title="What size buys")
def series_pairs(findings: Findings) -> list[Table] | Abstain:
    """The change of every dimension from the smaller to the larger model of a series."""
    pairs = series_pairs_of(findings.systems)
    if not pairs:
        return Abstain("no two systems are sizes of one series, by the names of their cards")
    every = panels(findings)
    return [_table(pairs, panel, every, findings) for panel in every] or Abstain("nothing was scored")


def _table(pairs: Sequence[SeriesPair], panel: Panel, every: Sequence[Panel], findings: Findings) -> Table:
    return Table(
        name=table_name(panel_name("series-pairs", panel, every), findings.protocol.name),
        title="What size buys",
        shape="bars",
        columns=tuple(one.column(better="none") for one in panel.readings),
        rows=tuple(TableRow(title=one.title, group=one.series, cells=_cells(one, panel, findings)) for one in pairs),
        notes=(
            "Larger minus smaller, means over the clips of each; n counts both. Intervals are over scenes. The test is "
            "a sign-flip over scenes, Holm over the dimensions of a pair; marked is a corrected p below "
            f"{SIGNIFICANT}. Sizes are read off the names of cards.",
        ),
        protocol=findings.protocol.name,
        reading="Above 0 the larger model is better. Size is not the only thing that differs within a series.",
    )


def _cells(pair: SeriesPair, panel: Panel, findings: Findings) -> tuple[TableCell, ...]:
    cells: list[TableCell] = []
    p_values: dict[int, float] = {}
    for number, reading in enumerate(panel.readings):
        larger, smaller = (_mine(reading, one, findings) for one in (pair.larger, pair.smaller))
        cells.append(mean_difference(larger, smaller, counts_as(reading)))
        tested = _tested(larger, smaller, counts_as(reading))
        p_values |= {number: tested.p} if isinstance(tested, Significance) else {}
    for number, p in zip(p_values, holm(np.array(list(p_values.values()))), strict=True):
        if p < SIGNIFICANT:
            cells[number] = marked(cells[number], "significant")
    return tuple(cells)


def _mine(reading: DimensionReading, system: System, findings: Findings) -> pl.DataFrame:
    return rows_of(reading, findings).filter(pl.col("system") == system.label)


def _tested(larger: pl.DataFrame, smaller: pl.DataFrame, column: str) -> Significance | Abstain:
    """Scenes' means of the two against each other, where a scene has both."""
    one, other = (
        rows.drop_nulls(column).group_by("scene").agg(pl.col(column).sort().mean()) for rows in (larger, smaller)
    )
    both = one.join(other, on="scene").sort("scene")
    differences = both[column].to_numpy() - both[f"{column}_right"].to_numpy()
    return sign_flip(differences, both["scene"].to_numpy())
