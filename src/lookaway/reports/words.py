"""How a cell reads, the same in every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lookaway.metrics import Metric, find
from lookaway.records import Board, Cell

COUNTS = {
    "avoided": "gated (avoided)",
    "no_opportunity": "gated (no opportunity)",
    "abstained": "abstained",
    "no_output": "no output",
    "failed": "failed",
    "not_applicable": "not applicable",
}


def number(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    return f"{value:z.1f}" if unit == "dB" else f"{value:z.2f}"


def interval(cell: Cell, unit: str) -> str:
    """`[low, high]`, or nothing where no honest interval exists; `cell.method` says why."""
    if cell.low is None or cell.high is None:
        return ""
    return f"[{number(cell.low, unit)}, {number(cell.high, unit)}]"


def others(cell: Cell) -> str:
    """The rows without a number, in words: `8 gated (avoided)`."""
    parts = [f"{getattr(cell, name)} {words}" for name, words in COUNTS.items() if getattr(cell, name)]
    return ", ".join(parts)


@dataclass(frozen=True)
class HeadlineRow:
    """One system's headline cells, in the order of `Headline.metrics`."""

    system: str
    cells: Sequence[Cell | None]


@dataclass(frozen=True)
class Headline:
    protocol: str
    summary: str
    metrics: Sequence[Metric]
    rows: Sequence[HeadlineRow]


def headlines(board: Board) -> list[Headline]:
    """The tables every report opens with, one per protocol."""
    tables = []
    for protocol in board.protocols:
        name = protocol.name
        metrics = [find(metric) for metric in protocol.headline if metric not in board.not_measured]
        by_place = {(c.system, c.metric, c.variant): c for c in board.cells if (c.protocol, c.slice) == (name, "all")}
        rows = [
            HeadlineRow(system, [by_place.get((system, m.name, m.variant)) for m in metrics])
            for system in board.systems
        ]
        tables.append(Headline(name, protocol.summary, metrics, rows))
    return tables
