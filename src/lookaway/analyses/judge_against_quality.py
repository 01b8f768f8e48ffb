"""What a judge sees and no-reference quality misses: how far answers lie from what quality predicts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import SIGNIFICANT
from lookaway.analyses.memory_sides import ANSWERS, NO_REFERENCE
from lookaway.analyses.named_metrics import clip_values, system_means
from lookaway.analyses.sides import side_scores
from lookaway.analyses.summaries import marked
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats, t_quantile
from lookaway.stats.paired import holm

FEWEST = 5  # systems: a line through the others, and two degrees of freedom left
POINTS = 100


class DeletedResidual(NamedTuple):
    """How far a point lies from the line through all others, with the interval of a prediction by that line."""

    value: float
    low: float
    high: float
    p: float


@analysis(version=1, title="Judge against quality")
def judge_against_quality(findings: Findings) -> list[Table] | Abstain:
    """Each system's pass rates, minus what its no-reference quality predicts by the other systems."""
    quality = side_scores(NO_REFERENCE, findings)
    if isinstance(quality, Abstain):
        return quality
    looks, told = system_means(quality.rows), [f"{quality.told}."]
    found: dict[str, dict[str, DeletedResidual]] = {}
    for name in ANSWERS:
        answers = clip_values(findings, name)
        means = {} if isinstance(answers, Abstain) else system_means(answers.rows)
        both = sorted(looks.keys() & means.keys())
        if isinstance(answers, Abstain) or len(both) < FEWEST:
            told.append(
                f"{answers.reason}." if isinstance(answers, Abstain) else f"{name}: {len(both)} systems have both."
            )
            continue
        residuals = deleted_residuals(*(np.array([of[label] for label in both]) for of in (looks, means)))
        found[str(answers.ref)] = dict(zip(both, residuals, strict=True))
    return [_table(found, tuple(told), findings)] if found else Abstain(" ".join(told))


def deleted_residuals(x: Floats, y: Floats) -> list[DeletedResidual]:
    """Each point against the straight line through the others; where those have no spread, against their mean."""
    return [_deleted(np.delete(x, n), np.delete(y, n), float(x[n]), float(y[n])) for n in range(len(x))]


def _deleted(x: Floats, y: Floats, at: float, value: float) -> DeletedResidual:
    n, middle = len(x), x.mean()
    spread = float(((x - middle) ** 2).sum())
    sloped = spread > 1e-12 * max(float((x**2).sum()), 1e-300)
    slope = float((x - middle) @ (y - y.mean())) / spread if sloped else 0.0
    left = y - y.mean() - slope * (x - middle)
    freedom = n - 2 if sloped else n - 1
    share = 1 + 1 / n + ((at - middle) ** 2 / spread if sloped else 0.0)
    error = float(np.sqrt(left @ left / freedom * share))
    gap = value - float(y.mean()) - slope * (at - float(middle))
    p = 2 * float(stdtr(freedom, -abs(gap) / error)) if error else float(gap == 0)
    reach = t_quantile(freedom) * error
    return DeletedResidual(gap, gap - reach, gap + reach, p)


def _table(found: dict[str, dict[str, DeletedResidual]], told: tuple[str, ...], findings: Findings) -> Table:
    every = [(name, label) for name, of in found.items() for label in of]
    p_values = holm(np.array([found[name][label].p for name, label in every]))
    corrected = dict(zip(every, p_values.tolist(), strict=True))
    rows = []
    for system in findings.systems:
        cells = []
        for name, of in found.items():
            one = of.get(system.label)
            cell = TableCell(reason="no number on both") if one is None else _cell(one, len(of))
            sure = one is not None and corrected[name, system.label] < SIGNIFICANT
            cells.append(marked(cell, "significant") if sure else cell)
        rows.append(TableRow(title=system.label, cells=tuple(cells)))
    return Table(
        name=table_name("judge-against-quality", findings.protocol.name),
        title="What a judge sees and quality misses",
        columns=tuple(Column(name=name, title=name, unit="points", digits=1) for name in found),
        rows=tuple(rows),
        notes=(
            *told,
            "Pass rate in points of 100, minus what a straight line through the other systems predicts from quality; "
            "n counts systems, the interval is that of a prediction.",
            f"Holm corrects all {len(every)} tests of the table; marked is a corrected p below {SIGNIFICANT}. "
            "Systems of one maker are taken for independent.",
        ),
        protocol=findings.protocol.name,
        reading="Far below 0: the judge finds faults in pictures that no-reference metrics call good.",
    )


def _cell(one: DeletedResidual, n: int) -> TableCell:
    return TableCell(value=POINTS * one.value, low=POINTS * one.low, high=POINTS * one.high, n=n)
