"""The Board as JSON: the record itself, nothing added."""

from __future__ import annotations

from lookaway.records import Board
from lookaway.reports import report
from lookaway.reports.exhibits import Exhibits


@report(file="board.json", version=1)
def json(board: Board, exhibits: Exhibits) -> bytes:
    """All cells with values, intervals, methods and counts, and the ledger."""
    return board.model_dump_json(indent=1).encode() + b"\n"
