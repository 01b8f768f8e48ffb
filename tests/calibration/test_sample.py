"""The sample: quotas met, evenly spread, the same every time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from lookaway import suites
from lookaway.calibration.sample import Quotas, candidates, choose_cases, choose_tasks
from lookaway.calibration.systems import Rung
from lookaway.calibration.thresholds import halves
from lookaway.errors import UsageError
from lookaway.suites.known_world import Shot, draft
from tests.calibration.graded import RUNGS, in_layouts

TASKS = {task.id: task for task in in_layouts(per_layout=4)}
QUOTAS = Quotas(fault=9, rung=3, harmless=4, stress=2, baseline=5, seeds=20)
MILD = Rung("lost@0.1", "fault", "lost", 0.1, middle=False, declared="grade")


def made(rung: Rung, quotas: Quotas = QUOTAS) -> list[tuple[str, int]]:
    return [(case.task, case.seed) for case in choose_cases([rung], TASKS, quotas)]


def test_every_rung_gets_its_quota_and_truth_every_task() -> None:
    cases = choose_cases([*RUNGS.values(), MILD], TASKS, QUOTAS)
    counted = Counter(case.system for case in cases)
    assert counted == {"truth": 16, "calm": 4, "lost@0.5": 9, "lost@0.1": 3, "blurred": 2, "still": 5}
    assert len(set(cases)) == len(cases)


def test_different_tasks_come_before_further_seeds() -> None:
    rung = replace(RUNGS["lost@0.5"], applies=lambda task: "" if task.id.endswith("0") else "no lamp here")
    clips = made(rung)
    assert Counter(seed for _, seed in clips) == {0: 4, 1: 4, 2: 1}
    assert {task for task, _ in clips} == {"beach0", "garden0", "kitchen0", "street0"}
    assert Counter(seed for _, seed in made(rung, replace(QUOTAS, seeds=1))) == {0: 4}


def test_a_fault_that_no_task_can_show_gets_no_clip() -> None:
    assert made(replace(MILD, applies=lambda task: "never")) == []


def test_two_clips_already_lie_in_both_halves_and_four_in_every_layout_and_look() -> None:
    first, _ = halves(task.world.layout for task in TASKS.values() if task.world is not None)
    pair = {TASKS[task].world.layout in first for task, _ in made(RUNGS["blurred"])}  # type: ignore[union-attr]
    assert pair == {True, False}
    four = [TASKS[task] for task, _ in made(RUNGS["calm"])]
    assert {task.scene[:-1] for task in four} == {"beach", "garden", "kitchen", "street"}
    assert Counter(task.observation_controls for task in four) == {("yaw-left",): 2, ("cardboard",): 2}


def test_rungs_of_one_ladder_share_their_tasks() -> None:
    assert made(MILD) == made(RUNGS["lost@0.5"])[:3]


def test_the_sample_does_not_depend_on_the_order_of_tasks() -> None:
    backwards = dict(reversed(TASKS.items()))
    assert choose_cases(RUNGS.values(), TASKS, QUOTAS) != []
    every = choose_cases(RUNGS.values(), backwards, QUOTAS)
    assert set(every) == set(choose_cases(RUNGS.values(), TASKS, QUOTAS))


def test_the_full_suite_is_sampled_evenly_without_twins() -> None:
    drafts = candidates(suites.find("diorama"))
    assert all(each.hides and Shot.of(each).twin is None for each in drafts)
    chosen = choose_tasks(drafts, 60)
    assert chosen == choose_tasks(drafts[::-1], 60)
    shots = [Shot.of(each) for each in drafts if each.id in chosen]
    assert len(shots) == 60
    first, _ = halves(shot.world.layout for shot in shots)
    assert sum(shot.world.layout in first for shot in shots) == 30
    looks, layouts = Counter(s.look for s in shots), Counter(s.world.layout for s in shots)
    assert set(looks) == {Shot.of(each).look for each in drafts}
    assert set(layouts) == {Shot.of(each).world.layout for each in drafts}
    assert max(looks.values()) - min(looks.values()) <= 2


def test_a_suite_in_one_layout_cannot_be_split() -> None:
    mini = suites.find("diorama-mini")
    beach = Shot.of(next(each for each in mini.drafts() if each.scene == "beach0"))
    one = replace(mini, function=lambda: [draft("one", "1", beach)])
    with pytest.raises(UsageError, match="fewer than two layouts"):
        candidates(one)
