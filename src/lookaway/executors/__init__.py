"""Executors run groups of jobs somewhere and hand back what became of each.

@executor(version=1)
def my_cluster(perform, groups, site):
    "Where it runs them."
    for group in groups:
        yield perform(group.jobs)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from lookaway.executors.helpers import Helpers, in_threads
from lookaway.registry import Registry


class Perform(Protocol):
    """Does jobs of one group, in order, and tells what became of each; picklable. Part of a group will do."""

    def __call__(self, jobs: Sequence[Any], /) -> list[Any]: ...

    def end(self) -> None:
        """Close what is open in this process; for workers that live on after the last job."""


@dataclass(frozen=True)
class Group:
    """Jobs that one worker does one after the other, sharing caches."""

    jobs: Sequence[Any]
    device: bool = False  # they want a GPU; only of executors that have any


@dataclass(frozen=True)
class Lost:
    """A job that no worker survived, instead of what became of it."""

    job: Any
    reason: str


@dataclass(frozen=True)
class Site:
    """Where to run, and how wide."""

    workers: int = 1  # at most; 0 is as many as there is room for
    address: str = ""  # of a cluster; empty is this machine


Execute = Callable[[Perform, Sequence[Group], Site], Iterator[list[Any] | Lost]]
Help = Callable[[Site], AbstractAsyncContextManager[Helpers]]


@dataclass(frozen=True)
class Executor:
    name: str
    version: int
    function: Execute
    extra: str | None
    doc: str
    help: Help = in_threads  # whom a stage that runs in one process hands single calls to
    has_devices: Callable[[Site], bool] = lambda site: False  # GPUs of its own, so that groups may be split by them
    takes_address: bool = False


EXECUTORS: Registry[Executor] = Registry("executor", "lookaway.executors")


def executor(
    *,
    version: int,
    extra: str | None = None,
    help: Help = in_threads,
    has_devices: Callable[[Site], bool] = lambda site: False,
    takes_address: bool = False,
) -> Callable[[Execute], Execute]:
    """Register an executor under its function's name."""

    def register(function: Execute) -> Execute:
        name, doc = function.__name__, (function.__doc__ or "").strip()
        EXECUTORS.add(name, Executor(name, version, function, extra, doc, help, has_devices, takes_address))
        return function

    return register
