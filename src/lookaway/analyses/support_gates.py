"""The ways in which a run tells whether a clip poses the return test: by judges, by following the subject, by truth."""

from __future__ import annotations

import re
from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.clip_rows import clip_rows
from lookaway.phrasing import reader_labels, titled, with_reader
from lookaway.records import MetricRef

SUPPORT_METRICS = ("judged_support", "tracked_support", "reobservation_support")
CLIP = ["task", "system", "seed"]
KNOWS_ALL = re.compile(r"oracle@\d+(\(passport \w+\))?")  # without a dial: it says what each frame shows


class SupportReader(NamedTuple):
    instrument: str
    instrument_key: str
    ask: str
    ask_key: str


class SupportGate(NamedTuple):
    """Who read support, and what it said of each clip that it could tell: `said` is 1 or 0."""

    ref: MetricRef
    reader: SupportReader
    title: str
    rows: pl.DataFrame  # CLIP, scene, direction, opportunity, said

    @property
    def key(self) -> str:
        return ":".join(filter(None, [str(self.ref), self.reader.instrument_key, self.reader.ask_key]))

    @property
    def is_exact(self) -> bool:
        """Whether it is a judge who knows what the known world's clips show."""
        return self.ref.name == "judged_support" and KNOWS_ALL.fullmatch(self.reader.instrument) is not None


def support_gates(findings: Findings) -> list[SupportGate]:
    """All of them, by metric and variant, in the order of SUPPORT_METRICS."""
    rows = findings.once(clip_rows).filter(pl.col("metric").is_in(SUPPORT_METRICS))
    known = rows.drop_nulls("credited").with_columns(said=pl.col("credited"))
    found = []
    for (metric, variant), mine in known.partition_by(["metric", "variant"], as_dict=True).items():
        ref = MetricRef(name=metric, variant=variant)
        readers = [SupportReader(*one) for one in mine.select(SupportReader._fields).unique().rows()]
        labels = reader_labels(readers)
        for reader in readers:
            here = pl.lit(True)
            for name in ("instrument_key", "ask_key"):
                here &= pl.col(name) == getattr(reader, name)
            title = with_reader(titled(ref), labels[reader.instrument_key, reader.ask_key])
            told = mine.filter(here).select(*CLIP, "scene", "direction", "opportunity", "said").sort(CLIP)
            found.append(SupportGate(ref, reader, title, told))
    return sorted(found, key=lambda gate: (SUPPORT_METRICS.index(gate.ref.name), gate.ref.variant, gate.title))


def told_by_both(first: SupportGate, second: SupportGate) -> pl.DataFrame:
    """The clips of which both tell something; `said` of the first, `said_right` of the second."""
    return first.rows.join(second.rows.select(*CLIP, "said"), on=CLIP, how="inner").sort(CLIP)
