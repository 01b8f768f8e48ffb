"""A camera asked as poses is asked as well as one that a script says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.spatial.transform import Rotation

from lookaway.controls import CONTROLS, AskedCamera
from lookaway.errors import UsageError
from lookaway.gates import GATES
from lookaway.geometry.asked import (
    asked_in_words,
    asked_poses,
    asked_seconds,
    asked_trajectory,
    at_pace,
    largest_turn_deg,
    stands_still,
)
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.visibility import camera_hides, comes_home, has_opportunity
from lookaway.models import load
from lookaway.outcomes import NotApplicable
from lookaway.readings import Case
from lookaway.records import Task
from tests.builders import LOOK_LEFT, task

SECONDS = np.linspace(0, 4, 65)


def rows_of(script: str) -> tuple[tuple[float, ...], ...]:
    """The poses of a script, as a task may tell them."""
    poses = asked_poses(task(camera=script), SECONDS)
    turns = Rotation.from_matrix(poses[:, :3, :3]).as_rotvec(degrees=True)
    table = np.column_stack([SECONDS, poses[:, :3, 3], turns])
    table[0] = 0
    return tuple(map(tuple, table.tolist()))


def posed(script: str = LOOK_LEFT, **changes: Any) -> Task:
    return task(camera="", poses=rows_of(script), **changes)


@pytest.mark.parametrize("script", [LOOK_LEFT, "hold@1s, yaw:right:40+pitch:up:10@1s, dolly:forward:0.5@1s, hold@1s"])
def test_poses_ask_for_the_same_path_as_the_script_they_were_read_off(script: str) -> None:
    between = np.linspace(0, 5, 41)
    said, told = (asked_poses(one, between) for one in (task(camera=script), posed(script)))
    assert turn_deg(said, told).max() < 0.05
    assert np.abs(said[:, :3, 3] - told[:, :3, 3]).max() < 1e-3
    assert largest_turn_deg(posed(script)) == pytest.approx(largest_turn_deg(task(camera=script)), abs=0.1)
    assert len(asked_trajectory(posed(script), 33, 8.0, (320, 180))) == 33


def test_hiding_coming_home_and_standing_still_are_read_off_poses_too() -> None:
    assert camera_hides(posed())
    assert comes_home(posed())
    assert has_opportunity(posed())
    assert not comes_home(posed("hold@1s, yaw:left:75@1s, hold@2s"))
    assert stands_still(posed("hold@4s"))
    assert not camera_hides(posed("hold@4s"))


def test_words_and_pace_of_a_path() -> None:
    assert asked_in_words(posed()) == "The camera turns left by 75 degrees at most, and ends where it began."
    assert asked_in_words(posed("hold@4s")) == "The camera stays as it is."
    assert asked_seconds(at_pace(posed(), 2.0)) == pytest.approx(2.0)
    fast = asked_poses(at_pace(posed(), 2.0), SECONDS / 2)
    assert turn_deg(fast, asked_poses(posed(), SECONDS)).max() < 1e-6


def test_a_model_that_takes_poses_gets_them_and_one_that_takes_moves_says_what_is_missing() -> None:
    card = load("truth")
    asked = AskedCamera.of(posed(), card)
    encoded = CONTROLS.get("poses").function(asked)
    assert encoded.effective is not None
    assert turn_deg(encoded.effective.camera_to_world, asked.path.camera_to_world).max() < 1e-3
    assert "turns left by 75 degrees" in CONTROLS.get("text").function(asked).text
    with pytest.raises(UsageError, match="asked as poses, and 'truth' is told moves"):
        CONTROLS.get("script").function(asked)


@pytest.mark.parametrize(
    ("poses", "complaint"),
    [
        (((0.0,) * 7,), "at least two"),
        (((0.0,) * 7, (0.0,) * 7), "later than the one before"),
        (((0.0, 1, 0, 0, 0, 0, 0), (1.0, 0, 0, 0, 0, 0, 0)), "all zeros"),
    ],
)
def test_poses_that_say_nothing_are_refused(poses: Any, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        task(camera="", poses=poses)
    with pytest.raises(ValidationError, match="either as a script"):
        task(poses=rows_of("hold@4s"))


def test_a_task_may_ask_nothing_of_the_camera() -> None:
    looked_at = task(camera="", subjects=())
    assert (looked_at.camera_asked, looked_at.subject) == (False, None)
    assert asked_in_words(looked_at) == ""
    assert not stands_still(looked_at), "nor is it asked to stand still"
    assert not camera_hides(looked_at)
    assert has_opportunity(looked_at), "what it may do is not known"
    with pytest.raises(UsageError, match="nothing is asked of the camera"):
        asked_poses(looked_at, np.zeros(1))


def test_without_an_asked_camera_gates_read_what_it_did() -> None:
    looked_at = Case(task(camera="", subjects=()), None, {}, {})
    assert [GATES.get(name)(looked_at) for name in ("opportunity", "by_camera", "home_bound")] == [None] * 3
    covered = Case(task(camera="", cover="curtain@1s-2s"), None, {}, {})
    assert isinstance(GATES.get("by_camera")(covered), NotApplicable)
