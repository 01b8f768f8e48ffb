"""When a judge changes: is the new one right on other items than the old one, by people's labels?"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.people_and_metrics import Beside, beside_people
from lookaway.analyses.verdicts_beside_people import said_yes
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.paired import mcnemar
from lookaway.stats.raters import majority

COLUMNS = (
    Column(name="differ", title="Answers that differ", unit="rate", digits=3),
    Column(name="only_first", title="Only the first is right", unit="items", digits=0),
    Column(name="only_second", title="Only the second is right", unit="items", digits=0),
    Column(name="p", title="p (exact McNemar)", unit="p", digits=4),
)


@analysis(version=1, title="Did the judge drift?", of_labels=True)
def judge_drift(findings: Findings) -> list[Table] | Abstain:
    """Every two instruments of one metric and axis: how often they differ, and which of them people bear out."""
    beside = beside_people(findings, paired=False)
    if isinstance(beside, Abstain):
        return beside
    pairs = [(a, b) for a, b in combinations(beside, 2) if (a.sheet.title, a.ref) == (b.sheet.title, b.ref)]
    if not pairs:
        return Abstain("no metric was read by two judges")
    return [
        Table(
            name=table_name("judge-drift", findings.protocol.name),
            title="Did the judge drift?",
            columns=COLUMNS,
            rows=tuple(
                TableRow(title=f"{first.title} / {second.title}", group=first.sheet.title, cells=_cells(first, second))
                for first, second in pairs
            ),
            notes=("Right is what most raters say. Items are taken one by one, whatever their scene.",),
            protocol=findings.protocol.name,
            reading="A small p means that the two are not the same judge to people's eyes; a large one proves nothing.",
        )
    ]


def _cells(first: Beside, second: Beside) -> tuple[TableCell, ...]:
    people, one, other = majority(first.sheet.answers), said_yes(first.values), said_yes(second.values)
    known = ~np.isnan(people) & ~np.isnan(one) & ~np.isnan(other)
    n = int(known.sum())
    if not n:
        return (TableCell(reason="no item that both judges and people answer", n=0),) * len(COLUMNS)
    right_one, right_other = ((said == people)[known] for said in (one, other))
    found = mcnemar(right_one, right_other)
    differ = TableCell(value=float((one != other)[known].mean()), n=n)
    if isinstance(found, Abstain):
        return (differ, *(TableCell(reason=found.reason, n=n),) * 3)
    return (
        differ,
        TableCell(value=float(found.only_first), n=n),
        TableCell(value=float(found.only_second), n=n),
        TableCell(value=found.p, n=n),
    )
