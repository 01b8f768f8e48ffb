"""The truth stands in a table as the ceiling of every metric, and competes with nobody."""

from __future__ import annotations

from lookaway.analyses.cells import cell_tables
from lookaway.marking import with_marks
from lookaway.models import system
from lookaway.outcomes import Abstain
from lookaway.records import Protocol
from tests.analyses.score_tables import findings, in_scenes, table
from tests.analyses.simulated_scores import changed
from tests.store.store_records import a_score

HEADLINE = Protocol(name="diorama", summary="", metrics=("psnr_all:paper",), headline=("psnr_all:paper",))
VALUES = {"truth": 45.0, "frozen": 20.0, "other-task": 10.0}


def test_the_true_clip_is_marked_as_the_ceiling_and_not_as_the_best() -> None:
    asked = in_scenes("a", "b")
    scores = [
        a_score(task=one.id, system=name, metric="psnr_all", variant="paper", value=value)
        for one in asked
        for name, value in VALUES.items()
    ]
    what = changed(findings(table(scores), asked, VALUES, HEADLINE), systems=[system(name) for name in VALUES])
    made = cell_tables(what)
    assert not isinstance(made, Abstain)
    marks = {row.title: row.cells[0].marks for row in with_marks(made[0]).rows}
    assert marks == {"truth": ("ceiling",), "frozen": ("best",), "other-task": ("second",)}
