"""Which items people found hard: on which they split, how far, and whether judges are right there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.label_sheets import NO_LABELS, LabelSheet, label_sheets
from lookaway.analyses.people_and_metrics import Beside, beside_labels
from lookaway.analyses.rater_agreement import estimate_cell
from lookaway.analyses.verdicts_beside_people import said_yes
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.correlations import scene_spearman
from lookaway.stats.intervals import Estimate, clopper_pearson, scene_rate
from lookaway.stats.item_spread import ItemSpread, item_spread, split_by_chance
from lookaway.stats.jackknife import jackknifed
from lookaway.stats.raters import item_agreement

Rows = NDArray[np.bool_]  # which items
MOST_SHOWN = 12  # of each axis and judge
NOBODY = "no judge or metric is set beside this axis"
NO_MOST, NO_WORD, A_TIE = "as many say one thing as another", "the judge says nothing of it", "most see a tie"
ITEM_COLUMNS = (
    Column(name="answers", title="Answers", unit="answers", digits=0),
    Column(name="agreement", title="Pairs of raters who agree", unit="rate", digits=2),
    Column(name="entropy", title="Entropy", unit="bits", digits=2),
    Column(name="most", title="Most say"),
    Column(name="share", title="so many", unit="rate", digits=2),
    Column(name="judgeable", title="Could judge it", unit="rate", digits=2),
)
ITEM_JUDGE = Column(name="judge", title="Judge")
AXIS_COLUMNS = (
    Column(name="items", title="Items", unit="items", digits=0),
    Column(name="split", title="People split", unit="rate", digits=3),
    Column(name="split_chance", title="By chance", unit="rate", digits=3),
)
RIGHT_WHERE = "Judge right where people are"
AXIS_JUDGE = (
    Column(name="right_sure", title="of one mind", unit="rate", better="higher", digits=3, group=RIGHT_WHERE),
    Column(name="right_split", title="split", unit="rate", better="higher", digits=3, group=RIGHT_WHERE),
    Column(name="easier", title="Difference", unit="rate", digits=3, group=RIGHT_WHERE),
    Column(name="rank", title="Spearman of agreement", unit="coefficient", digits=3),
)


class JudgedAxis(NamedTuple):
    """One axis as its raters see it, with the judge beside it if there is one."""

    sheet: LabelSheet
    beside: Beside | None
    spread: ItemSpread

    @property
    def hard(self) -> list[int]:
        """Items on which raters split, the hardest first."""
        found = np.flatnonzero(self.spread.agreement < 1)
        order = np.lexsort((found, -self.spread.entropy[found], self.spread.agreement[found]))
        return [int(at) for at in found[order]]

    @property
    def says(self) -> Floats:
        """What the judge says in the raters' answers: yes is above a half; of a pair, which clip has more."""
        if self.beside is None or not (self.sheet.paired or self.yes_or_no):
            return np.full(len(self.sheet.items), np.nan)
        return np.sign(self.beside.values) if self.sheet.paired else said_yes(self.beside.values)

    @property
    def yes_or_no(self) -> bool:
        return bool(np.isin(self.sheet.answers[~np.isnan(self.sheet.answers)], (0, 1)).all())

    @property
    def right(self) -> Floats:
        """1 where the judge says what most raters say, 0 where not; NaN where either is silent, or a pair is a tie."""
        most, says = self.spread.most, self.says
        silent = np.isnan(most) | np.isnan(says) | (self.sheet.paired & (most == 0))
        return np.where(silent, np.nan, 1.0 * (most == says))


@analysis(version=1, title="Items that people found hard", of_labels=True)
def item_difficulty(findings: Findings) -> list[Table] | Abstain:
    """Per item: agreement, entropy, what most say, judge right or wrong; per axis: how often people split."""
    sheets = findings.once(label_sheets)
    if not sheets:
        return Abstain(NO_LABELS)
    return difficulty_tables(sheets, findings.once(beside_labels), findings.protocol.name)


