"""What the papers printed, as our tables, and how it stands against itself and against the files that they released."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lookaway.published.layouts import PrintedTable, names
from lookaway.published.lines import CheckLine
from lookaway.published.paper import Paper, published, read_paper
from lookaway.published.tables import printed_table
from lookaway.published.wrbench.check import check_lines
from lookaway.published.wrbench.derived import derived_tables
from lookaway.records import Table

DERIVED: dict[str, Callable[[Paper], list[Table]]] = {"wrbench": derived_tables}
CHECKS: dict[str, Callable[[Paper, Path | None], list[CheckLine]]] = {"wrbench": check_lines}


def published_tables(paper: Paper) -> list[Table]:
    """Every table and figure of which numbers are known, and those that follow from them, in the paper's order."""
    made = [printed_table(paper, table) for table in paper.layouts.printed]
    derived = DERIVED.get(paper.layouts.name)
    return sorted([*made, *(derived(paper) if derived else [])], key=_place)


def _place(table: Table) -> tuple[int, int]:
    """Tables first, each kind by number; what has no number of its own goes last."""
    label = table.title.partition(":")[0]
    digits = "".join(c if c.isdigit() else " " for c in label).split()
    kinds = {"Table": 0, "Fig.": 1}
    return kinds.get(label.partition(" ")[0], 2), int(digits[0]) if digits else 0


__all__ = [
    "CHECKS",
    "CheckLine",
    "Paper",
    "PrintedTable",
    "names",
    "printed_table",
    "published",
    "published_tables",
    "read_paper",
]
