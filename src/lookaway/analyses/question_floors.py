"""How far is a system above somebody who never looks: always yes, or always no, to the same questions (MemoBench)?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.columns import table_name
from lookaway.analyses.summaries import estimate, parted, why_nothing
from lookaway.banks.counting import floors
from lookaway.banks.filters import DIMENSIONS
from lookaway.outcomes import Abstain
from lookaway.phrasing import ReadBy, told_apart, with_reader
from lookaway.records import BankDimension, Column, QuestionBank, Table, TableCell, TableRow

PREFIX = "vqa_"


class DimensionPart(NamedTuple):
    """One dimension as one judge read it."""

    dimension: BankDimension
    variant: str
    by: ReadBy
    rows: pl.DataFrame  # with always_yes, always_no and above, each of the clip's own questions

    @property
    def title(self) -> str:
        return with_reader(f"{self.dimension} ({self.variant})", self.by.label)

    @property
    def key(self) -> str:
        return ":".join(filter(None, [self.dimension, self.variant, self.by.instrument_key, self.by.ask_key]))


COLUMNS = (
    ("value", "pass rate", "higher"),
    ("always_yes", "always yes", "none"),
    ("always_no", "always no", "none"),
    ("above", "above the higher floor", "higher"),
)


@analysis(version=1, title="Pass rates above their floors")
def question_floors(findings: Findings) -> list[Table] | Abstain:
    """Per dimension the pass rate, what always-yes and always-no would pass on the same clips, and the lead on both."""
    parts = _parts(findings)
    if not parts:
        return Abstain("no question of a bank was answered")
    columns = tuple(
        Column(name=f"{part.key}:{name}", title=title, unit="share", better=better, group=part.title)
        for part in parts
        for name, title, better in COLUMNS
    )
    rows = []
    for system in (one.label for one in findings.systems):
        cells = [cell for part in parts for cell in _cells(part.rows.filter(pl.col("system") == system))]
        rows.append(TableRow(title=system, cells=tuple(cells)))
    return [
        Table(
            name=table_name("question-floors", findings.protocol.name),
            title="Pass rates above their floors",
            columns=columns,
            rows=tuple(rows),
            notes=(
                "A floor is the pass rate of somebody who says the same to every question of the same clips.",
                "The lead is taken clip by clip on the higher of the two floors; intervals are over scenes.",
            ),
            protocol=findings.protocol.name,
            reading="A lead of 0 is what one gets without looking; below it, looking made it worse.",
        )
    ]


def _cells(rows: pl.DataFrame) -> list[TableCell]:
    known = rows.drop_nulls("value")
    if known.is_empty():
        why = why_nothing(rows) if rows.height else "not scored"
        return [TableCell(reason=why, n=0, total=rows.height)] * len(COLUMNS)
    found = []
    for name, _, _ in COLUMNS:
        made = estimate(known, name)
        spread = name in ("value", "above")
        ends = {"low": made.low, "high": made.high} if spread else {}
        found.append(TableCell(value=made.value, n=known.height, total=rows.height, **ends))
    return found


def _parts(findings: Findings) -> list[DimensionPart]:
    """Every dimension, variant and judge, in the order of the dimensions."""
    names = [f"{PREFIX}{dimension}" for dimension in DIMENSIONS]
    rows = findings.once(clip_rows).filter(pl.col("metric").is_in(names))
    found = []
    for (metric, variant), mine in parted(rows, "metric", "variant").items():
        dimension = DIMENSIONS[names.index(str(metric))]
        told = mine.join(_floor_rows(dimension, list(findings.banks.values())), on="task", how="left")
        told = told.with_columns(above=pl.col("value") - pl.max_horizontal("always_yes", "always_no"))
        labels = mine.select("instrument_key", "ask_key", "instrument", "ask").unique().rows()
        for by in told_apart({(key, ask_key): (label, ask) for key, ask_key, label, ask in labels}):
            here = (pl.col("instrument_key") == by.instrument_key) & (pl.col("ask_key") == by.ask_key)
            found.append(DimensionPart(dimension, str(variant), by, told.filter(here)))
    return sorted(found, key=lambda part: (DIMENSIONS.index(part.dimension), part.variant, part.by.label))


def _floor_rows(dimension: BankDimension, banks: Sequence[QuestionBank]) -> pl.DataFrame:
    """Of each task that asks about the dimension: the floors of its own questions."""
    found = []
    for bank in banks:
        rate = floors([question for question in bank.kept if question.dimension == dimension])
        found += [(bank.task, rate.always_yes, rate.always_no)] if rate is not None else []
    schema = {"task": pl.String, "always_yes": pl.Float64, "always_no": pl.Float64}
    return pl.DataFrame(found, schema=schema, orient="row")
