"""State metrics and their gates on cases made by hand: what each number means at its extremes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lookaway.gates import GATES
from lookaway.geometry.trajectory import yaw_matrix
from lookaway.geometry.visibility import phases_from_visible
from lookaway.metrics import Case, find
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.records import Reference
from lookaway.truth import KnownTruth, Truth
from tests.builders import task

N = 60
SECONDS = np.arange(N) / 10
AWAY = (SECONDS >= 1.5) & (SECONDS < 3.5)
MOMENTS = np.arange(0, 9, 1 / 16)
FOUND = 5
LENIENT = 0.2  # hidden durations: the clock error is the least that fits, and the clip's rate is not known exactly


def poses(turned_deg: np.ndarray) -> np.ndarray:
    made = np.tile(np.eye(4), (len(turned_deg), 1, 1))
    made[:, :3, :3] = [yaw_matrix(float(angle)) for angle in turned_deg]
    return made


TRUE_TURN = np.where(AWAY, 60.0, 0.0)


def case(lost_s: float = 0.0, rate: float = 1.0, events: bool = True, **seen: Any) -> Case:
    """A clip that looks away for 2 s and finds everything right, but for what is given."""
    read = np.flatnonzero(~AWAY)[::2]
    late = SECONDS[read] > 3
    shown = rate * SECONDS[read] - lost_s * late
    arrays: dict[str, Any] = {
        "seconds": SECONDS,
        "pose": poses(TRUE_TURN),
        "trusted": np.ones(N, bool),
        "brightness": np.ones(N),
        "in_view": np.where(AWAY, 0.0, 1.0),
        "due_in_view": np.where(AWAY, 0.0, 1.0),
        "unobstructed": np.ones(N),
        "visible": ~AWAY,
        "stranger": np.zeros(N),
        "likeness": np.ones(N),
        "step": np.ones(N),
        "due_step": np.ones(N),
        "moments": MOMENTS,
        "read": read,
        "late": late,
        "curves": np.minimum(10 * np.abs(MOMENTS[None] - shown[:, None]), 8).astype(np.float32) + 1,
        "shown": np.ones(2),
        "found": np.full(FOUND, 40.0),
        "due": np.full(FOUND, 4.0),
        "explained": np.ones(FOUND),
        "due_explained": np.ones(FOUND),
        "extra": np.zeros(FOUND),
        "background": np.ones(FOUND),
        **{name: np.full(FOUND, 0.5) for name in ("place_x", "place_y", "due_x", "due_y")},
    } | seen
    arrays["read_round"] = arrays["late"].astype(int)
    for name, column in (("found_round", "explained"), ("background_round", "background")):
        arrays[name] = np.ones(len(arrays[column]), int)
    phases = phases_from_visible(SECONDS, ~AWAY)
    reference = Reference(task="a_task", instance="i", video="v", phases=phases)
    true = KnownTruth(
        poses(TRUE_TURN),
        np.tile(np.eye(3), (N, 1, 1)),
        np.ones((N, 2, 2), bool),
        (~AWAY).astype(float),
        np.zeros((N, 0)),
    )
    given = task().model_copy(update={"phases": phases, "moves": events, "changes_in_place": False})
    truth = Truth(reference, None, SECONDS, true)  # type: ignore[arg-type]
    return Case(given, truth, {"replay": arrays}, {})


def value(name: str, given: Case) -> Any:
    return find(name).function(given)


def test_a_clip_that_does_everything_right() -> None:
    right = case()
    for name, best in {
        "turn_share": 1.0,
        "left_view": 1.0,
        "came_back": 1.0,
        "world_clock": 1.0,
        "absolute_clock": 1.0,
        "clock_error": 0.0,
        "return_place": 0.0,
        "return_state": 1.0,
        "return_identity": 1.0,
        "return_count": 0.0,
        "background_same": 1.0,
        "drift": 0.0,
        "cut": 1.0,
    }.items():
        assert value(name, right) == pytest.approx(best, abs=0.02), name
    assert GATES.get("left_view")(right) is None
    assert GATES.get("came_back")(right) is None


@pytest.mark.parametrize(("lost_s", "clock"), [(2.0, 0.0), (1.0, 0.5), (-1.0, 1.5), (3.0, -0.5)])
def test_the_world_clock_counts_hidden_durations(lost_s: float, clock: float) -> None:
    assert value("world_clock", case(lost_s)) == pytest.approx(clock, abs=0.03)
    off = abs(1 - clock)
    assert off - LENIENT <= value("clock_error", case(lost_s)) <= off + 0.02


def test_the_world_clock_goes_by_the_clips_own_rate_and_the_absolute_clock_does_not() -> None:
    slow = case(rate=0.8)
    assert value("world_clock", slow) == pytest.approx(1.0, abs=0.03)
    assert value("absolute_clock", slow) == pytest.approx(0.8, abs=0.03)


def test_where_nothing_happens_there_is_no_clock() -> None:
    for name in ("world_clock", "clock_error", "absolute_clock"):
        assert isinstance(value(name, case(events=False)), NotApplicable)


def test_a_process_that_never_starts_has_no_own_clock_but_an_absolute_one() -> None:
    stuck = case(rate=0.0)
    for name in ("world_clock", "clock_error"):
        assert isinstance(value(name, stuck), Abstain), name
    assert value("absolute_clock", stuck) == pytest.approx(0.0, abs=0.05)


def test_a_static_camera_never_left_and_is_gated() -> None:
    static = case(pose=poses(0 * TRUE_TURN), visible=np.ones(N, bool), in_view=np.ones(N))
    assert (value("turn_share", static), value("left_view", static)) == (0.0, 0.0)
    closed = GATES.get("left_view")(static)
    assert isinstance(closed, Gated)
    assert closed.kind == "avoided"


def test_a_subject_that_comes_along_was_never_out_of_sight() -> None:
    dragged = case(stranger=np.where(AWAY, 0.8, 0.0))
    assert value("left_view", dragged) == 0.0
    assert "could be seen" in GATES.get("left_view")(dragged).reason
    half = case(stranger=np.where(AWAY & (SECONDS < 2.5), 0.8, 0.0))
    assert value("left_view", half) == pytest.approx(0.5)
    assert GATES.get("left_view")(half) is None


@pytest.mark.parametrize(
    "seen",
    [
        {"visible": SECONDS < 1.5},
        {"pose": poses(np.where(SECONDS >= 1.5, 40.0, 0.0))},
        {"in_view": np.where(SECONDS < 1.5, 1.0, 0.4)},
    ],
    ids=["never seen again", "camera stopped half way", "seen in part"],
)
def test_a_camera_that_does_not_return_is_gated(seen: dict[str, Any]) -> None:
    gone = case(**seen)
    assert value("came_back", gone) == 0.0
    assert isinstance(GATES.get("came_back")(gone), Gated)


@pytest.mark.parametrize(("in_view", "back"), [(0.455, True), (0.445, False)])
def test_the_subject_is_back_when_nine_tenths_of_what_was_due_are_in_view(in_view: float, back: bool) -> None:
    """Half of it is all that the true camera shows on its return, so 0.45 is enough."""
    due = np.where(AWAY, 0.0, np.where(SECONDS < 2, 1.0, 0.5))
    seen = case(due_in_view=due, in_view=np.where(AWAY, 0.0, np.where(SECONDS < 2, 1.0, in_view)))
    assert (GATES.get("came_back")(seen) is None) == back
    assert value("came_back", seen) == float(back)


def test_place_is_measured_in_frame_widths() -> None:
    aside = case(place_x=np.full(FOUND, 0.7))
    assert value("return_place", aside) == pytest.approx(0.2)
    lower = case(place_y=np.full(FOUND, 0.7))
    assert value("return_place", lower) == pytest.approx(0.2 * lower.task.height / lower.task.width)


def test_what_is_not_found_has_no_place_and_counts_as_none() -> None:
    gone = case(explained=np.full(FOUND, 0.05), due_explained=np.full(FOUND, 0.05))
    assert isinstance(value("return_place", gone), Abstain)
    assert value("return_count", gone) == 1.0
    assert value("return_identity", gone) == pytest.approx(0.05)


def test_a_subject_drawn_in_another_manner_is_compared_with_how_it_was_drawn_before() -> None:
    explained = {"explained": np.full(FOUND, 0.6), "due_explained": np.full(FOUND, 0.3)}
    before = case(shown=np.full(2, 0.75), **explained)
    assert value("return_identity", before) == pytest.approx(0.8)
    assert value("return_state", before) == pytest.approx(0.4)
    unlike_throughout = case(shown=np.full(2, 0.1), **explained)
    assert value("return_identity", unlike_throughout) == pytest.approx(0.6)


@pytest.mark.parametrize(("second_best", "before"), [(0.91, 0.91), (0.89, 1.0)])
def test_only_views_nine_tenths_as_good_as_the_best_tell_how_it_was_drawn_before(
    second_best: float, before: float
) -> None:
    """What is worse may have been covered in part, and would excuse a subject that is drawn worse afterwards."""
    seen = case(shown=np.array([1.0, second_best, second_best]), explained=np.full(FOUND, 0.8))
    assert value("return_identity", seen) == pytest.approx(0.8 / before)


def late_frames_fit(*lags_s: float) -> Case:
    """Frames after the look-away look equally like the moments of all these lags behind the true one."""
    read = np.flatnonzero(~AWAY)[::2]
    late = SECONDS[read] > 3
    off = np.abs(MOMENTS[None] - SECONDS[read][:, None])
    lagging = np.min([np.abs(MOMENTS[None] - SECONDS[read][:, None] + lag) for lag in lags_s], axis=0)
    unlike = np.where(late[:, None], lagging, off)
    return case(curves=np.minimum(10 * unlike, 8).astype(np.float32) + 1)


def test_a_clock_that_may_read_more_than_three_tenths_apart_is_not_read() -> None:
    """Of the 2 s that are hidden, 0.6 s are three tenths; the readings lie on a grid of 1/64."""
    narrow, wide = (late_frames_fit(*np.linspace(-width / 2, width / 2, 20)) for width in (0.59, 0.61))
    assert value("world_clock", narrow) == pytest.approx(1.0, abs=0.15)
    unsure = value("world_clock", wide)
    assert isinstance(unsure, Abstain)
    assert unsure.reason.startswith("the process had ended or hardly changes: the clock reads between")


@pytest.mark.parametrize(
    ("apart_s", "why"), [(0.32, "the process had ended or hardly changes"), (0.36, "several moments")]
)
def test_readings_half_as_far_apart_as_that_are_several_moments(apart_s: float, why: str) -> None:
    """A gap of 0.3 s between readings is the half of it; each moment is seen to within a few hundredths."""
    unsure = value("world_clock", late_frames_fit(0.0, apart_s, 2 * apart_s))
    assert isinstance(unsure, Abstain)
    assert unsure.reason.startswith(why)


def test_two_are_one_too_many() -> None:
    assert value("return_count", case(extra=np.ones(FOUND))) == 1.0


def test_another_room_has_another_background_whether_or_not_anything_is_recognised() -> None:
    assert value("background_same", case(background=np.zeros(FOUND))) == 0.0
    lost = case(background=np.zeros(0), likeness=np.where(SECONDS < 3.5, 1.0, 0.0))
    assert value("background_same", lost) == 0.0


def test_a_jump_is_larger_than_any_asked_step() -> None:
    jump = np.where(AWAY, 60.0, 0.0)
    smooth = np.interp(SECONDS, [1.0, 1.5, 3.5, 4.0], [0.0, 60.0, 60.0, 0.0])
    asked = case(pose=poses(smooth))
    truth = asked.truth
    assert truth is not None
    world = KnownTruth(poses(smooth), *(getattr(truth.world, n) for n in ("intrinsics", "masks", "visible", "state")))
    steady = Case(asked.task, Truth(truth.record, truth.video, SECONDS, world), asked.seen, {})
    assert value("cut", steady) == pytest.approx(1.0, abs=0.05)
    cut = Case(asked.task, steady.truth, {"replay": {**asked.seen["replay"], "pose": poses(jump)}}, {})
    assert value("cut", cut) > 3


def test_a_picture_that_falls_apart_drifts() -> None:
    assert value("drift", case(likeness=np.linspace(1, 0, N))) == pytest.approx(0.75, abs=0.05)


def test_without_frames_to_read_there_is_a_reason() -> None:
    nothing = case(
        read=np.zeros(0, int),
        late=np.zeros(0, bool),
        curves=np.zeros((0, len(MOMENTS)), np.float32),
        explained=np.zeros(0),
        due_explained=np.zeros(0),
        extra=np.zeros(0),
    )
    for name in ("world_clock", "clock_error", "absolute_clock", "return_place", "return_state", "return_count"):
        assert isinstance(value(name, nothing), Abstain), name
