"""A judge's scores turned into probabilities by people's labels, what it may leave unanswered, and labels it saves."""

from __future__ import annotations

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.people_and_metrics import Beside, beside_people
from lookaway.analyses.rater_agreement import estimate_cell
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.calibrated import abstention_curve, brier, held_out, isotonic, platt
from lookaway.stats.prediction_powered import prediction_powered
from lookaway.stats.raters import majority

HALF = 0.5
COLUMNS = (
    Column(name="brier", title="As it says", unit="squared", better="lower", digits=3, group="Brier"),
    Column(name="brier_isotonic", title="Isotonic", unit="squared", better="lower", digits=3, group="Brier"),
    Column(name="brier_platt", title="Platt", unit="squared", better="lower", digits=3, group="Brier"),
    Column(name="right", title="All", unit="rate", better="higher", digits=3, group="Right"),
    Column(name="right_half", title="Surest half", unit="rate", better="higher", digits=3, group="Right"),
    Column(name="yes", title="Labels alone", unit="rate", digits=3, group="Share of yes"),
    Column(name="yes_helped", title="With the judge", unit="rate", digits=3, group="Share of yes"),
    Column(name="saved", title="Labels saved", unit="rate", better="higher", digits=2, group="Share of yes"),
)


@analysis(version=1, title="Judges calibrated by people", of_labels=True)
def judge_calibration(findings: Findings) -> list[Table] | Abstain:
    """Per axis and judge: Brier score before and after calibration, its surest half, and labels it saves."""
    beside = beside_people(findings, paired=False)
    if isinstance(beside, Abstain):
        return beside
    return [
        Table(
            name=table_name("judge-calibration", findings.protocol.name),
            title="Judges calibrated by people",
            columns=COLUMNS,
            rows=tuple(TableRow(title=one.title, group=one.sheet.title, cells=_cells(one)) for one in beside),
            notes=(
                "An item is what most raters say of it. Probabilities are learned on all scenes but that of the item.",
                "With the judge: prediction-powered, from labels and what the judge says of clips of other scenes that "
                "nobody labelled; labels saved at the same length of interval.",
            ),
            protocol=findings.protocol.name,
            reading="Calibration helps where Brier falls; a judge that knows its doubts is right where it is sure.",
        )
    ]


def _cells(beside: Beside) -> tuple[TableCell, ...]:
    people, scenes = majority(beside.sheet.answers), beside.sheet.scenes
    both = ~np.isnan(people) & ~np.isnan(beside.values)
    answers, said, n = people[both], beside.values[both], int(both.sum())
    if not n:
        return (TableCell(reason="no item that both answer", n=0),) * len(COLUMNS)
    learned = [held_out(said, answers, scenes[both], learner) for learner in (isotonic, platt)]
    curve = abstention_curve(said, answers)
    half = next(one for one in curve if one.coverage >= HALF)
    return (
        TableCell(value=brier(said, answers), n=n),
        *(_brier_cell(one, answers) for one in learned),
        *(TableCell(value=o.right.value, low=o.right.low, high=o.right.high, n=o.right.n) for o in (curve[-1], half)),
        *_helped(beside, people),
    )


def _brier_cell(probabilities: Floats | Abstain, answers: Floats) -> TableCell:
    if isinstance(probabilities, Abstain):
        return TableCell(reason=probabilities.reason, n=len(answers))
    return TableCell(value=brier(probabilities, answers), n=len(answers))


def _helped(beside: Beside, people: Floats) -> tuple[TableCell, TableCell, TableCell]:
    scenes = beside.sheet.scenes
    both = ~np.isnan(people) & ~np.isnan(beside.values)
    unlabelled, their_scenes = beside.others_outside(set(scenes[both].tolist()))
    if not len(unlabelled):
        return (TableCell(reason="every scene that the judge answers is labelled", n=0),) * 3
    found = prediction_powered(people[both], beside.values[both], scenes[both], unlabelled, their_scenes)
    if isinstance(found, Abstain):
        return (TableCell(reason=found.reason, n=int(both.sum())),) * 3
    n, saved = int(both.sum()), found.labels_saved
    return (
        estimate_cell(found.labels_alone, n),
        estimate_cell(found.helped, n + len(unlabelled)),
        TableCell(reason="no interval", n=n) if saved is None else TableCell(value=saved, n=n),
    )
