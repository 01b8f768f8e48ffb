"""Reports draw a Board and the exhibits beside it. One function per file format.

@report(file="board.csv", version=1)
def csv(board, exhibits):
    "What it is."
    return some_bytes
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lookaway.records import Board
from lookaway.registry import Registry
from lookaway.reports.exhibits import Exhibits

Render = Callable[[Board, Exhibits], bytes]


@dataclass(frozen=True)
class Report:
    name: str
    version: int
    function: Render
    file: str
    doc: str


REPORTS: Registry[Report] = Registry("report", "lookaway.reports")


def report(*, file: str, version: int) -> Callable[[Render], Render]:
    """Register a report format under its function's name."""

    def register(function: Render) -> Render:
        name = function.__name__
        REPORTS.add(name, Report(name, version, function, file, (function.__doc__ or "").strip()))
        return function

    return register
