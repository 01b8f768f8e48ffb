"""How far people agree with each other, and with themselves when asked again."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.label_sheets import NO_LABELS, LabelSheet, label_sheets
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.coefficients import Weights, cohen, gwet, krippendorff, percent_agreement
from lookaway.stats.intervals import Estimate

COLUMNS = (
    Column(name="items", title="Items", unit="items", digits=0),
    Column(name="raters", title="Raters", unit="raters", digits=0),
    Column(name="share", title="Agreement", unit="rate", better="higher", digits=3),
    Column(name="gwet", title="Gwet's AC", unit="coefficient", better="higher", digits=3),
    Column(name="alpha", title="Krippendorff's alpha", unit="coefficient", better="higher", digits=3),
    Column(name="kappa", title="Cohen's kappa", unit="coefficient", better="higher", digits=3, group="Pairs of raters"),
    Column(name="kappa_spread", title="its spread", unit="coefficient", digits=3, group="Pairs of raters"),
    Column(name="judgeable", title="Agreement whether it can be judged", unit="rate", better="higher", digits=3),
    Column(name="again", title="The same when asked again", unit="rate", better="higher", digits=3),
)


@analysis(version=1, title="Agreement of raters", of_labels=True)
def rater_agreement(findings: Findings) -> list[Table] | Abstain:
    """Per axis: agreement, AC1 or AC2, alpha, kappa over pairs of raters; intervals are over scenes."""
    sheets = findings.once(label_sheets)
    if not sheets:
        return Abstain(NO_LABELS)
    return [agreement_table(sheets, findings.protocol.name)]


def agreement_table(sheets: Iterable[LabelSheet], protocol: str = "") -> Table:
    return Table(
        name=table_name("rater-agreement", protocol) if protocol else "rater-agreement",
        title="Agreement of raters",
        columns=COLUMNS,
        rows=tuple(TableRow(title=sheet.axis, group=sheet.study, cells=_cells(sheet)) for sheet in sheets),
        notes=(
            "Yes and no are kinds: AC1, nominal alpha. Better, tie and worse are an order: AC2 and kappa with linear "
            "weights, ordinal alpha.",
            "Intervals are over scenes. Kappa is the mean over pairs of raters who have items in common, beside its "
            "standard deviation.",
        ),
        protocol=protocol,
        reading="A judge can be expected to agree with people as far as people agree with each other.",
    )


def _cells(sheet: LabelSheet) -> tuple[TableCell, ...]:
    weights: Weights = "linear" if sheet.paired else "nominal"
    said, scenes = sheet.answers, sheet.scenes
    items = int((~np.isnan(said)).any(axis=0).sum())
    return (
        TableCell(value=float(items), n=items),
        TableCell(value=float(len(sheet.raters)), n=len(sheet.raters)),
        estimate_cell(percent_agreement(said, scenes), items),
        estimate_cell(gwet(said, scenes, weights), items),
        estimate_cell(krippendorff(said, scenes, "ordinal" if sheet.paired else "nominal"), items),
        *_kappas(sheet, weights),
        estimate_cell(percent_agreement(sheet.judgeable, scenes), items),
        _again(sheet),
    )


def _kappas(sheet: LabelSheet, weights: Weights) -> tuple[TableCell, TableCell]:
    found = [cohen(first, second, sheet.scenes, weights) for first, second in combinations(sheet.answers, 2)]
    values = [one.value for one in found if isinstance(one, Estimate)]
    if not values:
        reason = next((one.reason for one in found if isinstance(one, Abstain)), "fewer than two raters")
        return TableCell(reason=reason, n=0), TableCell(reason=reason, n=0)
    spread = (
        TableCell(value=float(np.std(values, ddof=1)), n=len(values))
        if len(values) > 1
        else TableCell(reason="one pair of raters", n=1)
    )
    return TableCell(value=float(np.mean(values)), n=len(values), total=len(found)), spread


def _again(sheet: LabelSheet) -> TableCell:
    """Each rater with themselves: two answers to one item are as those of two raters."""
    pairs = [(first, second) for first, second in zip(sheet.answers, sheet.again, strict=True)]
    both = np.concatenate([np.array(pair) for pair in pairs], axis=1)
    whole = ~np.isnan(both).any(axis=0)
    if not whole.any():
        return TableCell(reason="nobody was shown an item twice", n=0)
    scenes = np.tile(sheet.scenes, len(pairs))[whole]
    return estimate_cell(percent_agreement(both[:, whole], scenes), int(whole.sum()))


def estimate_cell(found: Estimate | Abstain, n: int) -> TableCell:
    if isinstance(found, Abstain):
        return TableCell(reason=found.reason, n=n)
    return TableCell(value=found.value, low=found.low, high=found.high, n=n)
