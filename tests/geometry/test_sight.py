"""How much of a thing is in view."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.errors import UsageError
from lookaway.geometry.script import poses_at, trajectory
from lookaway.geometry.sight import ball_points, box_points, look_at, share_in_view

SIZE = (320, 180)
shares = st.floats(0, 1).filter(lambda share: abs(share - 0.5) > 0.01)


def shown(points: np.ndarray, script: str) -> float:
    return float(share_in_view(points, trajectory(script, 2, 1, SIZE, 60), SIZE)[-1])


@given(st.floats(0, 0.45), st.floats(0.55, 1), st.floats(20, 150))
def test_the_first_frame_shows_all_of_every_box(low: float, high: float, hfov: float) -> None:
    still = trajectory("hold@1s", 2, 1, SIZE, hfov)
    for distance in (None, 3.0):
        assert share_in_view(box_points((low, low, high, high), SIZE, hfov, distance), still, SIZE).tolist() == [1, 1]


def test_half_of_what_the_border_halves_is_in_view() -> None:
    assert shown(box_points((0.4, 0.4, 0.6, 0.6), SIZE, 60), "yaw:left:30@1s") == pytest.approx(0.5, abs=0.1)


def test_distance_matters_to_a_shift_and_not_to_a_turn() -> None:
    box = (0.8, 0.4, 0.9, 0.6)
    near, far, endless = (box_points(box, SIZE, 60, metres) for metres in (1, 100, None))
    assert [shown(points, "truck:left:1@1s") for points in (near, far, endless)] == [0, 1, 1]
    assert len({shown(points, "yaw:left:25@1s") for points in (near, far, endless)}) == 1


def test_a_ball_lies_where_it_is_said_to() -> None:
    ball = ball_points((1, 2, 3), 0.5)[:, :3]
    assert ball.mean(axis=0) == pytest.approx([1, -2, 3])
    assert np.linalg.norm(ball - [1, -2, 3], axis=1).max() == pytest.approx(0.5)


@pytest.mark.parametrize("metres", [0, -1, float("nan"), float("inf")])
def test_no_thing_has_an_impossible_distance(metres: float) -> None:
    with pytest.raises(UsageError, match="above 0 metres"):
        box_points((0.4, 0.4, 0.6, 0.6), SIZE, 60, metres)


@given(shares, shares, st.floats(-20, 20))
def test_a_look_at_a_box_brings_it_to_the_middle(x: float, y: float, tilt: float) -> None:
    box = (max(0, x - 0.05), max(0, y - 0.05), min(1, x + 0.05), min(1, y + 0.05))
    path = poses_at(f"{look_at(box, SIZE, 60, 3)}@1s", np.array([1.0]), tilt)
    middle = box_points(box, SIZE, 60).mean(axis=0)[:3]
    assert np.abs(middle / np.linalg.norm(middle) - path[0, :3, 2]).max() < 1e-4  # six digits in the script
