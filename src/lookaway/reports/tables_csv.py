"""Every table of the analyses as CSV, one line per cell; for whoever computes on."""

from __future__ import annotations

import csv
import io

from lookaway.records import Board
from lookaway.reports import report
from lookaway.reports.drawing.csv import HEADS, csv_table
from lookaway.reports.exhibits import Exhibits


@report(file="tables.csv", version=1)
def tables_csv(board: Board, exhibits: Exhibits) -> bytes:
    """The tables below each other under one heading; `table_name` tells them apart."""
    heading = io.StringIO()
    csv.writer(heading, lineterminator="\r\n").writerow(HEADS)
    lines = [csv_table(table).removeprefix(heading.getvalue()) for table in board.tables]
    return "".join([heading.getvalue(), *lines]).encode()
