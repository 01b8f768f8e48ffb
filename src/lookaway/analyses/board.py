"""All that the built-in analyses count, in one record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from lookaway.analyses import Findings, JudgedClips, Scale, Scales, rows_where
from lookaway.analyses.cells import cells
from lookaway.analyses.dose import dose_curves
from lookaway.analyses.ledger import ledger
from lookaway.analyses.plain_words import plain_words
from lookaway.metrics import METRICS, Better
from lookaway.records import Board, Label, Protocol, QuestionBank, Score, System, Task

NOT_COUNTED = ("evidence",)  # of a score: what no analysis reads, and most of its bytes


def findings_of(
    protocols: Iterable[Protocol],
    tasks: Mapping[str, Task],
    systems: Sequence[System],
    scores: pl.DataFrame,
    scales: Scales,
    banks: Mapping[str, QuestionBank] | None = None,
    labels: Sequence[Label] = (),
    judged: JudgedClips | None = None,
    memory_bytes: Mapping[str, int] | None = None,
) -> list[Findings]:
    """What there is to know under each protocol; rows of other tasks, systems and protocols are left out."""
    protocols, names = list(protocols), [system.label for system in systems]
    current = rows_where(
        scores.select(name for name in Score.model_fields if name not in NOT_COUNTED),
        pl.col("system").is_in(names)
        & pl.col("task").is_in(list(tasks))
        & pl.col("protocol").is_in([protocol.name for protocol in protocols]),
    )
    return [
        Findings(
            current,
            tasks,
            systems,
            protocol,
            scales,
            banks=banks or {},
            labels=labels,
            judged=judged or {},
            memory_bytes=memory_bytes or {},
        )
        for protocol in protocols
    ]


def board(
    suite: str,
    suite_version: str,
    systems: Iterable[System],
    findings: Sequence[Findings],
    not_measured: Mapping[str, str],
    environment: Mapping[str, str],
) -> Board:
    """Cells, ledger and dose response under every protocol; its tables are the analyses' to add."""
    return Board(
        suite=suite,
        suite_version=suite_version,
        systems=tuple(system.label for system in systems),
        protocols=tuple(one.protocol for one in findings),
        cells=tuple(cell for one in findings for cell in one.once(cells)),
        ledger=tuple(step for one in findings for step in one.once(ledger)),
        dose=tuple(curve for one in findings for curve in one.once(dose_curves)),
        words=tuple(words for one in findings for words in plain_words(one)),
        not_measured=dict(not_measured),
        environment=dict(environment),
    )


def metric_scales() -> Scales:
    """The scale of every registered metric that has a fixed range."""
    return {
        (m.name, m.variant): Scale(*m.range, worst=_worst(*m.range, m.better))
        for m in METRICS.all().values()
        if m.range is not None
    }


def _worst(low: float, high: float, better: Better) -> float:
    match better:
        case "higher":
            return low
        case "lower":
            return high
        case "one":
            return max(low, high, key=lambda value: abs(value - 1))
