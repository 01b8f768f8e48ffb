"""By kind of task: a kind that stops out of sight is found, the others are not blamed; a null has no finding."""

from __future__ import annotations

import numpy as np

from lookaway.analyses.observation_effect_slices import observation_effect_slices
from lookaway.outcomes import Abstain
from lookaway.protocols import load
from lookaway.records import Score, Table, Task
from tests.analyses.score_tables import findings, row, table
from tests.analyses.simulated_scores import cell_at
from tests.builders import task

CATEGORIES = ("causal", "continuous", "kinematics")
SCENES = 72
FACTS = {"protocol": "stevo", "variant": "yoked", "version": 1}


def tasks() -> list[Task]:
    made = []
    for number in range(SCENES):
        facts = {"scene": f"s{number:02}", "category": CATEGORIES[number % 3]}
        made.append(task(id=f"t{number:02}", **facts))
        made.append(task(id=f"t{number:02}_o", twin="observed", twin_of=f"t{number:02}", **facts))
    return made


def scores(system: str, draw: np.random.Generator, hidden: dict[str, float]) -> list[Score]:
    """Progress in 8 of 10 observed videos, and by category as often as told in hidden ones."""
    rates = [0.8 if one.twin else hidden.get(one.category, 0.8) for one in tasks()]
    return [
        row(one.id, "state_progress", float(draw.random() < rate), system=system, **FACTS)
        for one, rate in zip(tasks(), rates, strict=True)
    ]


def by_category(*systems: dict[str, float], seed: int = 0) -> Table:
    draw = np.random.default_rng(seed)
    names = [f"m{n}" for n in range(len(systems))]
    rows = [one for name, hidden in zip(names, systems, strict=True) for one in scores(name, draw, hidden)]
    found = observation_effect_slices(findings(table(rows), tasks(), names, load("stevo")))
    assert not isinstance(found, Abstain)
    return found[0]


def test_the_category_that_stops_is_found_and_the_others_are_not_blamed() -> None:
    made = by_category({"causal": 0.0})
    assert "significant" in cell_at(made, "causal", "difference", "m0").marks
    assert cell_at(made, "causal", "difference", "m0").high < 0
    for other in ("continuous", "kinematics"):
        cell = cell_at(made, other, "difference", "m0")
        assert cell.low <= 0 <= cell.high
    assert cell_at(made, "all", "difference", "m0").n == SCENES


def test_where_nothing_is_lost_hardly_any_part_is_marked() -> None:
    made = by_category(*({} for _ in range(20)), seed=1)
    marked = ["significant" in one.cells[2].marks for one in made.rows if one.level]
    assert len(marked) == 60
    assert sum(marked) <= 4  # at most 1 in 20 systems has one by chance; more than 4 has a chance of 1 in 400


def test_who_stops_everywhere_still_has_an_interval() -> None:
    made = by_category({category: 0.0 for category in CATEGORIES})
    cell = cell_at(made, "all", "difference", "m0")
    assert cell.high < 0


def test_without_observed_twins_there_is_no_effect() -> None:
    alone = [one for one in tasks() if one.twin is None]
    rows = [row(one.id, "state_progress", 1.0, system="m", **FACTS) for one in alone]
    assert isinstance(observation_effect_slices(findings(table(rows), alone, ["m"], load("stevo"))), Abstain)
