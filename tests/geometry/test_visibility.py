"""Phases and opportunity."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lookaway.geometry.visibility import (
    camera_hides,
    comes_home,
    frames_in,
    has_opportunity,
    phases_from_visible,
    planned_hidden,
)
from lookaway.records import Interval
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
    hidden = planned_hidden(away, np.array([0.0, 2.0, 3.9]))
    assert hidden.tolist() == [False, True, False]
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
