"""Phases and opportunity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.geometry import visibility
from lookaway.geometry.script import trajectory
from lookaway.geometry.sight import ball_points, box_points
from lookaway.geometry.visibility import (
    camera_hides,
    comes_home,
    frames_in,
    has_opportunity,
    obstacle,
    phases_from_visible,
    plan_visibility,
    planned,
)
from lookaway.records import Interval, Subject
from tests.builders import task

SECONDS = np.arange(40) / 10


def visible_between(*spans: tuple[int, int]) -> np.ndarray:
    flags = np.zeros(40, bool)
    for start, end in spans:
        flags[start:end] = True
    return flags


def phases(flags: np.ndarray) -> list[tuple[str, float, float]]:
    return [(i.phase, round(i.start_s, 6), round(i.end_s, 6)) for i in phases_from_visible(SECONDS, flags)]


def test_seen_hidden_and_back() -> None:
    assert phases(visible_between((0, 10), (20, 40))) == [
        ("visible", 0, 1),
        ("hidden", 1, 2),
        ("returned", 2, 4),
    ]


def test_flicker_is_not_hiding() -> None:
    assert phases(visible_between((0, 10), (14, 40))) == [("visible", 0, 4)]


def test_a_subject_that_never_comes_back_stays_hidden() -> None:
    assert phases(visible_between((0, 10))) == [("visible", 0, 1), ("hidden", 1, 4)]


def test_two_rounds() -> None:
    assert [p for p, _, _ in phases(visible_between((0, 5), (15, 20), (30, 40)))] == [
        "visible",
        "hidden",
        "returned",
        "hidden",
        "returned",
    ]


def test_a_subject_never_seen_has_no_phases() -> None:
    assert phases(np.zeros(40, bool)) == []


@given(st.lists(st.booleans(), min_size=40, max_size=40))
def test_phases_cover_every_frame_from_the_first_sighting(flags: list[bool]) -> None:
    visible = np.array(flags)
    intervals = phases_from_visible(SECONDS, visible)
    covered = sum(frames_in(SECONDS, intervals, phase) for phase in ("visible", "hidden", "returned"))
    first = int(np.argmax(visible)) if visible.any() else len(flags)
    assert (covered[first:] == 1).all()
    assert (covered[:first] == 0).all()


def test_turning_left_hides_what_is_in_front_and_static_hides_nothing() -> None:
    away = task(camera="hold@1s, yaw:left:75@0.5s, hold@1s, yaw:right:75@0.5s, hold@1s")
    assert has_opportunity(away)
    plan = planned(away)
    assert plan.share[[0, 32, 62]].tolist() == [1, 0, 1]
    assert [phase.phase for phase in plan.phases] == ["visible", "hidden", "returned"]
    assert not has_opportunity(task(camera="hold@4s"))
    assert not has_opportunity(task(camera="yaw:left:75@1s, hold@3s"))
    assert not has_opportunity(task(camera="yaw:left:10@1s, hold@1s, yaw:right:10@1s"))


def test_tilting_far_enough_hides_and_a_full_circle_comes_back() -> None:
    assert has_opportunity(task(camera="hold@1s, pitch:up:60@0.5s, hold@1s, pitch:down:60@0.5s, hold@1s"))
    assert not has_opportunity(task(camera="hold@1s, pitch:up:5@0.5s, hold@1s, pitch:down:5@0.5s, hold@1s"))
    assert has_opportunity(task(camera="hold@1s, yaw:left:360@3s, hold@1s"))


def test_known_phases_overrule_the_camera_path() -> None:
    hidden = [Interval(phase="visible", start_s=0, end_s=1), Interval(phase="hidden", start_s=1, end_s=2)]
    back = Interval(phase="returned", start_s=2, end_s=4)
    still = task(camera="hold@4s")
    assert has_opportunity(still.model_copy(update={"phases": (*hidden, back)}))
    assert not has_opportunity(still.model_copy(update={"phases": tuple(hidden)}))


def test_who_hides_and_where_the_camera_ends() -> None:
    assert camera_hides(task())
    assert not camera_hides(task(camera="hold@4s"))
    assert not camera_hides(task(camera="hold@4s", cover="hold@1s, curtain:close@1s, hold@1s, curtain:open@1s"))
    assert comes_home(task())
    assert comes_home(task(camera="yaw:left:360@4s"))
    assert not comes_home(task(camera="yaw:left:80@2s, yaw:right:60@2s"))
    assert not comes_home(task(camera="yaw:left:80@1s, dolly:forward:0.5@2s, yaw:right:80@1s"))


@pytest.mark.parametrize(
    ("camera", "why"),
    [
        ("hold@4s", "never_hidden"),
        ("yaw:left:20@2s, yaw:right:20@2s", "never_hidden"),
        ("hold@1.8s, yaw:left:80@0.2s, yaw:right:80@0.2s, hold@1.8s", "hidden_too_short"),
        ("yaw:left:75@1s, hold@3s", "never_returned"),
        ("hold@1s, yaw:left:75@0.5s, hold@1s, yaw:right:75@0.5s, hold@1s", None),
    ],
)
def test_a_path_that_cannot_pose_the_return_test_says_why(camera: str, why: str | None) -> None:
    assert obstacle(task(camera=camera)) == why


def test_a_cover_hides_only_when_it_is_all_the_way() -> None:
    cover = "hold@1s, curtain:close{}@0.5s, hold@1s, curtain:open@0.5s, hold@1s"
    assert obstacle(task(camera="hold@4s", cover=cover.format(""))) is None
    assert obstacle(task(camera="hold@4s", cover=cover.format(":90"))) == "never_hidden"


def test_a_turn_hides_a_subject_when_its_far_edge_passes_the_border() -> None:
    """In a 60 degree view, a box up to three quarters of the width ends 16.1 degrees right of the middle."""
    size, degrees_per_s = (320, 180), 20.0
    path = trajectory("yaw:left:80@4s, yaw:right:80@4s", 801, 100, size, 60)
    plan = plan_visibility(path, size, box_points((0.5, 0.4, 0.75, 0.6), size, 60))
    visible, hidden, returned = plan.phases
    leaves = (30 - np.rad2deg(np.arctan(0.5 * np.tan(np.deg2rad(30))))) / degrees_per_s  # first edge
    gone = 30 / degrees_per_s  # the edge in the middle
    assert (visible.start_s, returned.end_s) == pytest.approx((0, 8.01))
    assert (hidden.start_s, hidden.end_s) == pytest.approx((gone, 8 - gone), abs=0.02)
    assert path.seconds[np.argmax(plan.share < 1)] == pytest.approx(leaves, abs=0.02)
    assert plan.obstacle is None


@given(st.floats(20, 120), st.floats(0.1, 0.9), st.sampled_from(["left", "right"]))
def test_looking_left_and_right_are_mirror_images(peak: float, middle: float, side: str) -> None:
    left, right = middle - 0.1, middle + 0.1
    other = {"left": "right", "right": "left"}[side]
    one = planned(task(camera=f"yaw:{side}:{peak}@2s, yaw:{other}:{peak}@2s", subjects=at(left, right)))
    two = planned(task(camera=f"yaw:{other}:{peak}@2s, yaw:{side}:{peak}@2s", subjects=at(1 - right, 1 - left)))
    assert one.share == pytest.approx(two.share, abs=0.12)  # a column of points on the border may fall either way
    assert one.obstacle == two.obstacle


def at(left: float, right: float) -> tuple[Subject, ...]:
    return (Subject(name="a ball", box=(max(left, 0), 0.4, min(right, 1), 0.6), side="centre"),)


def test_walking_past_a_thing_hides_it_and_walking_back_shows_it_again() -> None:
    size = (320, 180)
    ball = ball_points((0.5, 0, 2), 0.1)
    there_and_back = trajectory("dolly:forward:3@2s, hold@1s, dolly:back:3@2s", 81, 16, size, 60)
    plan = plan_visibility(there_and_back, size, ball)
    assert plan.obstacle is None
    assert plan.share[[0, 40, 80]].tolist() == [1, 0, 1]
    gone = (2 - 0.5 / np.tan(np.deg2rad(30))) / 1.5  # when its middle passes the border
    assert there_and_back.seconds[np.argmax(plan.share < 0.5)] == pytest.approx(gone, abs=0.1)
    far = box_points((0.7, 0.4, 0.8, 0.6), size, 60)
    assert plan_visibility(there_and_back, size, far).obstacle == "never_hidden"  # only turns hide what is far away


def test_what_is_behind_the_camera_is_never_seen() -> None:
    size = (320, 180)
    still = trajectory("hold@1s", 17, 16, size, 60)
    assert plan_visibility(still, size, ball_points((0, 0, -2), 0.1)).obstacle == "never_seen"


def test_what_comes_into_view_late_was_not_hidden_before() -> None:
    size = (320, 180)
    turn = trajectory("yaw:right:90@2s, hold@1s", 49, 16, size, 60)
    plan = plan_visibility(turn, size, ball_points((2, 0, 0), 0.1))
    assert plan.obstacle == "never_hidden"
    assert plan.phases[0].start_s > 1


def test_known_phases_say_why_as_well() -> None:
    seen, hidden = Interval(phase="visible", start_s=0, end_s=1), Interval(phase="hidden", start_s=1, end_s=4)
    assert obstacle(task(phases=(seen,))) == "never_hidden"
    assert obstacle(task(phases=(seen, hidden))) == "never_returned"


def test_tasks_that_ask_the_same_are_planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(visibility, "trajectory", lambda *asked: made.append(asked) or trajectory(*asked))
    boxes = [(0.01 * n, 0.4, 0.01 * n + 0.2, 0.6) for n in range(50)]
    tasks = [
        task(id=str(n), hfov_deg=61.5, subjects=(Subject(name="a ball", box=box, side="left"),))
        for n, box in enumerate(boxes)
    ]
    found = [obstacle(one) for one in tasks]
    assert len(made) == 1, "ten thousand tasks of one script would cost half a minute"
    assert found == [planned(one).obstacle for one in tasks]
    tilted = task(hfov_deg=61.5, pitch_deg=-80.0)
    assert obstacle(tilted) == planned(tilted).obstacle
