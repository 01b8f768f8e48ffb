"""How many questions does each stage of making a bank leave, and can those that stay tell a failure (MemoBench)?"""

from __future__ import annotations

from collections.abc import Sequence

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.banks.counting import (
    Funnel,
    banks_without_failing,
    edited_since,
    floors,
    questions_of,
    separation,
    short_dimensions,
)
from lookaway.banks.filters import DIMENSIONS
from lookaway.outcomes import Abstain
from lookaway.records import BankDimension, Column, QuestionBank, Table, TableCell, TableRow

COLUMNS = (
    Column(name="written", title="written", unit="questions", digits=0),
    Column(name="after_truth", title="the truth passes", unit="questions", digits=0),
    Column(name="after_failure", title="after the failures", unit="questions", digits=0),
    Column(name="kept", title="kept", unit="questions", digits=0),
    Column(name="failing", title="a failure fails", unit="questions", digits=0),
    Column(name="always_yes", title="always yes", unit="share"),
    Column(name="always_no", title="always no", unit="share"),
)


@analysis(version=1, title="Questions left by each stage")
def question_funnel(findings: Findings) -> list[Table] | Abstain:
    """Questions by dimension: written, left by the true clip, by failures, by review; and the floors of those kept."""
    banks = [bank for task, bank in findings.banks.items() if task in findings.tasks and bank.steps]
    if not banks:
        return Abstain("the run has no bank that was made in stages; give one with --bank DIR")
    dimensions: tuple[BankDimension | None, ...] = (*DIMENSIONS, None)
    return [
        Table(
            name=table_name("question-funnel", findings.protocol.name),
            title="Questions left by each stage",
            shape="funnel",
            columns=COLUMNS,
            rows=tuple(TableRow(title=d or "all", cells=_cells(banks, d)) for d in dimensions),
            notes=_notes(banks),
            protocol=findings.protocol.name,
            reading="Only questions that a failure fails can tell a good video from a bad one.",
        )
    ]


def _cells(banks: Sequence[QuestionBank], dimension: BankDimension | None) -> tuple[TableCell, ...]:
    mine = questions_of(banks, dimension)
    stages, told = Funnel.of(mine), separation(mine)
    rate = floors([one.question for one in mine if one.stays])
    none = TableCell(reason="no question is kept")
    tried = TableCell(value=told.failing, n=told.tried, total=stages.kept)
    return (
        *(TableCell(value=count, n=stages.written) for count in stages),
        tried if told.tried else TableCell(reason="none was put to a failure", n=0, total=stages.kept),
        *(none if rate is None else TableCell(value=floor, n=stages.kept) for floor in rate or (0.0, 0.0)),
    )


def _notes(banks: Sequence[QuestionBank]) -> tuple[str, ...]:
    short = [f"{bank.task} ({', '.join(dims)})" for bank in banks if (dims := short_dimensions(bank))]
    edited = [bank.task for bank in banks if edited_since(bank)]
    rules = sorted({step.how.partition(":")[0] for bank in banks for step in bank.steps if step.name == "filtered"})
    without = len(banks_without_failing(banks))
    return tuple(
        filter(
            None,
            (
                f"{len(banks)} banks; failure filter: {', '.join(rules) or 'none of ours'}.",
                f"{without} of {len(banks)} banks keep no question that a failure fails." if without else "",
                f"Fewer than 2 questions of a dimension, the released least: {_some(short)}." if short else "",
                f"Edited after the filters and not filtered again: {_some(edited)}." if edited else "",
            ),
        )
    )


def _some(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
