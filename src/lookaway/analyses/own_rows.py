"""What of a run stands below a printed table."""

from __future__ import annotations

from typing import NamedTuple

from lookaway.published import PrintedTable
from lookaway.records import TableRow

OURS = "this run"


class OwnRows(NamedTuple):
    """Rows of this run in the columns of a printed table."""

    table: PrintedTable
    name: str  # of the table that both make
    rows: list[TableRow]
    notes: tuple[str, ...] = ()
