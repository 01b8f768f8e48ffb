"""Columns of metrics, and names of tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lookaway.metrics import METRICS
from lookaway.phrasing import ReadBy, titled, with_reader
from lookaway.records import Column, MetricRef


def metric_columns(metrics: Sequence[tuple[MetricRef, ReadBy]]) -> tuple[Column, ...]:
    """A column for each, with what is known here of the metric; of one that is not installed, only its name."""
    known = METRICS.all()
    columns = []
    for ref, by in metrics:
        metric = known.get(str(ref))
        columns.append(
            Column(
                name=":".join(filter(None, [str(ref), by.instrument_key, by.ask_key])),
                title=with_reader(titled(ref), by.label),
                unit=metric.unit if metric else "",
                better=metric.better if metric else "none",
            )
        )
    return tuple(columns)


def unverified_note(metrics: Iterable[MetricRef]) -> list[str]:
    """One note that names those whose observers were never run here on their true weights; none where all were."""
    known = METRICS.all()
    named = [titled(ref) for ref in metrics if str(ref) in known and known[str(ref)].unverified]
    return [f"unverified, never run here on true weights: {', '.join(named)}"] if named else []


def table_name(kind: str, protocol: str) -> str:
    """`cells-diorama`; whatever a protocol is called, letters, digits and hyphens remain.

    >>> table_name("cells", "metric:psnr_all"), table_name("cells", "Ünter uns")
    ('cells-metric-psnr-all', 'cells-nter-uns')
    """
    return "-".join([kind, *re.findall(r"[a-z0-9]+", protocol.lower())])
