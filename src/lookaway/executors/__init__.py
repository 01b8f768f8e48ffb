"""Executors run groups of jobs somewhere and hand back what became of each.

@executor(version=1)
def my_cluster(perform, groups, workers):
    "Where it runs them."
    for group in groups:
        yield perform(group)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lookaway.registry import Registry

Perform = Callable[[Any], Any]  # one group of jobs in, their results out; picklable
Execute = Callable[[Perform, Sequence[Any], int], Iterator[Any]]


@dataclass(frozen=True)
class Executor:
    name: str
    version: int
    function: Execute
    extra: str | None
    doc: str


EXECUTORS: Registry[Executor] = Registry("executor", "lookaway.executors")


def executor(*, version: int, extra: str | None = None) -> Callable[[Execute], Execute]:
    """Register an executor under its function's name."""

    def register(function: Execute) -> Execute:
        name = function.__name__
        EXECUTORS.add(name, Executor(name, version, function, extra, (function.__doc__ or "").strip()))
        return function

    return register
