"""Support as a gate reads it, corrected by how often that gate errs on clips of which the truth is known."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.summaries import estimate, scene_totals
from lookaway.analyses.support_gates import SupportGate, support_gates, told_by_both
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.misclassification import Share, corrected_share, scene_share

NO_TRUTH = "no clip whose support is known exactly: add `--judge gate=oracle` for clips of the known world"
ALONE = "no other gate than the one that knows"


class GateError(NamedTuple):
    """What is known of a gate's error."""

    sensitivity: Share | Abstain  # of the clips with support, those that it lets through
    specificity: Share | Abstain  # of those without, those that it holds back
    clips: tuple[int, int]  # with support, and without


@analysis(version=1, title="Support corrected by the gate's error")
def corrected_support(findings: Findings) -> list[Table] | Abstain:
    """Every gate's sensitivity and specificity on clips with exact truth, and systems' support corrected by them."""
    gates = support_gates(findings)
    exact = next((gate for gate in gates if gate.is_exact), None)
    if exact is None:
        return Abstain(NO_TRUTH if gates else "support was not read")
    read = [gate for gate in gates if not gate.is_exact]
    return [_errors(read, exact, findings), _corrected(read, exact, findings)] if read else Abstain(ALONE)


def gate_error(gate: SupportGate, exact: SupportGate, apart_from: str = "") -> GateError:
    """On the clips that both tell of, those of one system left out: it must not be corrected by itself."""
    told = told_by_both(gate, exact).filter(pl.col("system") != apart_from)
    posed, unposed = (told.filter(pl.col("said_right") == right) for right in (1.0, 0.0))
    refused = unposed.with_columns(said=1 - pl.col("said"))
    return GateError(_share(posed), _share(refused), (posed.height, unposed.height))


def _share(rows: pl.DataFrame) -> Share | Abstain:
    return scene_share(*scene_totals(rows, "said")) if rows.height else Abstain("no such clip")


def _errors(read: list[SupportGate], exact: SupportGate, findings: Findings) -> Table:
    columns = (
        Column(name="sensitivity", title="sensitivity", unit="rate", better="higher"),
        Column(name="specificity", title="specificity", unit="rate", better="higher"),
    )
    rows = []
    for gate in read:
        told = told_by_both(gate, exact)
        right = told.with_columns(right=(pl.col("said") == pl.col("said_right")).cast(pl.Float64))
        parts = (right.filter(pl.col("said_right") == known) for known in (1.0, 0.0))
        rows.append(TableRow(title=gate.title, cells=tuple(_mean_cell(part, "right") for part in parts)))
    return Table(
        name=table_name("gate-errors", findings.protocol.name),
        title="How often gates are right",
        columns=columns,
        rows=tuple(rows),
        notes=(f"Against {exact.title}, which knows what the clips of the known world show.",),
        protocol=findings.protocol.name,
        reading="Sensitivity: clips with a return that are let through. Specificity: clips without that are held back.",
    )


def _corrected(read: list[SupportGate], exact: SupportGate, findings: Findings) -> Table:
    systems = [system.label for system in findings.systems]
    columns = [Column(name=f"{exact.key}:exact", title="exact", unit="rate", better="higher")]
    for gate in read:
        columns.append(Column(name=f"{gate.key}:read", title="as read", unit="rate", group=gate.title))
        columns.append(Column(name=f"{gate.key}:corrected", title="corrected", unit="rate", group=gate.title))
    rows = []
    for label in systems:
        cells = [_mean_cell(_of(exact, label), "said")]
        for gate in read:
            mine = _of(gate, label)
            cells += [_mean_cell(mine, "said"), _corrected_cell(mine, gate_error(gate, exact, label))]
        rows.append(TableRow(title=label, cells=tuple(cells)))
    return Table(
        name=table_name("corrected-support", findings.protocol.name),
        title="Support corrected by the gate's error",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=(
            "Rogan and Gladen's estimate, Lang and Reiczigel's interval, by the gate's error on clips of other systems "
            "with known truth. It holds as far as the gate errs on this system's clips as it does on those.",
        ),
        protocol=findings.protocol.name,
        reading="Where the corrected interval leaves out what was read, the gate's errors make the difference.",
    )


def _of(gate: SupportGate, system: str) -> pl.DataFrame:
    return gate.rows.filter(pl.col("system") == system)


def _corrected_cell(rows: pl.DataFrame, error: GateError) -> TableCell:
    shares = (_share(rows), error.sensitivity, error.specificity)
    for share, of in zip(shares, ("", "with support: ", "without support: "), strict=True):
        if isinstance(share, Abstain):
            return TableCell(reason=f"{of}{share.reason}", n=0, total=rows.height)
    seen, sensitivity, specificity = (share for share in shares if isinstance(share, Share))
    found = corrected_share(seen, sensitivity, specificity)
    if isinstance(found, Abstain):
        return TableCell(reason=found.reason, n=0, total=rows.height)
    return TableCell(value=found.value, low=found.low, high=found.high, n=rows.height)


def _mean_cell(rows: pl.DataFrame, column: str) -> TableCell:
    if rows.is_empty():
        return TableCell(reason="no such clip", n=0, total=0)
    found = estimate(rows, column)
    return TableCell(value=found.value, low=found.low, high=found.high, n=rows.height)
