"""Analyses: pure functions from the scores of a run to tables. One file each.

    @analysis(version=1, title="Turning away by category")
    def turning_by_category(findings):
        "How often each system looks away, for every kind of process."
        return [Table(...)]

They read no logs, files or clocks; a report draws whatever table they return.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from lookaway.aggregate import Scale
from lookaway.outcomes import Abstain
from lookaway.records import Protocol, System, Table, Task
from lookaway.registry import Registry


@dataclass(frozen=True)
class Findings:
    """All that an analysis may know of a run."""

    scores: pl.DataFrame  # one row per score, its columns the fields of Score
    tasks: Mapping[str, Task]  # by id; every task that a score names is there
    systems: Sequence[System]  # in the order of the plan
    protocol: Protocol  # whose tables are asked for
    scales: Mapping[tuple[str, str], Scale]  # by metric and variant; absent where a metric has no fixed range


Analyse = Callable[[Findings], list[Table] | Abstain]


@dataclass(frozen=True)
class Analysis:
    name: str
    version: int
    function: Analyse
    title: str
    doc: str


ANALYSES: Registry[Analysis] = Registry("analysis", "lookaway.analyses")


def analysis(*, version: int, title: str) -> Callable[[Analyse], Analyse]:
    """Register an analysis under its function's name."""

    def register(function: Analyse) -> Analyse:
        name = function.__name__
        ANALYSES.add(name, Analysis(name, version, function, title, (function.__doc__ or "").strip()))
        return function

    return register
