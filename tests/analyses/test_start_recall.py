"""Who brings back the first frame is found; who goes on, or brings back neither, is not."""

from __future__ import annotations

import numpy as np

from lookaway.analyses.start_recall import start_recall
from lookaway.outcomes import Abstain
from lookaway.protocols import load
from lookaway.records import Table
from tests.analyses.score_tables import findings, in_scenes, row, table
from tests.analyses.simulated_scores import cell_at

CLIPS = 40
TASKS = in_scenes(*(f"s{n // 2}" for n in range(CLIPS)))


def made(**means: float) -> Table:
    draw = np.random.default_rng(0)
    facts = {"protocol": "stevo_unjudged", "variant": "exact", "version": 1}
    rows = [
        row(one.id, "recalls_start", float(np.clip(draw.normal(mean, 0.3), -1, 1)), system=name, **facts)
        for name, mean in means.items()
        for one in TASKS
    ]
    found = start_recall(findings(table(rows), TASKS, list(means), load("stevo_unjudged")))
    assert not isinstance(found, Abstain)
    return found[0]


def test_who_recalls_the_first_frame_is_found() -> None:
    cell = cell_at(made(recalls=0.5, goes_on=-0.6), "recalls", "nearer")
    assert "significant" in cell.marks
    assert cell.n == CLIPS


def test_who_goes_on_or_is_at_neither_is_not() -> None:
    found = made(**{f"m{n}": 0.0 for n in range(20)}, goes_on=-0.6)
    marked = ["significant" in line.cells[0].marks for line in found.rows]
    assert sum(marked) <= 3  # of a nominal half
    assert not cell_at(found, "goes_on", "nearer").marks
    assert cell_at(found, "goes_on", "share").value < 0.2


def test_where_nothing_tells_there_is_a_reason() -> None:
    rows = [row("t0", "recalls_start", None, "it hardly moved", protocol="stevo_unjudged", variant="exact", version=1)]
    found = start_recall(findings(table(rows), TASKS, ["truth"], load("stevo_unjudged")))
    assert found == Abstain("recalls_start: 1× it hardly moved")
