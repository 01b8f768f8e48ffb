"""A system whose answers fall short of what its pictures promise is found; answers that follow quality are not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import linregress, t

from lookaway.analyses import Findings
from lookaway.analyses.judge_against_quality import deleted_residuals, judge_against_quality
from lookaway.analyses.memory_sides import ANSWERS
from lookaway.outcomes import Abstain
from lookaway.published import read_paper
from lookaway.records import Table
from lookaway.stats.paired import holm
from tests.analyses.simulated_memory import SYSTEMS, shifted, simulated
from tests.analyses.simulated_scores import cell_at

LOOKS = {name: 0.05 * n - 0.15 for n, name in enumerate(SYSTEMS)}


def answers_follow(slope: float, seed: int = 0, **other: float) -> Findings:
    """Answers rise with looks, but for systems that are off by `other`."""
    told = {name: slope * value + other.get(name, 0.0) for name, value in LOOKS.items()}
    every = {name: told for name in ANSWERS} | {"visual_quality": LOOKS, "motion_smoothness": LOOKS}
    return simulated(seed, shifted(**every), metrics=tuple(every), noise=0.05)


def table(what: Findings) -> Table:
    made = judge_against_quality(what)
    assert not isinstance(made, Abstain)
    return made[0]


def test_a_system_that_looks_better_than_it_is_judged_lies_below() -> None:
    made = table(answers_follow(1.0, m5=-0.3))
    for name in ANSWERS:
        cell = cell_at(made, "m5", f"{name}:paper")
        assert cell.value < -20
        assert "significant" in cell.marks
        assert cell.high < 0


def test_answers_that_follow_quality_hardly_ever_mark_anybody() -> None:
    tables = [table(answers_follow(1.0, seed)) for seed in range(10)]
    alarms = [any("significant" in cell.marks for row in one.rows for cell in row.cells) for one in tables]
    assert sum(alarms) <= 2, "at one false alarm in twenty tables, three in ten come once in ninety times"


def test_one_null_in_twenty_is_an_alarm() -> None:
    rng, nulls = np.random.default_rng(5), 600
    looks, alarms = np.linspace(-0.2, 0.2, 10), 0
    for _ in range(nulls):
        p_values = [one.p for one in deleted_residuals(looks, looks + rng.standard_normal(10))]
        alarms += bool((holm(np.array(p_values)) < 0.05).any())
    assert abs(alarms / nulls - 0.05) < 3 * np.sqrt(0.05 * 0.95 / nulls)


def test_a_residual_is_the_distance_from_the_line_through_the_others() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(9), rng.standard_normal(9)
    for n, found in enumerate(deleted_residuals(x, y)):
        line = linregress(np.delete(x, n), np.delete(y, n))
        assert found.value == pytest.approx(y[n] - line.intercept - line.slope * x[n])


def test_its_p_is_that_of_a_dummy_for_the_point() -> None:
    """The deleted residual's t is that of a coefficient that the point has for itself."""
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal(8), rng.standard_normal(8)
    design = np.column_stack([np.ones(8), x, np.eye(8)[0]])
    coefficients, left, *_ = np.linalg.lstsq(design, y, rcond=None)
    error = np.sqrt(left[0] / (8 - 3) * np.linalg.inv(design.T @ design)[2, 2])
    assert deleted_residuals(x, y)[0].p == pytest.approx(2 * t.sf(abs(coefficients[2]) / error, 5))


def test_systems_of_equal_looks_are_compared_with_the_mean_of_the_others() -> None:
    (first, *_) = deleted_residuals(np.ones(6), np.array([3.0, 1.0, 2.0, 1.0, 2.0, 1.5]))
    assert first.value == pytest.approx(1.5)


def test_in_the_printed_tables_matrix_game_lies_far_below_its_looks() -> None:
    paper = read_paper("memobench")
    looks = np.array([row.number("VisQual") for row in paper.rows["table2"]])
    answers = np.array([row.number("object_background") for row in paper.rows["table3"]])
    titles = [row.title for row in paper.rows["table2"]]
    found = dict(zip(titles, deleted_residuals(looks, answers), strict=True))
    assert min(found, key=lambda title: found[title].value) == "Matrix-Game 2.0"


def test_what_is_absent_is_said() -> None:
    made = table(simulated(0, metrics=("visual_quality", "vqa_things")))
    assert [column.name for column in made.columns] == ["vqa_things:paper"]
    told = " ".join(made.notes)
    assert "motion_smoothness: not in this run" in told
    assert "vqa_memory: not in this run" in told
    assert isinstance(judge_against_quality(simulated(0, metrics=("visual_quality",))), Abstain)
    assert isinstance(judge_against_quality(simulated(0, metrics=("vqa_things",))), Abstain)
