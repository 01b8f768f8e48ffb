"""Camera paths at other moments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.errors import UsageError
from lookaway.geometry.resampling import resampled
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.script import poses_at, trajectory
from lookaway.geometry.trajectory import Trajectory, pinhole

SCRIPT = "yaw:left:90+pitch:up:30+roll:left:10@2.5s, dolly:forward:2@2.5s"
PATH = trajectory(SCRIPT, 81, 16, (320, 180), 60, pitch_deg=-12)


def test_a_path_at_its_own_moments_is_itself() -> None:
    same = resampled(PATH, PATH.seconds)
    assert np.abs(same.camera_to_world - PATH.camera_to_world).max() < 1e-12
    assert np.array_equal(same.intrinsics, PATH.intrinsics)


@given(st.lists(st.floats(-1, 6), min_size=1, max_size=40))
def test_what_comes_out_are_rotations_and_the_ends_are_held(seconds: list[float]) -> None:
    path = resampled(PATH, np.array(seconds))
    rotations = path.camera_to_world[:, :3, :3]
    assert np.abs(rotations @ rotations.transpose(0, 2, 1) - np.eye(3)).max() < 1e-12
    early, late = np.array(seconds) <= 0, np.array(seconds) >= 5
    assert np.abs(path.camera_to_world[early] - PATH.camera_to_world[0]).max(initial=0) < 1e-12
    assert np.abs(path.camera_to_world[late] - PATH.camera_to_world[-1]).max(initial=0) < 1e-12


@given(st.floats(0.01, 0.99), st.floats(1, 179), st.sampled_from(["yaw:left", "pitch:down", "roll:right"]))
def test_between_two_poses_lies_the_geodesic(share: float, degrees: float, turn: str) -> None:
    ends = trajectory(f"{turn}:{degrees!r}@1s", 2, 1, (320, 180), 60)
    between = resampled(ends, np.array([share])).camera_to_world
    assert np.abs(between - poses_at(f"{turn}:{degrees!r}@1s", np.array([share]))).max() < 1e-9


@pytest.mark.parametrize("frames", [77, 49])
def test_a_path_of_other_length_is_compared_with_the_same_moments(frames: int) -> None:
    """Steady turns lose nothing, as long as the turning point is one of the frames."""
    script = "yaw:left:60@2.5s, yaw:right:60@2.5s"
    short = trajectory(script, frames, (frames - 1) / 5, (320, 180), 60)
    full = trajectory(script, 81, 16, (320, 180), 60)
    error = turn_deg(resampled(short, full.seconds).camera_to_world, full.camera_to_world)
    assert error.max() < 1e-5  # an arc cosine near 1 tells no smaller angle


def test_a_zoom_is_interpolated() -> None:
    zoom = Trajectory(
        np.tile(np.eye(4), (2, 1, 1)), np.stack([pinhole(320, 180, 60), pinhole(320, 180, 30)]), np.arange(2.0)
    )
    middle = resampled(zoom, np.array([0.5])).intrinsics[0]
    assert middle == pytest.approx((zoom.intrinsics[0] + zoom.intrinsics[1]) / 2)


def test_one_pose_is_held() -> None:
    single = trajectory("hold@1s", 1, 16, (320, 180), 60)
    assert np.array_equal(resampled(single, np.array([0.0, 3.0])).camera_to_world, np.tile(np.eye(4), (2, 1, 1)))


def test_moments_must_rise_and_be_numbers() -> None:
    with pytest.raises(UsageError, match="seconds rise"):
        resampled(Trajectory(PATH.camera_to_world[:2], PATH.intrinsics[:2], np.zeros(2)), PATH.seconds)
    with pytest.raises(UsageError, match="finite"):
        resampled(PATH, np.array([np.nan]))
