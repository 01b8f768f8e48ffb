"""Verdicts without a judge in the known world: a fault is told by who asks about it, and by no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lookaway.metrics import METRICS, Case
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.protocols import load
from lookaway.readings import known_verdicts
from tests.metrics.test_state_metrics import AWAY, FOUND, MOMENTS, SECONDS, N, case

VERIFIERS = ("observation_control", "action_control", "state_progress", "physical_plausibility", "coherence")
SUCCESSES = ("control_success", "evolution_success", "task_success")


def told(given: Case, *names: str, variant: str = "exact") -> list[Any]:
    return [METRICS.get(f"{name}:{variant}").function(given) for name in names or VERIFIERS]


def with_states(given: Case, state: np.ndarray, **changes: Any) -> Case:
    """The case with the true process's states, one row per frame."""
    assert given.truth is not None
    assert given.truth.world is not None
    truth = replace(given.truth, world=replace(given.truth.world, state=state.reshape(N, -1)))
    return replace(given, truth=truth, task=given.task.model_copy(update=changes))


def test_a_clip_that_does_everything_right_passes() -> None:
    assert told(case()) == [1.0] * 5
    assert told(case(), *SUCCESSES) == [1.0] * 3


def test_a_camera_that_rests_hides_nothing_and_is_not_asked_about_the_rest() -> None:
    resting = case(visible=np.ones(N, bool))
    observation, action, *evolution = told(resting)
    assert (observation, action) == (0.0, 1.0)
    assert all(isinstance(each, Abstain) for each in evolution)
    control, evolved, task = told(resting, *SUCCESSES)
    assert (control, task) == (0.0, 0.0), "one against decides"
    assert isinstance(evolved, Abstain)


def test_one_who_stands_still_does_not_progress_and_breaks_nothing_else() -> None:
    aside = np.full(FOUND, 0.8)  # where it was, and not where it is due
    assert told(case(2.0, place_x=aside)) == [1.0, 1.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize(("lost_s", "progress"), [(0.0, 1.0), (0.3, 1.0), (1.0, 0.0), (2.0, 0.0), (-1.0, 0.0)])
def test_progress_is_about_as_far_as_due(lost_s: float, progress: float) -> None:
    assert told(case(lost_s), "state_progress") == [progress]


def test_one_who_goes_back_reappears_wrongly() -> None:
    assert told(case(3.0)) == [1.0, 1.0, 0.0, 1.0, 0.0]


def test_where_standing_still_and_going_on_look_alike_nobody_can_tell() -> None:
    flat = np.ones((len(case().seen["replay"]["read"]), len(MOMENTS)), np.float32)
    assert isinstance(told(case(curves=flat), "state_progress")[0], Abstain)
    assert isinstance(told(case(events=False), "state_progress")[0], NotApplicable)


@pytest.mark.parametrize(
    ("seen", "plausible", "coherent"),
    [
        ({"explained": np.zeros(FOUND)}, Abstain, 0.0),  # gone
        ({"extra": np.ones(FOUND)}, 1.0, 0.0),  # there are two
        ({"explained": np.full(FOUND, 0.4)}, 0.0, 1.0),  # another thing
        ({"place_y": np.full(FOUND, 0.2)}, 0.0, None),  # up in the air
        ({"background": np.zeros(FOUND)}, 0.0, 0.0),  # another room
    ],
    ids=["gone", "doubled", "another", "floats", "other room"],
)
def test_each_fault_is_told_by_who_asks_about_it(seen: dict[str, Any], plausible: Any, coherent: float | None) -> None:
    physics, coherence = told(case(**seen), "physical_plausibility", "coherence")
    assert physics == plausible if isinstance(plausible, float) else isinstance(physics, plausible)
    assert coherent is None or coherence == coherent


def test_one_that_is_elsewhere_and_fits_no_moment_is_displaced() -> None:
    curves = case().seen["replay"]["curves"].copy()
    curves[case().seen["replay"]["late"]] += 1.0  # nothing of the process looks like that
    assert told(case(place_x=np.full(FOUND, 0.8), curves=curves), "coherence") == [0.0]


def test_what_starts_the_process_is_told_by_what_came_of_it() -> None:
    acts = {"action_control": "a hand pushes it"}
    going = SECONDS / SECONDS[-1]
    assert told(with_states(case(), going, **acts), "action_control") == [1.0]
    assert told(with_states(case(rate=0.0), going, **acts), "action_control") == [0.0]
    not_yet = np.where(SECONDS > 5.85, 1.0, 0.0)
    assert isinstance(told(with_states(case(), not_yet, **acts), "action_control")[0], Abstain)


def test_the_start_is_recalled_where_the_returned_view_looks_like_it() -> None:
    going = SECONDS / SECONDS[-1]
    back_s = SECONDS[~AWAY & (SECONDS > 3)][0]
    (goes_on,) = told(with_states(case(), going), "recalls_start")
    (as_at_first,) = told(with_states(case(lost_s=float(back_s)), going), "recalls_start")
    assert goes_on < -0.5
    assert as_at_first > 0.3
    assert isinstance(told(with_states(case(), np.zeros(N)), "recalls_start")[0], Abstain)


def test_what_is_right_is_what_the_ledger_of_the_known_world_calls_right() -> None:
    steps = {
        step.metric.name: step.at_most if step.at_least is None else step.at_least for step in load("diorama").ledger
    }
    assert steps["return_place"] == known_verdicts.RIGHT_PLACE
    assert steps["return_count"] == known_verdicts.RIGHT_COUNT
    assert steps["clock_error"] == known_verdicts.KEPT_TIME
    assert steps["background_same"] == known_verdicts.SAME_ROOM
