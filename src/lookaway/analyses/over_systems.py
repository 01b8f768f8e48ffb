"""Contrasts over systems: each system is a pair, its mean in two arms; and the table that shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lookaway.analyses import Findings
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT, bounded_difference, difference_cell
from lookaway.records import Column, Contrast, Table, TableCell, TableRow
from lookaway.stats.paired import Significance, wilcoxon

Means = Mapping[str, float]  # by label of the system; those without a number are absent

PAIRING = "same system"
TEST = "Wilcoxon signed-rank over systems"
ABOUT = (
    f"A pair is a system. The test is {TEST}, exact up to 50 systems; the interval is that of the mean difference over "
    f"systems. Holm corrects all tests of the table; marked is a corrected p below {SIGNIFICANT}. Systems "
    "that share weights or makers are taken for independent."
)


class ContrastLine(NamedTuple):
    """A contrast and where it stands in a table."""

    group: str
    title: str
    contrast: Contrast


def over_systems(
    name: str, arms: tuple[str, str], first: Means, second: Means, asked: int, most: float | None = None
) -> Contrast:
    """Mean over systems of the first arm minus the second; `asked` counts all systems, with a number or without.

    An interval ends where no difference can be larger (`most`).
    """
    both = sorted(first.keys() & second.keys())
    differences = np.array([first[label] - second[label] for label in both])
    lacking = asked - len(both)
    missing = {"a system without a number in both": lacking} if lacking else {}
    facts = {"name": name, "arms": arms, "pairing": PAIRING, "missing": missing}
    found, tested = bounded_difference(differences, np.array(both), most), wilcoxon(differences)
    if found is None:
        return Contrast(**facts, n_pairs=0, n_scenes=0, reason="no system has a number in both")
    return Contrast(
        **facts,
        n_pairs=len(both),
        n_scenes=len(both),
        estimate=found.value,
        low=found.low,
        high=found.high,
        method=found.method,
        test=TEST if isinstance(tested, Significance) else "",
        p=tested.p if isinstance(tested, Significance) else None,
    )


def questions_table(
    name: str, title: str, asked: Sequence[ContrastLine], findings: Findings, reading: str, notes: tuple[str, ...] = ()
) -> Table:
    """A row for every contrast: difference with interval, p, p corrected, systems."""
    return Table(
        name=table_name(name, findings.protocol.name),
        title=title,
        columns=(
            Column(name="difference", title="difference", unit="score", digits=3),
            Column(name="p", title="Wilcoxon", unit="p"),
            Column(name="p_corrected", title="Holm", unit="p"),
            Column(name="systems", title="n", unit="systems"),
        ),
        rows=tuple(TableRow(title=one.title, group=one.group, cells=_cells(one.contrast)) for one in asked),
        notes=(ABOUT, *notes),
        protocol=findings.protocol.name,
        reading=reading,
    )


def _cells(one: Contrast) -> tuple[TableCell, ...]:
    why = one.method.removeprefix("no interval: ") or one.reason
    p = TableCell(reason=why) if one.p is None else TableCell(value=one.p)
    corrected = TableCell(reason="not tested") if one.p_corrected is None else TableCell(value=one.p_corrected)
    return difference_cell(one), p, corrected, TableCell(value=one.n_pairs)
