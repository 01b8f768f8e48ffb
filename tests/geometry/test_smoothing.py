"""A noisy estimate comes nearer to the true path, a clean one stays; the check tells how far smoothing went."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lookaway.errors import UsageError
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.smoothing import pose_integrity, smoothed_poses
from lookaway.geometry.trajectory import Floats
from lookaway.geometry.turns import turns_of


def pan(degrees: Floats, axis: tuple[float, float, float] = (0, 1, 0)) -> Floats:
    poses = np.tile(np.eye(4), (len(degrees), 1, 1))
    poses[:, :3, :3] = Rotation.from_rotvec(np.outer(np.deg2rad(degrees), axis)).as_matrix()
    poses[:, :3, 3] = np.outer(degrees, (0.01, 0, 0.02))
    return poses


OUT_AND_BACK = 60 * np.sin(np.pi * np.arange(120) / 119)


def shaken(poses: Floats, sigma_deg: float, seed: int = 0) -> Floats:
    noise = Rotation.from_rotvec(np.random.default_rng(seed).normal(0, np.deg2rad(sigma_deg), (len(poses), 3)))
    made = poses.copy()
    made[:, :3, :3] = poses[:, :3, :3] @ noise.as_matrix()
    return made


def test_a_noisy_path_comes_nearer_to_the_true_one() -> None:
    true = pan(OUT_AND_BACK)
    raw = shaken(true, 0.5)
    before, after = turn_deg(raw, true), turn_deg(smoothed_poses(raw), true)
    # a quadratic over 9 frames keeps 59/231 of white noise's variance inside, and 153/231 at the very ends
    assert np.sqrt(np.mean(after[4:-4] ** 2)) == pytest.approx(np.sqrt(59 / 231) * np.sqrt(np.mean(before**2)), rel=0.2)
    assert after.mean() < 0.65 * before.mean()


@pytest.mark.parametrize("axis", [(0, 1, 0), (1, 0, 0), (0.6, 0, 0.8)])
def test_a_steady_turn_stays_as_it_is_to_its_ends(axis: tuple[float, float, float]) -> None:
    true = pan(np.linspace(0, 175, 100), axis)
    made = smoothed_poses(true)
    assert turn_deg(made, true).max() < 1e-6
    assert np.allclose(made[:, :3, 3], true[:, :3, 3])


def test_what_is_smoothed_is_a_rotation_past_half_a_turn() -> None:
    made = smoothed_poses(shaken(pan(np.linspace(0, 350, 90)), 1.0))
    products = made[:, :3, :3] @ np.swapaxes(made[:, :3, :3], 1, 2)
    assert np.allclose(products, np.eye(3), atol=1e-9)
    assert turn_deg(made[:-1], made[1:]).max() < 7  # 3.9 a step, and no jump where a rotation vector turns over


def test_the_check_tells_a_clean_path_from_one_that_was_moved() -> None:
    true = pan(OUT_AND_BACK)
    clean, noisy = (pose_integrity(raw, smoothed_poses(raw)) for raw in (true, shaken(true, 1.0)))
    assert clean.r == pytest.approx(1.0, abs=1e-6)
    assert clean.largest_deg < 0.01
    assert noisy.largest_deg > 1.0
    spoilt = true.copy()
    spoilt[60, :3, :3] = Rotation.from_euler("y", 20, degrees=True).as_matrix() @ true[60, :3, :3]
    assert pose_integrity(spoilt, smoothed_poses(spoilt)).largest_deg > 10


def test_a_camera_that_stands_still_has_no_correlation() -> None:
    still = pan(np.zeros(20))
    found = pose_integrity(still, smoothed_poses(still))
    assert (found.r, found.largest_deg) == (None, 0.0)
    assert "stands still" in str(found)


def test_what_cannot_be_smoothed_is_refused_or_left_alone() -> None:
    short = pan(np.linspace(0, 5, 4))
    assert np.array_equal(smoothed_poses(short), short)
    with pytest.raises(UsageError, match="odd number"):
        smoothed_poses(short, window=4)
    short[2, 0, 0] = np.nan
    with pytest.raises(UsageError, match="finite"):
        smoothed_poses(short)


def test_rotation_has_three_names() -> None:
    out_and_back = turns_of(pan(np.concatenate([np.linspace(0, 60, 31), np.linspace(60, 0, 31)])))
    assert out_and_back == pytest.approx((0, 120, 60), abs=1e-6)
    one_way = turns_of(pan(np.linspace(0, 90, 31)))
    assert one_way == pytest.approx((90, 90, 90))
    once_around = turns_of(pan(np.linspace(0, 360, 73)))
    assert once_around == pytest.approx((0, 360, 180), abs=1e-5)
