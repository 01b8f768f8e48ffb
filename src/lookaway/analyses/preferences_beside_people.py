"""Which of two clips a metric prefers, beside people; the tie band is fixed on one part and read on the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.people_and_metrics import Beside, beside_people
from lookaway.analyses.rater_agreement import estimate_cell
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.coefficients import cohen
from lookaway.stats.correlations import Correlation, scene_spearman
from lookaway.stats.decisions import decided, decision_agreement, fitted_tie_band, judgeability
from lookaway.stats.raters import majority
from lookaway.stats.rates import RateInterval

NOTHING_HELD_OUT = "no scene is held out, so that the tie band would be read where it was fitted"
COLUMNS = (
    Column(name="tie_band", title="Tie band", digits=3),
    Column(name="exact", title="Exact", unit="rate", better="higher", digits=3, group="Held out"),
    Column(name="strict", title="Strict", unit="rate", better="higher", digits=3, group="Held out"),
    Column(name="tie", title="Tie", unit="rate", better="higher", digits=3, group="Held out"),
    Column(name="reversals", title="Reversals", unit="pairs", better="lower", digits=0, group="Held out"),
    Column(name="kappa", title="Weighted kappa", unit="coefficient", better="higher", digits=3, group="Held out"),
    Column(name="rank_held_out", title="Spearman", unit="coefficient", better="higher", digits=3, group="Held out"),
    Column(name="rank", title="Spearman, all", unit="coefficient", better="higher", digits=3),
    Column(name="judgeable", title="Judgeable", unit="rate", better="higher", digits=3, group="Judgeability"),
    Column(name="not_judgeable", title="Not judgeable", unit="rate", better="higher", digits=3, group="Judgeability"),
    Column(name="balanced", title="Balanced", unit="rate", better="higher", digits=3, group="Judgeability"),
)


@analysis(version=1, title="Decisions beside preferences", of_labels=True)
def preferences_beside_people(findings: Findings) -> list[Table] | Abstain:
    """Per axis and instrument: exact, strict and tie agreement, reversals, kappa, rank, and judgeability."""
    beside = beside_people(findings, paired=True)
    if isinstance(beside, Abstain):
        return beside
    return [
        Table(
            name=table_name("preferences-beside-people", findings.protocol.name),
            title="Decisions beside preferences",
            columns=COLUMNS,
            rows=tuple(TableRow(title=one.title, group=one.sheet.title, cells=_cells(one)) for one in beside),
            notes=(
                "A pair is what most raters say of it. The tie band is the one with most exact agreement on pairs that "
                "are not held out; all but `Spearman, all` and judgeability are of pairs that are.",
                "Strict: pairs in which people prefer one clip; tie: those in which they do not. A reversal is a "
                "preference met by the opposite decision.",
                "Judgeability: of pairs that most raters can judge the share with a number, of others that without.",
            ),
            protocol=findings.protocol.name,
            reading="A tie band that is fitted where it is read flatters; a reversal is worse than a missed tie.",
        )
    ]


def preferred(answers: Floats) -> Floats:
    """What most raters say of each pair, ties being an answer; NaN where two answers are as common as each other."""
    votes = np.array([(answers == value).sum(axis=0) for value in (-1, 0, 1)])
    most = votes.max(axis=0)
    alone = (votes == most).sum(axis=0) == 1
    return np.where(alone & (most > 0), votes.argmax(axis=0) - 1.0, np.nan)


def _cells(beside: Beside) -> tuple[TableCell, ...]:
    sheet, people = beside.sheet, preferred(beside.sheet.answers)
    known = judgeability(majority(sheet.judgeable), np.where(np.isnan(beside.values), 0.0, 1.0))
    balanced = known.balanced
    return (
        *_decisions(people, beside.values, sheet.scenes, sheet.held_out),
        _rank_cell(people, beside.values, sheet.scenes),
        _rate_cell(known.judgeable),
        _rate_cell(known.not_judgeable),
        TableCell(reason=balanced.reason, n=0) if isinstance(balanced, Abstain) else TableCell(value=balanced),
    )


def _decisions(
    people: Floats, differences: Floats, scenes: NDArray[Any], held_out: NDArray[np.bool_]
) -> tuple[TableCell, ...]:
    if not held_out.any():
        return (TableCell(reason=NOTHING_HELD_OUT, n=0),) * 7
    band = fitted_tie_band(people[~held_out], differences[~held_out])
    if isinstance(band, Abstain):
        return (TableCell(reason=band.reason, n=0),) * 7
    wanted, said = people[held_out], decided(differences[held_out], band)
    found = decision_agreement(wanted, said)
    both = int((~np.isnan(wanted) & ~np.isnan(said)).sum())
    return (
        TableCell(value=band, n=int((~held_out).sum())),
        *(_rate_cell(share) for share in (found.exact, found.strict, found.tie)),
        TableCell(value=float(found.reversals), n=both),
        estimate_cell(cohen(wanted, said, scenes[held_out], "linear"), both),
        _rank_cell(wanted, differences[held_out], scenes[held_out]),
    )


def _rank_cell(people: Floats, differences: Floats, scenes: NDArray[Any]) -> TableCell:
    both = ~np.isnan(people) & ~np.isnan(differences)
    found = scene_spearman(people[both], differences[both], scenes[both])
    if isinstance(found, Correlation):
        return TableCell(value=found.value, low=found.low, high=found.high, n=found.n)
    return TableCell(reason=found.reason, n=int(both.sum()))


def _rate_cell(found: RateInterval | Abstain) -> TableCell:
    if isinstance(found, Abstain):
        return TableCell(reason=found.reason, n=0)
    return TableCell(value=found.value, low=found.low, high=found.high, n=found.n)
