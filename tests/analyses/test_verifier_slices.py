"""Slices: a kind of task that fails is found, and none where all are alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lookaway.analyses import Findings
from lookaway.analyses.task_kinds import mechanism, trigger_kind
from lookaway.analyses.verifier_slices import verifier_slices
from lookaway.outcomes import Abstain
from lookaway.records import Interval, Table
from tests.analyses.simulated_scores import cell_at
from tests.analyses.verdict_tables import CLIPS, verdict_findings
from tests.builders import task

PLACE = np.arange(CLIPS)
CATEGORIES = ("kinematics", "continuous", "causal", "relational")


def sliced(findings: Findings) -> Findings:
    """Every fourth task of one category, at one level."""
    tasks = {
        name: one.model_copy(update={"category": CATEGORIES[n % 4], "level": n % 4 + 1})
        for n, (name, one) in enumerate(findings.tasks.items())
    }
    return replace(findings, tasks=tasks)


def by_category(**systems: dict[str, np.ndarray]) -> Table:
    found = verifier_slices(sliced(verdict_findings(**systems)))
    assert not isinstance(found, Abstain)
    assert [table.name for table in found] == ["verifier-slices-category-stevo", "verifier-slices-level-stevo"]
    return found[0]


def test_a_kind_that_stands_still_is_found() -> None:
    draw = np.random.default_rng(0).random(CLIPS)
    table = by_category(one={"state_progress": (draw < np.where(PLACE % 4 == 2, 0.2, 0.8)).astype(float)})
    cell = cell_at(table, "causal", "difference", "one")
    assert cell.high < 0
    assert "significant" in cell.marks
    assert cell_at(table, "causal", "state_progress", "one").n == CLIPS // 4


def test_without_a_difference_few_parts_are_marked() -> None:
    draw = np.random.default_rng(1)
    systems = {f"m{n}": {"state_progress": (draw.random(CLIPS) < 0.5).astype(float)} for n in range(20)}
    table = by_category(**systems)
    marked = ["significant" in row.cells[-1].marks for row in table.rows]
    assert len(marked) == 80
    assert sum(marked) <= 10  # of a nominal 4; more than 10 has a chance of 1 in 300


def test_evolution_has_both_denominators_in_every_part() -> None:
    table = by_category(
        one={"observation_control": (PLACE < 100).astype(float), "coherence": (PLACE < 50).astype(float)}
    )
    assert cell_at(table, "causal", "evolved_of_all", "one").value == 0.24  # 12 of 50
    assert cell_at(table, "causal", "evolved_of_controlled", "one").n == 25


def test_tasks_are_told_apart_by_what_hides_them_and_when_they_are_set_off() -> None:
    hidden = (Interval(phase="hidden", start_s=1.0, end_s=3.0),)
    assert mechanism(task()) == "look-away"
    assert mechanism(task(observation_controls=("lights-off",), cover="lights@1s")) == "lights-off"
    assert mechanism(task(visibility="always_visible")) == "observed"
    assert trigger_kind(task()) == "by itself"
    acts = {"action_control": "a hand pushes it", "phases": hidden}
    assert trigger_kind(task(**acts, trigger_s=2.0)) == "set off unseen"
    assert trigger_kind(task(**acts, trigger_s=0.0)) == "set off in sight"
