"""What the papers printed, as our tables, and how it stands against itself and against the files that they released."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lookaway.published.layouts import AbsentTable, PrintedTable, names
from lookaway.published.lines import CheckLine, place
from lookaway.published.memobench import check as memobench_check
from lookaway.published.memobench import derived as memobench_derived
from lookaway.published.paper import Paper, published, read_paper
from lookaway.published.stevo import check as stevo_check
from lookaway.published.stevo import derived as stevo_derived
from lookaway.published.tables import printed_table
from lookaway.published.wrbench import check as wrbench_check
from lookaway.published.wrbench import derived as wrbench_derived
from lookaway.records import Table

DERIVED: dict[str, Callable[[Paper], list[Table]]] = {
    "memobench": memobench_derived.derived_tables,
    "stevo": stevo_derived.derived_tables,
    "wrbench": wrbench_derived.derived_tables,
}
FROM_RELEASE: dict[str, Callable[[Paper, Path], list[Table]]] = {
    "memobench": memobench_derived.release_tables,
    "stevo": stevo_derived.release_tables,
}
CHECKS: dict[str, Callable[[Paper, Path | None], list[CheckLine]]] = {
    "memobench": memobench_check.check_lines,
    "stevo": stevo_check.check_lines,
    "wrbench": wrbench_check.check_lines,
}


def published_tables(paper: Paper, release: Path | None = None) -> list[Table]:
    """Every table and figure of which numbers are known, and those that follow from them, in the paper's order.

    A folder with the authors' files adds what can be counted there, for papers in FROM_RELEASE.
    """
    name = paper.layouts.name
    made = [printed_table(paper, table) for table in paper.layouts.printed]
    made += DERIVED[name](paper) if name in DERIVED else []
    made += FROM_RELEASE[name](paper, release) if release is not None else []
    return sorted(made, key=lambda table: place(_label(table)))


def absent_tables(paper: Paper, made: Sequence[Table]) -> list[AbsentTable]:
    """What the paper shows and is not among the tables made."""
    labels = {_label(table) for table in made}
    return [one for one in paper.layouts.absent if one.label not in labels]


def _label(table: Table) -> str:
    """`Table S10`."""
    return table.title.partition(":")[0]


__all__ = [
    "CHECKS",
    "FROM_RELEASE",
    "AbsentTable",
    "CheckLine",
    "Paper",
    "PrintedTable",
    "absent_tables",
    "names",
    "printed_table",
    "published",
    "published_tables",
    "read_paper",
]
