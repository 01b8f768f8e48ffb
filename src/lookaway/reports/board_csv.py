"""The Board's cells as CSV, one line each."""

from __future__ import annotations

import csv as csv_module
import io

from lookaway.records import Board, Cell
from lookaway.reports import report
from lookaway.reports.exhibits import Exhibits


@report(file="board.csv", version=1)
def csv(board: Board, exhibits: Exhibits) -> bytes:
    """Every cell of every slice; an empty value is a cell where nothing could be measured."""
    text = io.StringIO()
    writer = csv_module.DictWriter(text, list(Cell.model_fields), lineterminator="\n")
    writer.writeheader()
    writer.writerows(cell.model_dump() for cell in board.cells)
    return text.getvalue().encode()
