"""Analyses: pure functions from the scores of a run to tables. One file each.

    @analysis(version=1, title="Turning away by category")
    def turning_by_category(findings):
        "How often each system looks away, for every kind of process."
        return [Table(...)]

They read no logs, files or clocks; a report draws whatever table they return.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import polars as pl

from lookaway.outcomes import Abstain
from lookaway.records import Label, Protocol, QuestionBank, System, Table, Task
from lookaway.registry import Registry

T = TypeVar("T")


class Scale(NamedTuple):
    """What is known of a metric's values: the smallest, the largest, and which of them is the worst."""

    low: float
    high: float
    worst: float


class JudgedClip(NamedTuple):
    """What a judge replied to one ask about one clip, beside the verdict."""

    fields: Mapping[str, Any]  # of its form
    tally: Mapping[str, int]  # votes
    seconds: tuple[float, ...]  # of the frames that it was shown


JudgedClips = Mapping[tuple[str, str, int, str, str], JudgedClip]  # by task, system, seed, keys of judge and ask
Scales = Mapping[tuple[str, str], Scale]  # by metric and variant; absent where a metric has no fixed range


@dataclass(frozen=True, eq=False)
class Findings:
    """All that an analysis may know of a run."""

    scores: pl.DataFrame  # one row per score, its columns the fields of Score
    tasks: Mapping[str, Task]  # by id; every task that a score names is there
    systems: Sequence[System]  # in the order of the plan
    protocol: Protocol  # whose tables are asked for
    scales: Scales
    banks: Mapping[str, QuestionBank] = field(default_factory=dict)  # by task, with what each stage said
    labels: Sequence[Label] = ()  # what people said of clips, each rater once on each item and axis
    judged: JudgedClips = field(default_factory=dict)  # where an analysis of the protocol tells them
    memory_bytes: Mapping[str, int] = field(default_factory=dict)  # by system: the most that its sessions told
    _known: dict[Callable[..., Any], Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, function: Callable[[Findings], T]) -> T:
        """What a pure function makes of these findings; computed once, however many analyses ask."""
        if function not in self._known:
            self._known[function] = function(self)
        found: T = self._known[function]
        return found


Analyse = Callable[[Findings], list[Table] | Abstain]


@dataclass(frozen=True)
class Analysis:
    name: str
    version: int
    function: Analyse
    title: str
    doc: str
    of_labels: bool = False  # made wherever people labelled clips, whether or not a protocol names it


ANALYSES: Registry[Analysis] = Registry("analysis", "lookaway.analyses")


def analysis(
    *, version: int, title: str, name: str | None = None, of_labels: bool = False
) -> Callable[[Analyse], Analyse]:
    """Register an analysis under its function's name, or under another one."""

    def register(function: Analyse) -> Analyse:
        known_as = name or function.__name__
        ANALYSES.add(
            known_as, Analysis(known_as, version, function, title, (function.__doc__ or "").strip(), of_labels)
        )
        return function

    return register


def rows_where(table: pl.DataFrame, holds: pl.Expr) -> pl.DataFrame:
    """The rows for which it holds; the table itself, not copied, where that is all of them."""
    kept = table.select(holds).to_series()
    return table if kept.all() else table.filter(kept)
