"""Every look-away of a clip has its own readings and gates, on cases made by hand; so has that of an observed twin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lookaway.gates import GATES
from lookaway.geometry.trajectory import yaw_matrix
from lookaway.geometry.visibility import phases_from_visible
from lookaway.metrics import METRICS, Case, find, rounds_of
from lookaway.outcomes import Abstain, Gated
from lookaway.records import Reference
from lookaway.truth import KnownTruth, Truth
from tests.builders import task

N = 120
SECONDS = np.arange(N) / 10
HIDDEN_S = ((1.5, 3.0), (5.0, 6.5), (8.5, 10.0))
STARTS_S, ENDS_S = np.array(HIDDEN_S).T
ROUND = np.searchsorted(STARTS_S, SECONDS, side="right")  # 0 before the first look-away, k from the k-th on
AWAY = np.searchsorted(ENDS_S, SECONDS, side="right") < ROUND
PHASES = phases_from_visible(SECONDS, ~AWAY)
MOMENTS = np.arange(0, 14, 1 / 16)
SEARCHED = 4  # a round
KEPT = (0.0, 0.0, 0.0)


def poses(turned_deg: np.ndarray) -> np.ndarray:
    made = np.tile(np.eye(4), (N, 1, 1))
    made[:, :3, :3] = [yaw_matrix(float(angle)) for angle in turned_deg]
    return made


TRUE = KnownTruth(
    poses(np.where(AWAY, 60.0, 0.0)),
    np.tile(np.eye(3), (N, 1, 1)),
    np.ones((N, 2, 2), bool),
    ~AWAY * 1.0,
    np.zeros((N, 0)),
)


def case(lost_s: Sequence[float] = KEPT, rate: float = 1.0, ended_s: float = np.inf, **seen: Any) -> Case:
    """A clip that looks away three times, loses so many seconds each time, and is else right but for what is given.

    Nothing changes any more once the process has ended.
    """
    read = np.flatnonzero(~AWAY)[::2]
    shown = rate * SECONDS[read] - np.array([0, *np.cumsum(lost_s)])[ROUND[read]]
    rounds = np.repeat([1, 2, 3], SEARCHED)
    looks = lambda moment: np.minimum(moment, ended_s)  # noqa: E731
    arrays = {
        "seconds": SECONDS,
        "pose": TRUE.camera_to_world,
        "trusted": np.ones(N, bool),
        "brightness": np.ones(N),
        "in_view": ~AWAY * 1.0,
        "due_in_view": ~AWAY * 1.0,
        "unobstructed": np.ones(N),
        "visible": ~AWAY,
        "stranger": np.zeros(N),
        "likeness": np.ones(N),
        "step": np.ones(N),
        "due_step": np.ones(N),
        "moments": MOMENTS,
        "read": read,
        "read_round": ROUND[read],
        "late": ROUND[read] > 0,
        "curves": np.minimum(10 * np.abs(looks(MOMENTS)[None] - looks(shown)[:, None]), 8).astype(np.float32) + 1,
        "shown": np.ones(2),
        "found_round": rounds,
        "found": 10 * ENDS_S[rounds - 1],
        "due": ENDS_S[rounds - 1],
        "background_round": rounds,
        **{name: np.ones(len(rounds)) for name in ("explained", "due_explained", "background")},
        **{name: np.full(len(rounds), 0.5) for name in ("place_x", "place_y", "due_x", "due_y")},
        "extra": np.zeros(len(rounds)),
    }
    truth = Truth(Reference(task="a_task", instance="i", video="v", phases=PHASES), None, SECONDS, TRUE)  # type: ignore[arg-type]
    return Case(task(phases=PHASES), truth, {"replay": arrays | seen}, {})


def observed(given: Case) -> Case:
    """The same readings in an observed twin: its subject is in view throughout."""
    always = np.ones(N, bool)
    twin = task(phases=phases_from_visible(SECONDS, always), twin="observed", yoked=given.task.phases)
    seen = {**given.seen["replay"], "visible": always, "in_view": always * 1.0, "pose": poses(np.zeros(N))}
    return replace(given, task=twin, seen={"replay": seen})


def values(name: str, given: Case) -> list[Any]:
    metric = find(name)
    return [metric.function(replace(given, round=number)) for number in rounds_of(metric, given.task)]


def closed(name: str, given: Case) -> list[bool]:
    return [isinstance(GATES.get(name)(replace(given, round=number)), Gated) for number in (1, 2, 3)]


def in_round(number: int, wrong: float, right: float) -> np.ndarray:
    """A column of what was found: right but in that round."""
    return np.where(np.repeat([1, 2, 3], SEARCHED) == number, wrong, right)


ASKED_EACH_ROUND = {
    *("world_clock", "clock_error", "absolute_clock", "background_same"),
    *("return_place", "return_state", "return_identity", "return_count", "event_persistence"),
}


def test_metrics_that_read_around_a_look_away_are_asked_about_each() -> None:
    assert {m.name for m in METRICS.all().values() if m.rounds} == ASKED_EACH_ROUND
    for metric in METRICS.all().values():
        assert list(rounds_of(metric, case().task)) == ([1, 2, 3] if metric.rounds else [1])
        assert list(rounds_of(metric, task())) == [1]


@pytest.mark.parametrize("rate", [1.0, 0.8])
def test_a_world_that_kept_time_kept_it_in_every_round(rate: float) -> None:
    kept = case(rate=rate)
    assert values("world_clock", kept) == pytest.approx([1, 1, 1], abs=0.03)
    assert values("clock_error", kept) == pytest.approx([0, 0, 0], abs=0.03)
    assert values("absolute_clock", kept) == pytest.approx([rate, rate, rate], abs=0.03)


@pytest.mark.parametrize(
    ("lost_s", "clocks"),
    [
        ((1.5, 1.5, 1.5), (0, 0, 0)),
        ((0, 1.5, 0), (1, 0, 1)),
        ((0, 0, 0.75), (1, 1, 0.5)),
        ((1.5, -0.75, 0), (0, 1.5, 1)),
    ],
)
def test_the_clock_of_a_round_speaks_of_that_look_away_alone(lost_s: Sequence[float], clocks: Sequence[float]) -> None:
    assert values("world_clock", case(lost_s)) == pytest.approx(clocks, abs=0.05)
    off = np.abs(1 - np.array(clocks))
    errors = np.array(values("clock_error", case(lost_s)))
    assert (errors <= off + 0.03).all()
    assert (errors >= off - 0.3).all(), "the least that fits, at any rate that fits"


def test_the_absolute_clock_never_makes_up_for_what_was_lost_before() -> None:
    lost_s = np.array([0, 1.5, 1.5])
    assert values("absolute_clock", case((0, 1.5, 0))) == pytest.approx(1 - lost_s / ENDS_S, abs=0.03)


def test_a_process_that_ended_between_two_look_aways_still_has_the_rate_that_it_had_before_the_first() -> None:
    ended = case(rate=0.8, ended_s=3.0)
    third = values("world_clock", ended)[2]
    assert isinstance(third, Abstain)
    assert third.reason.startswith("the process had ended")
    assert values("clock_error", ended) == pytest.approx([0, 0, 0], abs=0.03)


def test_what_is_found_is_told_round_by_round() -> None:
    assert values("return_count", case(extra=in_round(2, 1.0, 0.0))) == [0, 1, 0]
    assert values("return_place", case(place_x=in_round(3, 0.7, 0.5))) == pytest.approx([0, 0, 0.2])
    assert values("return_state", case(due_explained=in_round(1, 0.4, 1.0))) == pytest.approx([0.4, 1, 1])
    assert values("return_identity", case(explained=in_round(2, 0.6, 1.0))) == pytest.approx([1, 0.6, 1])
    assert values("background_same", case(background=in_round(3, 0.0, 1.0))) == [1, 1, 0]


def test_a_background_that_was_not_found_is_what_was_seen_when_it_was_due_in_that_round() -> None:
    later = case(
        background=np.ones(SEARCHED), background_round=np.ones(SEARCHED, int), likeness=np.where(SECONDS < 9, 0.7, 0.2)
    )
    assert values("background_same", later) == pytest.approx([1, 0.7, 0.2])


def test_a_subject_that_is_missing_after_one_look_away_leaves_no_clock_there_and_none_to_go_on_from() -> None:
    gone = case(explained=in_round(1, 0.0, 1.0))
    first, second, third = values("world_clock", gone)
    assert isinstance(first, Abstain)
    assert "after the look-away" in first.reason
    assert isinstance(second, Abstain)
    assert "before the look-away" in second.reason
    assert third == pytest.approx(1, abs=0.03)


def test_a_round_without_frames_to_read_has_a_reason() -> None:
    seen = case().seen["replay"]
    short = seen["read_round"] < 3
    cut = {name: seen[name][short] for name in ("read", "read_round", "late", "curves")}
    found = {
        name: np.full(SEARCHED, value) for name, value in (("explained", 1.0), ("due_explained", 1.0), ("extra", 0.0))
    }
    places = {name: np.full(SEARCHED, 0.5) for name in ("place_x", "place_y", "due_x", "due_y")}
    given = case(**cut, **found, **places, found_round=np.ones(SEARCHED, int))
    assert isinstance(values("world_clock", given)[2], Abstain)
    for name in ("return_place", "return_state", "return_identity", "return_count"):
        right, *others = values(name, given)
        assert isinstance(right, float), name
        assert all(isinstance(other, Abstain) for other in others), name


def test_who_looks_away_twice_of_three_times_avoids_the_third() -> None:
    twice = case(visible=~AWAY | (SECONDS > 8))
    assert closed("left_view", twice) == [False, False, True]
    assert (
        GATES.get("left_view")(replace(twice, round=3)).reason == "the subject's place went out of sight 2 times, not 3"
    )
    assert closed("came_back", twice) == [False, False, True]
    assert closed("ever_hidden", twice) == [False, False, False]


def test_a_subject_that_comes_along_once_was_in_sight_in_that_round() -> None:
    dragged = case(stranger=np.where(AWAY & (ROUND == 1), 0.8, 0.0))
    assert closed("left_view", dragged) == [True, False, False]
    assert GATES.get("ever_hidden")(dragged) is None


def test_a_camera_that_is_back_only_after_the_second_look_away_avoided_the_first() -> None:
    late = case(in_view=np.where(AWAY | (ROUND == 1), 0.3, 1.0))
    assert closed("came_back", late) == [True, False, False]
    assert find("came_back").function(late) == 1.0, "the metric speaks of the whole clip"


def test_an_observed_twin_is_asked_about_the_hidden_time_of_its_task() -> None:
    twin = observed(case((0, 1.5, 0)))
    for name in ("posed", "left_view", "came_back"):
        assert closed(name, twin) == [False, False, False]
    assert values("world_clock", twin) == pytest.approx([1, 0, 1], abs=0.05)
    assert values("return_count", twin) == [0, 0, 0]


def test_whether_an_observed_twin_left_view_is_not_asked() -> None:
    twin = observed(case())
    for name in ("left_view", "came_back"):
        verdict = GATES.get(find(name).gates[0])(twin)
        assert isinstance(verdict, Gated)
        assert verdict.kind == "no_opportunity"


def test_other_twins_have_no_opportunity() -> None:
    twin = observed(case())
    static = replace(twin, task=twin.task.model_copy(update={"twin": "static", "yoked": ()}))
    assert closed("posed", static) == [True, True, True]


def test_an_observed_twin_whose_camera_is_lost_is_not_read() -> None:
    twin = observed(case(trusted=np.arange(N) < 10))
    assert isinstance(GATES.get("left_view")(twin), Abstain)
