"""The metrics of a protocol's headline as columns, one for each who read them; and a table's usual parts."""

from __future__ import annotations

from collections.abc import Iterable

from lookaway.analyses import Findings
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.columns import metric_columns
from lookaway.analyses.dimensions import Dimension, DimensionReading, readers_in
from lookaway.phrasing import titled
from lookaway.records import Column, MetricRef


def headline_readings(findings: Findings) -> list[DimensionReading]:
    """Every metric of the headline that was scored, once for each who read it."""
    return readings_of(findings.protocol.headline, findings)


def readings_of(refs: Iterable[MetricRef], findings: Findings) -> list[DimensionReading]:
    """Each of the metrics, a dimension of its own, once for each who read it."""
    rows = findings.once(clip_rows)
    return [
        DimensionReading(Dimension(ref.name, titled(ref), (ref.name,)), ref, by)
        for ref in dict.fromkeys(refs)
        for by in readers_in(rows, ref)
    ]


def named_readings(name: str, findings: Findings) -> list[DimensionReading]:
    """Every variant of a metric that the protocol has."""
    protocol = findings.protocol
    return readings_of([ref for ref in (*protocol.headline, *protocol.metrics) if ref.name == name], findings)


def reading_column(reading: DimensionReading, **changes: object) -> Column:
    """The column of a reading, with what is known here of its metric."""
    (column,) = metric_columns([(reading.ref, reading.by)])
    return Column.model_validate(column.model_dump() | changes)
