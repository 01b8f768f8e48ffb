"""What people said, laid out for counting: one sheet per study and axis, raters by items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.analyses import Findings
from lookaway.records import CaseId, Label
from lookaway.stats.bootstrap_t import Floats

NO_LABELS = "no labels of people are in this run; see lookaway people labels --run"
Item = tuple[str, ...]  # one case, or the two of a pair


class LabelSheet(NamedTuple):
    """Answers of (raters, items); NaN where somebody was not asked or could not judge."""

    study: str
    axis: str
    raters: tuple[str, ...]
    items: tuple[Item, ...]
    answers: Floats
    judgeable: Floats  # 1 or 0; NaN where somebody was not asked
    again: Floats  # the answers when an item was shown a second time
    scenes: NDArray[Any]
    held_out: NDArray[np.bool_]  # not to be read while anything is tuned

    @property
    def paired(self) -> bool:
        return len(self.items[0]) == 2

    @property
    def title(self) -> str:
        return f"{self.axis} ({self.study})"


def label_sheets(findings: Findings) -> list[LabelSheet]:
    """Every study and axis with labels about clips that are here; attention checks have no part in it."""
    return sheets_of(findings.labels, {task.id: task.scene for task in findings.tasks.values()})


def sheets_of(labels: Iterable[Label], scenes: Mapping[str, str]) -> list[LabelSheet]:
    """The same from the scene of each task; labels about other tasks are left out."""
    by_axis: dict[tuple[str, str], list[Label]] = defaultdict(list)
    for label in labels:
        if label.role != "check" and _scene(label.items, scenes) is not None:
            by_axis[label.study, label.axis].append(label)
    return [_sheet(study, axis, by_axis[study, axis], scenes) for study, axis in sorted(by_axis)]


def _sheet(study: str, axis: str, labels: Sequence[Label], scene_of: Mapping[str, str]) -> LabelSheet:
    raters, items = sorted({one.rater for one in labels}), sorted({one.items for one in labels})
    answers, judgeable, again = (np.full((len(raters), len(items)), np.nan) for _ in range(3))
    held_out = np.zeros(len(items), dtype=bool)
    rater_at, item_at = ({name: at for at, name in enumerate(names)} for names in (raters, items))
    for one in labels:
        place = rater_at[one.rater], item_at[one.items]
        said = np.nan if one.value is None else one.value
        if one.round:
            again[place] = said
        else:
            answers[place], judgeable[place] = said, one.judgeable
        held_out[place[1]] |= one.role == "holdout"
    scenes = np.array([_scene(item, scene_of) for item in items])
    return LabelSheet(study, axis, tuple(raters), tuple(items), answers, judgeable, again, scenes, held_out)


def _scene(item: Item, scenes: Mapping[str, str]) -> str | None:
    """Of the item's first clip; None where its task is not here."""
    return scenes.get(CaseId.parse(item[0]).task)
