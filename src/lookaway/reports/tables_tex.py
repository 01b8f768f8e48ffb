"""Every table of the analyses as LaTeX, to take what a paper needs from."""

from __future__ import annotations

from lookaway.records import Board
from lookaway.reports import report
from lookaway.reports.drawing.latex import latex_table
from lookaway.reports.exhibits import Exhibits


@report(file="tables.tex", version=1)
def tables_tex(board: Board, exhibits: Exhibits) -> bytes:
    """One `table` environment each, in the order of the board."""
    return "\n".join(map(latex_table, board.tables)).encode()
