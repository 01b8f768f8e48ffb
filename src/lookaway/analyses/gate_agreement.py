"""Do the gates agree which clips pose the return test: a judge, another judge, whoever follows the subject?"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.denominators import OF_SUPPORT
from lookaway.analyses.support_gates import support_gates, told_by_both
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.agreement import Agreement, agreement
from lookaway.stats.intervals import Estimate

COLUMNS = (
    Column(name="kappa", title="kappa", unit="kappa", better="higher"),
    Column(name="agreement", title="agreement", unit="rate", better="higher"),
    Column(name="both", title="both", unit="clips"),
    Column(name="first_alone", title="first alone", unit="clips"),
    Column(name="second_alone", title="second alone", unit="clips"),
    Column(name="neither", title="neither", unit="clips"),
)


@analysis(version=1, title="Agreement of the gates")
def gate_agreement(findings: Findings) -> list[Table] | Abstain:
    """Of every two gates of support: kappa and share of agreement, intervals over scenes, and who alone says yes."""
    gates = support_gates(findings)
    if len(gates) < 2:
        return Abstain("support was read in one way" if gates else "support was not read")
    rows = []
    for first, second in combinations(gates, 2):
        told, most = told_by_both(first, second), max(first.rows.height, second.rows.height)
        for over in OF_SUPPORT:
            title = f"{first.title} / {second.title}"
            rows.append(TableRow(title=title, group=over.title, cells=_cells(told.filter(over.rows), most)))
    order = [over.title for over in OF_SUPPORT]
    return [
        Table(
            name=table_name("gate-agreement", findings.protocol.name),
            title="Agreement of the gates",
            columns=COLUMNS,
            rows=tuple(sorted(rows, key=lambda row: order.index(row.group))),
            notes=("Cohen's kappa over the clips of all systems of which both gates tell; intervals are over scenes.",),
            protocol=findings.protocol.name,
            reading="Kappa is 1 where two gates always agree, and 0 where they do as often as by chance.",
        )
    ]


def _cells(told: pl.DataFrame, most: int) -> tuple[TableCell, ...]:
    first, second = (told[name].to_numpy().astype(np.float64) for name in ("said", "said_right"))
    found = agreement(first, second, told["scene"].to_numpy().astype(str))
    if isinstance(found, Abstain):
        return (TableCell(reason=found.reason, n=0, total=most),) * len(COLUMNS)
    counts = (first * second, first * (1 - second), (1 - first) * second, (1 - first) * (1 - second))
    return (
        *_estimates(found, told.height, most),
        *(TableCell(value=float(of.sum()), n=told.height) for of in counts),
    )


def _estimates(found: Agreement, n: int, total: int) -> tuple[TableCell, TableCell]:
    kappa, share = (
        TableCell(value=of.value, low=of.low, high=of.high, n=n, total=total)
        if isinstance(of, Estimate)
        else TableCell(reason=of.reason, n=n, total=total)
        for of in (found.kappa, found.share)
    )
    return kappa, share
