"""Matched cases: pairs of clips that are alike in all but one factor, those that score furthest apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

import polars as pl
from scipy.special import ndtri

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.dimensions import DIMENSIONS, SUPPORT, DimensionReading, panel_name, panels
from lookaway.analyses.summaries import rows_of
from lookaway.outcomes import Abstain
from lookaway.records import CaseId, Column, Table, TableCell, TableRow

SHOWN = 3  # pairs of a factor and dimension; no clip is in two of them
NOTABLE = 0.1  # a narrower gap is not worth a look
FEWEST = 20  # pairs, to tell what gaps are usual
CHANCE = 0.05  # of marking any gap of a table in which all are of the usual kind
MEDIAN_OF_NORMAL = float(ndtri(0.75))  # of the size of a standard normal number
PLACE = ("scene", "event", "camera")


class Factor(NamedTuple):
    """What differs within a pair, and what is the same."""

    name: str
    same: tuple[str, ...]

    @property
    def title(self) -> str:
        shared = [one for one in ("system", *PLACE) if one in self.same]
        return f"another {self.name}, the same {', '.join(shared[:-1])} and {shared[-1]}"


Parts = Mapping[tuple[Factor, DimensionReading], pl.DataFrame]
FACTORS = (
    Factor("system", ("task", "seed", "round", *PLACE)),
    Factor("seed", ("task", "system", "round", *PLACE)),
    Factor("event", ("system", "seed", "round", "scene", "camera")),
    Factor("camera", ("system", "seed", "round", "scene", "event")),
)


@analysis(version=1, title="Matched cases")
def matched_cases(findings: Findings) -> list[Table] | Abstain:
    """The widest gaps between clips that differ in system, seed, event or camera alone, with both clips."""
    every, made = panels(findings), []
    for panel in every:
        readings = panel.of(*reversed([one for one in DIMENSIONS if one != SUPPORT]))
        parts = {(f, one): matched_pairs(rows_of(one, findings), f) for f in FACTORS for one in readings}
        total = sum(pairs.height for pairs in parts.values())
        rows = [row for factor in FACTORS for row in _rows_of(factor, parts, total)]
        if rows:
            name = table_name(panel_name("matched-cases", panel, every), findings.protocol.name)
            made.append(_table(name, rows, findings))
    return made or Abstain(f"no two clips that differ in one factor alone are {NOTABLE:g} apart")


def matched_pairs(rows: pl.DataFrame, factor: Factor) -> pl.DataFrame:
    """Each two clips that differ in the factor alone once, the better first; the widest `gap` on top."""
    known = rows.drop_nulls("value").select("task", "system", "seed", "round", *PLACE, "value")
    known = known.sort("value", "task", "system", "seed", descending=[True, False, False, False]).with_row_index()
    pairs = known.join(known, on=list(factor.same), how="inner", suffix="_worse")
    pairs = pairs.filter(
        (pl.col("index") < pl.col("index_worse")) & (pl.col(factor.name) != pl.col(f"{factor.name}_worse"))
    )
    gap = pl.col("value") - pl.col("value_worse")
    return pairs.with_columns(gap=gap).sort("gap", "index", "index_worse", descending=[True, False, False])


def usual_gap(pairs: pl.DataFrame, total: int) -> float | None:
    """The widest gap that `total` pairs should show by chance, were gaps normal with the spread of the middle half.

    None where there are few pairs, or half of them are ties.
    """
    if pairs.height < FEWEST:
        return None
    middle = float(pairs.select(pl.col("gap").median()).item())
    return float(middle / MEDIAN_OF_NORMAL * ndtri(1 - CHANCE / total / 2)) if middle > 0 else None


def _rows_of(factor: Factor, parts: Parts, total: int) -> list[TableRow]:
    """The widest gap of each dimension first, then the second of each."""
    by_dimension = [_rows(factor, reading, pairs, total) for (of, reading), pairs in parts.items() if of == factor]
    return [row for some in zip_longest(*by_dimension) for row in some if row is not None]


def _rows(factor: Factor, reading: DimensionReading, pairs: pl.DataFrame, total: int) -> list[TableRow]:
    usual, made = usual_gap(pairs, total), []
    for pair in _apart(pairs):
        marks = ("significant",) if usual is not None and pair["gap"] > usual else ()
        gap = TableCell(value=pair["gap"], n=1, total=pairs.height, marks=marks)
        where = ", ".join(str(pair[one]) for one in PLACE if one in factor.same)
        better, worse = (_clip_cell(pair, factor, side) for side in ("", "_worse"))
        title = f"{reading.title}: {where}"
        made.append(TableRow(title=title, group=factor.title, cells=(gap, better, worse)))
    return made


def _apart(pairs: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """The first pairs that have a gap worth showing and no clip in common."""
    seen: set[tuple[Any, ...]] = set()
    found = 0
    for pair in pairs.filter(pl.col("gap") >= NOTABLE).iter_rows(named=True):
        clips = {_clip(pair, side) for side in ("", "_worse")}
        if seen & clips:
            continue
        seen |= clips
        found += 1
        yield pair
        if found == SHOWN:
            return


def _clip(pair: dict[str, Any], side: str) -> tuple[str, str, int]:
    task, system, seed = (pair.get(f"{name}{side}", pair[name]) for name in ("task", "system", "seed"))
    return task, system, seed


def _clip_cell(pair: dict[str, Any], factor: Factor, side: str) -> TableCell:
    """What differs, the number, and the case: `m05, 0.12`."""
    task, system, seed = _clip(pair, side)
    differs = {"seed": f"seed {seed}"}.get(factor.name, str(pair[f"{factor.name}{side}"]))
    who = differs if factor.name == "system" else f"{differs}, {system}"
    link = str(CaseId(task=task, system=system, seed=seed))
    return TableCell(text=f"{who}: {pair[f'value{side}']:.2f}", link=link)


def _table(name: str, rows: list[TableRow], findings: Findings) -> Table:
    return Table(
        name=name,
        title="Matched cases: the widest gaps with one factor changed",
        columns=(
            Column(name="gap", title="gap", unit="score", digits=3),
            Column(name="better", title="better clip"),
            Column(name="worse", title="worse clip"),
        ),
        rows=tuple(rows),
        notes=(
            f"Of each factor and dimension the {SHOWN} widest gaps from {NOTABLE:g} on, no clip in two of them; n is "
            f"one pair of all there are. Marked: so wide that chance makes one in about {CHANCE:.0%} of tables, were "
            "gaps normal with the spread of their middle half.",
        ),
        protocol=findings.protocol.name,
        reading="Look at both clips: these are the cases to show, not a measure of any system.",
    )
