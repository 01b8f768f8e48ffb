"""Static bias: a scene that stops while the camera moves is found, also with nothing ever hidden; none in a null."""

from __future__ import annotations

import numpy as np

from lookaway.analyses.static_bias import static_bias
from lookaway.outcomes import Abstain
from lookaway.protocols import load
from lookaway.records import Table, Task
from tests.analyses.score_tables import findings, row, table
from tests.analyses.simulated_scores import cell_at
from tests.builders import task

SCENES = 40


def tasks() -> list[Task]:
    made = []
    for n in range(SCENES):
        facts = {"scene": f"s{n:02}", "family": f"f{n % 7}", "twin": "observed", "visibility": "always_visible"}
        made.append(task(id=f"rest{n:02}", twin_of=f"c{n:02}", camera="hold@4s", **facts))
        made.append(task(id=f"turn{n:02}", twin_of=f"l{n:02}", **facts))
    return made


def made(**moving: float) -> Table:
    """Systems by how often the state progresses while the camera moves; 8 of 10 while it rests."""
    draw = np.random.default_rng(0)
    facts = {"protocol": "stevo", "variant": "yoked", "version": 1}
    rows = [
        row(one.id, "state_progress", float(draw.random() < (rate if "turn" in one.id else 0.8)), system=name, **facts)
        for name, rate in moving.items()
        for one in tasks()
    ]
    found = static_bias(findings(table(rows), tasks(), list(moving), load("stevo")))
    assert not isinstance(found, Abstain)
    return found[0]


def test_a_scene_that_stops_while_the_camera_moves_is_found() -> None:
    cell = cell_at(made(stops=0.2, goes_on=0.8), "stops", "difference")
    assert "significant" in cell.marks
    assert cell.high < 0
    assert cell.n == SCENES


def test_without_a_bias_none_is_found() -> None:
    found = made(**{f"m{n}": 0.8 for n in range(20)})
    assert sum("significant" in line.cells[0].marks for line in found.rows) <= 1


def test_one_kind_of_camera_alone_tells_nothing() -> None:
    resting = [one for one in tasks() if "rest" in one.id]
    rows = [row(one.id, "state_progress", 1.0, system="m", protocol="stevo", variant="yoked") for one in resting]
    assert isinstance(static_bias(findings(table(rows), resting, ["m"], load("stevo"))), Abstain)
