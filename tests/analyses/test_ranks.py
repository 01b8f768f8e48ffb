"""Ranks and resolution of simulated systems: clear orders are clear, equals share a letter, the floor is what holds."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.power import power_lines
from lookaway.analyses.ranks import ranks
from lookaway.analyses.resolution import resolution_table
from lookaway.outcomes import Abstain
from lookaway.records import ModelCard, Protocol, Score, System, Table
from lookaway.stats.power import resolution
from lookaway.store import parquet
from tests.builders import task
from tests.store.store_records import a_score

METRICS = ("return_identity:sound", "clock_error:sound")
PROTOCOL = Protocol(name="diorama", summary="", metrics=METRICS, headline=METRICS)
SKILLS = {"best": 0.8, "as-good": 0.8, "worst": 0.2}


def findings(
    skills: dict[str, float] = SKILLS, scenes: int = 12, seeds: int = 2, scene_spread: float = 0.1
) -> Findings:
    """Two tasks a scene; identity is the skill and noise, the clock's error what is missing to 1."""
    rng, asked = (
        np.random.default_rng(0),
        [task(id=f"s{s}-{t}", scene=f"s{s}") for s in range(scenes) for t in range(2)],
    )
    scores = []
    for name, skill in skills.items():
        lean = {f"s{s}": scene_spread * rng.standard_normal() for s in range(scenes)}
        for one in asked:
            for seed in range(seeds):
                value = skill + lean[one.scene] + 0.05 * rng.standard_normal()
                facts = {"task": one.id, "system": name, "seed": seed, "protocol": "diorama"}
                scores += [
                    a_score(metric="return_identity", value=value, **facts),
                    a_score(metric="clock_error", value=1 - value, **facts),
                ]
    rows = pl.DataFrame([score.model_dump() for score in scores], schema=parquet.schema(Score))
    card = ModelCard(name="x", summary="", control="none", generator="x")
    systems = [System(name=name, card=card) for name in skills]
    return Findings(rows, {one.id: one for one in asked}, systems, PROTOCOL, {})


def only(tables: list[Table] | Abstain) -> Table:
    assert not isinstance(tables, Abstain)
    (table,) = tables
    return table


def test_equals_share_a_letter_and_the_worst_stands_apart() -> None:
    rows = {(row.group, row.title): row.cells for row in only(ranks(findings())).rows}
    for group in {group for group, _ in rows}:
        letters = {name: rows[group, name][1].text for name in SKILLS}
        assert letters["best"] == letters["as-good"] != letters["worst"], group
        assert rows[group, "worst"][0].value == rows[group, "worst"][0].low == 3
        assert rows[group, "best"][0].low == 1


def test_fewer_is_better_where_the_metric_says_so() -> None:
    rows = only(ranks(findings())).rows
    by_metric = [
        [row.title for row in rows if row.group == group] for group in dict.fromkeys(row.group for row in rows)
    ]
    assert by_metric[0] == by_metric[1]


def test_an_order_of_equals_hangs_on_few_scenes_and_a_clear_one_on_most() -> None:
    rows = [row for row in only(ranks(findings())).rows if row.title != "worst"][:2]
    close, clear = (row.cells[2] for row in rows)
    assert close.value is not None
    assert clear.value is not None
    assert close.value < clear.value == 12
    assert len(rows[0].cells[3].text.split(", ")) == min(3, int(close.value))


def test_one_system_has_no_rank_but_a_resolution() -> None:
    assert isinstance(ranks(findings({"alone": 0.5})), Abstain)
    (first, _) = only(resolution_table(findings({"alone": 0.5}))).rows
    assert first.cells[0].value is not None


def test_more_scenes_lower_the_floor_and_the_parts_add_up() -> None:
    few, many = (only(resolution_table(findings(scenes=count))).rows[0].cells for count in (6, 60))
    assert few[0].value is not None
    assert many[0].value is not None
    due = resolution((2 * 0.1**2 + 2 * 0.05**2 / 4) / 60, 60)
    assert few[0].value > many[0].value == pytest.approx(due, rel=0.2)
    assert many[1].value == 60
    assert sum(cell.value or 0 for cell in many[4:]) == pytest.approx(100)
    assert (many[3].value or 0) > 0.7, "scenes differ more than their tasks do"


def test_one_seed_a_task_tells_nothing_of_seeds() -> None:
    cells = only(resolution_table(findings(seeds=1))).rows[0].cells
    assert cells[6].value is None
    assert "one seed" in cells[6].reason


def test_power_is_told_between_neighbours_or_between_two_that_are_named() -> None:
    given = findings()
    neighbours = list(power_lines(given, metric="return_identity"))
    assert [(one.first, one.second)[1] for one in neighbours][-1] == "worst"
    (named,) = power_lines(given, metric="return_identity", between=("worst", "best"), effect=0.05)
    assert named.difference == pytest.approx(-0.6, abs=0.1)
    assert named.effect == 0.05
    assert named.of_scenes + named.of_tasks + (named.of_seeds or 0) == pytest.approx(1)
    assert named.scenes_needed is not None
    assert named.scenes_needed > named.scenes
    assert named.seeds_needed is None, "scenes differ by more than any number of seeds makes up for"
    assert not list(power_lines(given, between=("worst", "nobody")))