def difficulty_tables(sheets: Iterable[LabelSheet], beside: Sequence[Beside] = (), protocol: str = "") -> list[Table]:
    """How often people split on each axis; and the items on which they do, where there are any."""
    axes = judged_axes(sheets, beside)
    tables = [_axis_table(axes, bool(beside), protocol)]
    return [*tables, _item_table(axes, bool(beside), protocol)] if any(axis.hard for axis in axes) else tables


def judged_axes(sheets: Iterable[LabelSheet], beside: Sequence[Beside] = ()) -> list[JudgedAxis]:
    """Each axis once for every judge beside it, or once without any."""
    return [
        JudgedAxis(sheet, judge, item_spread(sheet.answers)) for sheet in sheets for judge in _judges(sheet, beside)
    ]


def _judges(sheet: LabelSheet, beside: Sequence[Beside]) -> Sequence[Beside | None]:
    return [one for one in beside if one.sheet is sheet] or [None]


def _axis_table(axes: Sequence[JudgedAxis], judged: bool, protocol: str) -> Table:
    return Table(
        name=table_name("hard-axes", protocol) if protocol else "hard-axes",
        title="How often people split",
        columns=AXIS_COLUMNS + (AXIS_JUDGE if judged else ()),
        rows=tuple(
            TableRow(
                title=axis.beside.title if axis.beside else "people",
                group=axis.sheet.title,
                cells=_axis_cells(axis) + (_judge_cells(axis) if judged else ()),
            )
            for axis in axes
        ),
        notes=(
            "Items with two answers or more. By chance: what raters would split on who never look and give each answer "
            "as often as it was given.",
            "Spearman: over items, the share of people with whom the judge agrees beside the share of pairs of people "
            "who agree. It is 0 for a judge that never looks. Of a pair, the judge's difference counts by its sign.",
        )[: 1 + judged],
        protocol=protocol,
        reading="As many splits as by chance: people guess. Fewer: some items are hard, and others are not.",
    )


def _axis_cells(axis: JudgedAxis) -> tuple[TableCell, ...]:
    known = ~np.isnan(axis.spread.agreement)
    items = int(known.sum())
    count = TableCell(value=float(items), n=items, total=len(known))
    if not items:
        reason = TableCell(reason="no item that two raters answer", n=0, total=len(known))
        return count, reason, reason
    split = _rate((axis.spread.agreement < 1).astype(float), known, axis.sheet)
    return count, split, TableCell(value=split_by_chance(axis.sheet.answers), n=items)


def _judge_cells(axis: JudgedAxis) -> tuple[TableCell, ...]:
    if axis.beside is None:
        return (TableCell(reason=NOBODY, n=0),) * len(AXIS_JUDGE)
    told, sure = ~np.isnan(axis.right), axis.spread.agreement == 1
    split = axis.spread.agreement < 1
    return (
        _rate(axis.right, told & sure, axis.sheet),
        _rate(axis.right, told & split, axis.sheet),
        _difference(axis, told & sure, told & split),
        _rank(axis),
    )


def _rate(hits: Floats, rows: Rows, sheet: LabelSheet) -> TableCell:
    if not rows.any():
        return TableCell(reason="no such item of which the judge and most people tell", n=0)
    _, places = np.unique(sheet.scenes[rows], return_inverse=True)
    found = scene_rate(np.bincount(places, hits[rows]).astype(float), np.bincount(places).astype(float))
    return estimate_cell(found, int(rows.sum()))


def _difference(axis: JudgedAxis, sure: Rows, split: Rows) -> TableCell:
    """How much more often the judge is right where people are of one mind; scenes are left out in turn."""
    both = sure | split
    if not (sure.any() and split.any()):
        return TableCell(reason="people are of one mind on all of these items, or on none", n=int(both.sum()))
    _, places = np.unique(axis.sheet.scenes[both], return_inverse=True)
    hits = np.nan_to_num(axis.right)
    columns = np.stack([hits * sure, sure, hits * split, split], axis=1)[both]
    totals = np.zeros((places.max() + 1, 4))
    np.add.at(totals, places, columns)
    found = jackknifed(totals, lambda of: of[0] / of[1] - of[2] / of[3] if of[1] and of[3] else np.nan)
    return estimate_cell(found or Abstain("not enough items"), int(both.sum()))


