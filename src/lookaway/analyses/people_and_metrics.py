"""What a metric says of the items that people judged: one column for each variant, instrument and ask."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookaway.analyses import Findings
from lookaway.analyses.label_sheets import NO_LABELS, LabelSheet, label_sheets
from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain
from lookaway.phrasing import ReadBy, titled, told_apart, with_reader
from lookaway.records import CaseId, MetricRef
from lookaway.stats.bootstrap_t import Floats

NOTHING_BESIDE = "no metric of this protocol is set beside what people were asked; name it in [axes] of the protocol"


class Beside(NamedTuple):
    """One axis, and one instrument's values of its items, more being better; NaN where it has none.

    Of a pair it is the first clip's value minus the second's.
    """

    sheet: LabelSheet
    ref: MetricRef
    reader: ReadBy
    values: Floats
    elsewhere: tuple[tuple[str, float], ...]  # scene and value of every clip that it has a number of

    def others_outside(self, scenes: set[str]) -> tuple[Floats, NDArray[Any]]:
        """Its values of clips in other scenes, and the scenes."""
        found = [(value, scene) for scene, value in self.elsewhere if scene not in scenes]
        return np.array([value for value, _ in found]), np.array([scene for _, scene in found])

    @property
    def title(self) -> str:
        return with_reader(titled(self.ref), self.reader.label)


def beside_labels(findings: Findings) -> list[Beside]:
    """Every axis with the metrics that its protocol sets beside it, or that are called as it is."""
    return [
        Beside(sheet, ref, reader, _values(sheet, ref, rows), _elsewhere(findings, ref, rows))
        for sheet in findings.once(label_sheets)
        for ref in _metrics(findings, sheet.axis)
        for reader, rows in _read(findings, ref)
    ]


def beside_people(findings: Findings, paired: bool) -> list[Beside] | Abstain:
    """Those of pairs of clips, or of single ones; the reason where there are none."""
    if not findings.labels:
        return Abstain(NO_LABELS)
    return [one for one in findings.once(beside_labels) if one.sheet.paired == paired] or Abstain(NOTHING_BESIDE)


def goodness(ref: MetricRef, value: float) -> float:
    """The value, turned so that more is better; of one that is best at 1, how near it is."""
    metric = METRICS.all().get(str(ref))
    match metric.better if metric else "higher":
        case "lower":
            return -value
        case "one":
            return -abs(value - 1)
        case _:
            return value


def _metrics(findings: Findings, axis: str) -> list[MetricRef]:
    named = findings.protocol.axes.get(axis)
    return [ref for ref in findings.protocol.metrics if (ref == named if named else ref.name == axis)]


def _read(findings: Findings, ref: MetricRef) -> list[tuple[ReadBy, pl.DataFrame]]:
    rows = findings.scores.filter(
        (pl.col("protocol") == findings.protocol.name)
        & (pl.col("metric") == ref.name)
        & (pl.col("variant") == ref.variant)
        & (pl.col("round") == 1)
    )
    newest = rows.filter(pl.col("version") == pl.col("version").max())
    parts = newest.partition_by("instrument_key", "ask_key", as_dict=True)
    labels = {(str(i), str(a)): (str(part["instrument"][0]), str(part["ask"][0])) for (i, a), part in parts.items()}
    return [(by, parts[by.instrument_key, by.ask_key]) for by in told_apart(labels)] if parts else []


def _values(sheet: LabelSheet, ref: MetricRef, rows: pl.DataFrame) -> Floats:
    known = {
        str(CaseId(task=task, system=system, seed=seed, branch=branch)): goodness(ref, value)
        for task, system, seed, branch, value in rows.drop_nulls("value")
        .select("task", "system", "seed", "branch", "value")
        .iter_rows()
    }
    of_items = [[known.get(case, np.nan) for case in item] for item in sheet.items]
    return np.array([of[0] - of[1] if len(of) == 2 else of[0] for of in of_items], dtype=float)


def _elsewhere(findings: Findings, ref: MetricRef, rows: pl.DataFrame) -> tuple[tuple[str, float], ...]:
    known = rows.drop_nulls("value").select("task", "value").iter_rows()
    return tuple((findings.tasks[task].scene, goodness(ref, value)) for task, value in known)
