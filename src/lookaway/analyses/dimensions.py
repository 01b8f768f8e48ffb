"""The dimensions of a diagnostic profile: which of a protocol's metrics stand for each, and who read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.clip_rows import clip_rows
from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain
from lookaway.phrasing import ReadBy, told_apart, with_reader
from lookaway.records import Column, MetricRef

PREFERRED = ("paper", "released", "sound")  # where a metric has not the variant that is asked for


class Dimension(NamedTuple):
    key: str
    title: str
    metrics: tuple[str, ...]  # the first of these that the protocol has stands for it


CAMERA_PRECISION = Dimension("camera_precision", "CamPrec", ("requested_camera_precision",))
CAMERA_ALIGNMENT = Dimension("camera_alignment", "CamAlign", ("prompt_camera_alignment",))
INTEGRITY = Dimension("integrity", "Integrity", ("visual_integrity",))
SUPPORT = Dimension("support", "Support", ("judged_support", "reobservation_support"))
VISIBLE_SPATIAL = Dimension("visible_spatial", "Visible spatial", ("visible_spatial",))
VISIBLE_STATE = Dimension("visible_state", "Visible state", ("visible_state",))
REOBSERVED_SPATIAL = Dimension("reobserved_spatial", "Re-observed spatial", ("reobserved_spatial",))
REOBSERVED_STATE = Dimension("reobserved_state", "Re-observed state", ("reobserved_state",))

DIMENSIONS = (
    *(CAMERA_PRECISION, CAMERA_ALIGNMENT, INTEGRITY, SUPPORT),
    *(VISIBLE_SPATIAL, VISIBLE_STATE, REOBSERVED_SPATIAL, REOBSERVED_STATE),
)
VISIBLE = (VISIBLE_SPATIAL, VISIBLE_STATE)
REOBSERVED = (REOBSERVED_SPATIAL, REOBSERVED_STATE)
JUDGED = (*VISIBLE, *REOBSERVED)
AVERAGED = (CAMERA_ALIGNMENT, INTEGRITY, *JUDGED)  # support and precision are no part of the average
EVENT_DIMENSIONS = (SUPPORT, INTEGRITY, *JUDGED)


class DimensionReading(NamedTuple):
    """A dimension as one metric, variant, instrument and ask read it: never mixed with another."""

    dimension: Dimension
    ref: MetricRef
    by: ReadBy

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.ref.name, self.ref.variant, self.by.instrument_key, self.by.ask_key

    @property
    def title(self) -> str:
        return with_reader(f"{self.dimension.title} ({self.ref.variant})", self.by.label)

    def column(self, **changes: object) -> Column:
        metric = METRICS.all().get(str(self.ref))
        facts = {"unit": metric.unit if metric else "score", "better": "higher", "digits": 3}
        name = ":".join(filter(None, [str(self.ref), self.by.instrument_key, self.by.ask_key]))
        return Column.model_validate({"name": name, "title": self.title} | facts | changes)


class Panel(NamedTuple):
    """One variant of the profile: what stands for each dimension in it."""

    variant: str
    readings: tuple[DimensionReading, ...]

    def of(self, *dimensions: Dimension) -> list[DimensionReading]:
        return [reading for one in dimensions for reading in self.readings if reading.dimension == one]

    def only(self, dimension: Dimension) -> DimensionReading | Abstain:
        """The reading of a dimension where there is one; numbers made of several dimensions need that."""
        found = self.of(dimension)
        if len(found) == 1:
            return found[0]
        return Abstain(f"{dimension.title} was read in {len(found)} ways" if found else f"no {dimension.title}")


def panels(findings: Findings) -> list[Panel]:
    """A panel for each variant of the judged dimensions in the headline; one where none is judged."""
    named = {one: _refs(findings, one) for one in DIMENSIONS}
    variants = list(dict.fromkeys(ref.variant for one in JUDGED for ref in named[one])) or [""]
    rows = findings.once(clip_rows)
    made = []
    for variant in variants:
        chosen = [(one, _chosen(refs, variant)) for one, refs in named.items() if refs]
        readings = [DimensionReading(one, ref, by) for one, ref in chosen for by in readers_in(rows, ref)]
        made.append(Panel(variant, tuple(readings)))
    return [panel for panel in made if panel.readings]


def panel_name(name: str, panel: Panel, every: Sequence[Panel]) -> str:
    """`profile`, or `profile-paper` where there are several."""
    return "-".join([name, panel.variant.replace("_", "-")]) if len(every) > 1 else name


def _refs(findings: Findings, dimension: Dimension) -> list[MetricRef]:
    protocol = findings.protocol
    for name in dimension.metrics:
        for declared in (protocol.headline, protocol.metrics):
            if found := [ref for ref in declared if ref.name == name]:
                return found
    return []


def _chosen(refs: Sequence[MetricRef], variant: str) -> MetricRef:
    order = [variant, *PREFERRED]
    return min(refs, key=lambda ref: order.index(ref.variant) if ref.variant in order else len(order))


def readers_in(rows: pl.DataFrame, ref: MetricRef) -> list[ReadBy]:
    """Every instrument and ask by which rows of a metric were read."""
    mine = rows.filter((pl.col("metric") == ref.name) & (pl.col("variant") == ref.variant))
    known = mine.select("instrument_key", "ask_key", "instrument", "ask").unique().sort(pl.all()).rows()
    return told_apart({(who_key, ask_key): (who, ask) for who_key, ask_key, who, ask in known}) if known else []
