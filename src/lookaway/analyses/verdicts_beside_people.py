"""Yes and no of judges beside people: do they agree with people as far as people agree with each other?"""

from __future__ import annotations

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.label_sheets import LabelSheet
from lookaway.analyses.people_and_metrics import Beside, beside_people
from lookaway.outcomes import Abstain
from lookaway.records import CaseId, Column, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.model_orders import order_agreement, order_by_chance
from lookaway.stats.raters import (
    PairMean,
    accuracy,
    among_people,
    balanced_accuracy,
    confusion,
    majority,
    with_people,
)

COUNTS = (("yes_yes", "yes / yes"), ("yes_no", "yes / no"), ("no_yes", "no / yes"), ("no_no", "no / no"))
COLUMNS = (
    Column(name="accuracy", title="Judge", unit="rate", better="higher", digits=3, group="Accuracy"),
    Column(name="accuracy_people", title="People", unit="rate", digits=3, group="Accuracy"),
    Column(name="balanced", title="Judge", unit="rate", better="higher", digits=3, group="(TPR + TNR) / 2"),
    Column(name="balanced_people", title="People", unit="rate", digits=3, group="(TPR + TNR) / 2"),
    Column(name="order", title="Judge", unit="rate", better="higher", digits=3, group="Order of models"),
    Column(name="order_people", title="People", unit="rate", digits=3, group="Order of models"),
    Column(name="order_chance", title="By chance", unit="rate", digits=3, group="Order of models"),
    *(Column(name=name, title=title, unit="items", digits=0, group="Most people / judge") for name, title in COUNTS),
)


@analysis(version=1, title="Verdicts beside people", of_labels=True)
def verdicts_beside_people(findings: Findings) -> list[Table] | Abstain:
    """Per axis and judge: accuracy, balanced accuracy and order of models, with people and among people."""
    beside = beside_people(findings, paired=False)
    if isinstance(beside, Abstain):
        return beside
    return [
        Table(
            name=table_name("verdicts-beside-people", findings.protocol.name),
            title="Verdicts beside people",
            columns=COLUMNS,
            rows=tuple(TableRow(title=one.title, group=one.sheet.title, cells=_cells(one)) for one in beside),
            notes=(
                "Judge: mean over raters, each of whom counts as right. People: mean over pairs of raters, each of "
                "whom counts as right once; bounds are one standard deviation over pairs. A value above 0.5 is a yes.",
                "Order of models: 1 the same, 0.5 where one sees a tie, over every two models on the same task and "
                "seed; raters who say yes as often and never look reach the number by chance.",
            ),
            protocol=findings.protocol.name,
            reading="A judge that agrees with people less than they do with each other is the weaker rater.",
        )
    ]


def _cells(beside: Beside) -> tuple[TableCell, ...]:
    people = beside.sheet.answers
    judge = said_yes(beside.values)
    table = confusion(majority(people), judge)
    return (
        _pair_cell(with_people(judge, people, accuracy)),
        _pair_cell(among_people(people, accuracy)),
        _pair_cell(with_people(judge, people, balanced_accuracy)),
        _pair_cell(among_people(people, balanced_accuracy)),
        *_orders(beside.sheet, judge),
        *(TableCell(value=float(count), n=table.n, total=len(judge)) for count in table),
    )


def said_yes(values: Floats) -> Floats:
    """A value above a half is a yes: [0.7, 0.2, nan] -> [1, 0, nan]."""
    return np.where(np.isnan(values), np.nan, (values > 0.5).astype(float))


def _orders(sheet: LabelSheet, judge: Floats) -> tuple[TableCell, TableCell, TableCell]:
    people = majority(sheet.answers)
    models, pairs = sorted({_model(item) for item in sheet.items}), _places(sheet)
    found = order_agreement(*(_by_model(said, len(models), pairs) for said in (people, judge)))
    grids = np.array([_by_model(rater, len(models), pairs) for rater in sheet.answers])
    if isinstance(found, Abstain):
        return (TableCell(reason=found.reason, n=0),) * 3
    chance = order_by_chance(float(np.nanmean(people)), float(np.nanmean(judge)))
    shared = len(models)
    return (
        TableCell(value=found, n=shared),
        _pair_cell(among_people(grids, order_agreement)),
        TableCell(value=chance, n=shared),
    )


def _places(sheet: LabelSheet) -> tuple[list[int], list[int]]:
    """The model and the task and seed of each item, by number."""
    cases = [CaseId.parse(item[0]) for item in sheet.items]
    models = sorted({case.system for case in cases})
    tries = sorted({(case.task, case.seed, case.branch) for case in cases})
    return [models.index(case.system) for case in cases], [tries.index((c.task, c.seed, c.branch)) for c in cases]


def _model(item: tuple[str, ...]) -> str:
    return CaseId.parse(item[0]).system


def _by_model(said: Floats, models: int, places: tuple[list[int], list[int]]) -> Floats:
    """Answers as (models, tasks and seeds); NaN where there is none."""
    grid = np.full((models, max(places[1]) + 1), np.nan)
    grid[places] = said
    return grid


def _pair_cell(found: PairMean | Abstain) -> TableCell:
    """A mean over pairs of raters, with the spread over them as its bounds."""
    if isinstance(found, Abstain):
        return TableCell(reason=found.reason, n=0)
    low, high = (float(np.clip(found.value + side * found.spread, 0, 1)) for side in (-1, 1))
    return TableCell(value=found.value, measured_low=low, measured_high=high, n=found.pairs)
