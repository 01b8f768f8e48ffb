"""Labels of a study, as other parts read them: a list without repetitions, or lines of a run's log."""

from __future__ import annotations

from collections.abc import Sequence

from lookaway.people.desk import StudyDesk
from lookaway.people.register import deduplicated, verdict_key
from lookaway.records import Label, content_key
from lookaway.store import Run

LOG = "labels"


def study_labels(desk: StudyDesk, checks: bool = False) -> list[Label]:
    """One label per rater, item, axis and round; those about attention checks only where they are asked for."""
    return [label for label in deduplicated(desk.labels()) if checks or label.role != "check"]


def write_labels(run: Run, labels: Sequence[Label]) -> int:
    """Append labels to a run's log; the number that were not there, or said otherwise."""
    done, new = run.done(LOG), 0
    with run.writer(LOG) as writer:
        for label in labels:
            key, inputs = verdict_key(label), content_key("label", label)
            before = done.get(key)
            if before is None or before.inputs != inputs:
                writer.append(key, inputs, label, before.attempt + 1 if before is not None else 0)
                new += 1
    return new
