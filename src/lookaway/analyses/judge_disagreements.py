"""Items on which a judge and most people differ, those first on which people are of one mind."""

from __future__ import annotations

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.people_and_metrics import Beside, beside_people
from lookaway.analyses.verdicts_beside_people import said_yes
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.raters import majority

MOST_SHOWN = 40
JUDGES_FAULT, PEOPLE_SPLIT = "the judge's fault", "people split too"
COLUMNS = (
    Column(name="whose", title="Whose"),
    Column(name="people", title="People who say yes", unit="rate", digits=2),
    Column(name="judge", title="Judge", digits=2),
)


@analysis(version=1, title="Where judges and people differ", of_labels=True)
def judge_disagreements(findings: Findings) -> list[Table] | Abstain:
    """Every item on which a judge is against most people: is it the judge's fault, or do people split too?"""
    beside = beside_people(findings, paired=False)
    if isinstance(beside, Abstain):
        return beside
    rows = [row for one in beside for row in _rows(one)]
    if not rows:
        return Abstain("no judge is against most people on any item")
    shown = rows[:MOST_SHOWN]
    return [
        Table(
            name=table_name("judge-disagreements", findings.protocol.name),
            title="Where judges and people differ",
            columns=COLUMNS,
            rows=tuple(shown),
            notes=(f"{len(shown)} of {len(rows)} are shown.",) if len(shown) < len(rows) else (),
            protocol=findings.protocol.name,
            reading="Where all raters say the same and the judge says otherwise, the judge is at fault.",
        )
    ]


def _rows(beside: Beside) -> list[TableRow]:
    sheet, people = beside.sheet, majority(beside.sheet.answers)
    judge = said_yes(beside.values)
    found = []
    for at in np.flatnonzero(~np.isnan(people) & ~np.isnan(judge) & (people != judge)):
        said = sheet.answers[:, at]
        said = said[~np.isnan(said)]
        share = float(said.mean())
        whose = JUDGES_FAULT if share in (0.0, 1.0) and len(said) > 1 else PEOPLE_SPLIT
        cells = (
            TableCell(text=whose, link=sheet.items[at][0]),
            TableCell(value=share, n=len(said)),
            TableCell(value=float(beside.values[at]), n=1),
        )
        found.append((whose, TableRow(title=sheet.items[at][0], group=f"{sheet.title}: {beside.title}", cells=cells)))
    return [row for _, row in sorted(found, key=lambda pair: (pair[0] != JUDGES_FAULT, pair[1].title))]
