"""The paper's tables with the systems of this run as further rows, for protocols whose paper we can print."""

from __future__ import annotations

from collections.abc import Callable

from lookaway.analyses import Findings, analysis
from lookaway.analyses.beside_metrics import metric_rows
from lookaway.analyses.beside_profile import profile_rows
from lookaway.analyses.beside_verdicts import verdict_rows
from lookaway.analyses.columns import table_name
from lookaway.analyses.own_rows import OwnRows
from lookaway.analyses.summaries import marked
from lookaway.marking import with_marks
from lookaway.outcomes import Abstain
from lookaway.published import Paper, names, printed_table, read_paper
from lookaway.records import Table

ROWS: dict[str, Callable[[Paper, Findings], list[OwnRows]]] = {
    "memobench": metric_rows,
    "stevo": verdict_rows,
    "wrbench": profile_rows,
}
NOTE = (
    "Printed rows are marked; they are of other videos, other judges and other prompts than the rows of this run, so a "
    "difference between the two is not one between models."
)


@analysis(version=1, title="Beside the published rows")
def beside_published(findings: Findings) -> list[Table] | Abstain:
    """The systems of this run in the layout of the paper's tables, below its own rows."""
    name = findings.protocol.name.partition("_")[0]  # variants of a protocol share its paper
    if name not in names() or name not in ROWS:
        return Abstain(f"no printed table of {name} is known")
    paper = read_paper(name)
    made = [_beside(paper, own, findings) for own in ROWS[name](paper, findings)]
    return made or Abstain("nothing that the paper prints was scored")


def _beside(paper: Paper, own: OwnRows, findings: Findings) -> Table:
    """Where the best are marked over the whole table, rows of this run do not compete: they are of other videos."""
    best, printed = own.table.best, printed_table(paper, own.table)
    if best == "whole":
        printed = with_marks(printed, best, sparse_compete=True)
    theirs = [
        row.model_copy(
            update={"cells": tuple(cell if cell.reason else marked(cell, "published") for cell in row.cells)}
        )
        for row in printed.rows
    ]
    made = printed.model_copy(
        update={
            "name": table_name(own.name, findings.protocol.name),
            "title": f"{printed.title}, and this run",
            "rows": (*theirs, *own.rows),
            "notes": (NOTE, *own.notes, *printed.notes),
            "protocol": findings.protocol.name,
        }
    )
    return with_marks(made, best, sparse_compete=True) if best == "group" else made