def _rank(axis: JudgedAxis) -> TableCell:
    found = item_agreement(axis.says, axis.sheet.answers)
    rank = scene_spearman(found.judge, found.people, axis.sheet.scenes[found.items])
    if isinstance(rank, Abstain):
        return TableCell(reason=rank.reason, n=len(found.judge))
    return estimate_cell(Estimate(rank.value, rank.low, rank.high, rank.method), rank.n)


def _item_table(axes: Sequence[JudgedAxis], judged: bool, protocol: str) -> Table:
    return Table(
        name=table_name("hard-items", protocol) if protocol else "hard-items",
        title="Items that people found hard",
        columns=ITEM_COLUMNS + ((ITEM_JUDGE,) if judged else ()),
        rows=tuple(_item_row(axis, at, judged) for axis in axes for at in axis.hard[:MOST_SHOWN]),
        notes=(
            "Entropy is 0 bits where all say the same and 1 where they halve over two answers. The share who say what "
            "most say has its interval over the item's raters (Clopper-Pearson).",
            *(
                f"{axis.sheet.title}: {len(axis.hard)} items are split, the {MOST_SHOWN} hardest are shown."
                for axis in {one.sheet.title: one for one in axes}.values()
                if len(axis.hard) > MOST_SHOWN
            ),
        ),
        protocol=protocol,
        reading="Where people split, a judge that is against most of them may still be right: look at the clip.",
    )


def _item_row(axis: JudgedAxis, at: int, judged: bool) -> TableRow:
    sheet, spread = axis.sheet, axis.spread
    asked = sheet.judgeable[:, at]
    asked = asked[~np.isnan(asked)]
    answers = int(spread.answers[at])
    cells = (
        TableCell(value=float(answers), n=answers, link=sheet.items[at][0]),
        TableCell(value=float(spread.agreement[at]), n=answers),
        TableCell(value=float(spread.entropy[at]), n=answers),
        *_most_cells(axis, at, answers),
        TableCell(value=float(asked.mean()), n=len(asked)) if len(asked) else TableCell(reason="nobody was asked", n=0),
    )
    group = sheet.title if axis.beside is None else f"{sheet.title}: {axis.beside.title}"
    verdict = (_verdict_cell(axis, at),) if judged else ()
    return TableRow(title=" against ".join(sheet.items[at]), group=group, cells=cells + verdict)


def _most_cells(axis: JudgedAxis, at: int, answers: int) -> tuple[TableCell, TableCell]:
    most = axis.spread.most[at]
    if np.isnan(most):
        return (TableCell(reason=NO_MOST, n=answers),) * 2
    votes = float(axis.spread.votes[at])
    low, high = clopper_pearson(votes, answers)
    return TableCell(text=_in_words(axis, most)), TableCell(value=votes / answers, low=low, high=high, n=answers)


def _in_words(axis: JudgedAxis, answer: float) -> str:
    if axis.sheet.paired:
        return {1.0: "the first", 0.0: "a tie", -1.0: "the second"}[answer]
    if axis.yes_or_no:
        return "yes" if answer else "no"
    return f"{answer:g}"


def _verdict_cell(axis: JudgedAxis, at: int) -> TableCell:
    if axis.beside is None:
        return TableCell(reason=NOBODY, n=0)
    if np.isnan(right := axis.right[at]):
        most = axis.spread.most[at]
        return TableCell(reason=NO_MOST if np.isnan(most) else NO_WORD if np.isnan(axis.says[at]) else A_TIE, n=0)
    return TableCell(text="right" if right else "wrong")
