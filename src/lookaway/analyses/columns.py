"""How metrics and tables are named: a column for every metric, instrument and ask."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lookaway.metrics import METRICS
from lookaway.records import Cell, Column, MetricRef


class ReadBy(NamedTuple):
    """Who measured a metric, and what was asked."""

    instrument_key: str
    ask_key: str
    label: str  # of both; empty where nobody else measured it


def readers(metric: MetricRef, cells: Iterable[Cell]) -> list[ReadBy]:
    """Every instrument and ask in the metric's cells, by label; one without a name where there are no cells."""
    mine = [c for c in cells if (c.metric, c.variant) == (metric.name, metric.variant)]
    return told_apart({(c.instrument_key, c.ask_key): (c.instrument, c.ask) for c in mine})


def told_apart(labels: dict[tuple[str, str], tuple[str, str]]) -> list[ReadBy]:
    """Keys of instrument and ask with their labels; those that read the same get a piece of their keys."""
    told = {keys: ", ".join(filter(None, label)) for keys, label in labels.items()}
    if len(told) < 2:
        return [ReadBy(*next(iter(told), ("", "")), "")]
    twice = [label for label in told.values() if list(told.values()).count(label) > 1]
    return [
        ReadBy(*keys, f"{label} #{(keys[0] + keys[1])[:6]}" if label in twice else label)
        for keys, label in sorted(told.items(), key=lambda item: (item[1], item[0]))
    ]


def titled(metric: MetricRef) -> str:
    """`camera_gain`, or `camera_controllability (sound)` where there are other variants or none of ours."""
    only_ours = [m.variant for m in METRICS.all().values() if m.name == metric.name] == ["sound"]
    return metric.name if only_ours else f"{metric.name} ({metric.variant})"


def with_reader(title: str, by: str) -> str:
    return f"{title}, by {by}" if by else title


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


def table_name(kind: str, protocol: str) -> str:
    """`cells-diorama`; whatever a protocol is called, letters, digits and hyphens remain.

    >>> table_name("cells", "metric:psnr_all"), table_name("cells", "Ünter uns")
    ('cells-metric-psnr-all', 'cells-nter-uns')
    """
    return "-".join([kind, *re.findall(r"[a-z0-9]+", protocol.lower())])
