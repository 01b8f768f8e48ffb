"""Scenes by axes: where people agree with each other, and where the judge says what most of them say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.item_difficulty import JudgedAxis, judged_axes
from lookaway.analyses.label_sheets import NO_LABELS, label_sheets
from lookaway.analyses.people_and_metrics import beside_labels
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.intervals import clopper_pearson

Cell = Callable[[str], TableCell]  # of a scene


@analysis(version=1, title="Agreement by scene", of_labels=True)
def agreement_by_scene(findings: Findings) -> list[Table] | Abstain:
    """A heat map: for every scene, pairs of raters who agree, and items on which the judge says what most say."""
    sheets = findings.once(label_sheets)
    if not sheets:
        return Abstain(NO_LABELS)
    columns: list[Column] = []
    cells: list[Cell] = []
    for number, axis in enumerate(judged_axes(sheets, findings.once(beside_labels))):
        if all(column.group != axis.sheet.title for column in columns):
            columns.append(_column(f"people_{number}", "People", axis))
            cells.append(_people(axis))
        if axis.beside is not None:
            columns.append(_column(f"judge_{number}", axis.beside.title, axis))
            cells.append(_judge(axis))
    scenes = sorted({str(scene) for sheet in sheets for scene in sheet.scenes})
    return [
        Table(
            name=table_name("agreement-by-scene", findings.protocol.name),
            title="Agreement by scene",
            shape="heat_map",
            columns=tuple(columns),
            rows=tuple(TableRow(title=scene, cells=tuple(cell(scene) for cell in cells)) for scene in scenes),
            notes=(
                "People: share of pairs of raters who say the same, mean over the items that two raters answer; what "
                "one scene tells has no interval over scenes. Judge: share of items on which it says what most raters "
                "say, with its interval over items (Clopper-Pearson); items without a most common answer do not count.",
            ),
            protocol=findings.protocol.name,
            reading="A scene that is pale in People is hard to judge; one pale for the judge alone, it misjudges.",
        )
    ]


def _column(name: str, title: str, axis: JudgedAxis) -> Column:
    return Column(
        name=name, title=title, unit="rate", better="higher", digits=2, group=axis.sheet.title, scale=(0.0, 1.0)
    )


def _people(axis: JudgedAxis) -> Cell:
    def cell(scene: str) -> TableCell:
        told, total = _told(axis.spread.agreement, axis, scene)
        if not len(told):
            return TableCell(reason="no item that two raters answer", n=0, total=total)
        return TableCell(value=float(told.mean()), n=len(told), total=total)

    return cell


def _judge(axis: JudgedAxis) -> Cell:
    def cell(scene: str) -> TableCell:
        told, total = _told(axis.right, axis, scene)
        if not len(told):
            return TableCell(reason="no item of which the judge and most people tell", n=0, total=total)
        low, high = clopper_pearson(float(told.sum()), len(told))
        return TableCell(value=float(told.mean()), low=low, high=high, n=len(told), total=total)

    return cell


def _told(values: Floats, axis: JudgedAxis, scene: str) -> tuple[Floats, int]:
    """What is known of the scene's items, and how many items there are."""
    here = values[axis.sheet.scenes == scene]
    return here[~np.isnan(here)], len(here)
