"""What a rotation leaves of matches that it was fitted to: noise after a turn, a pattern after a shift."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from lookaway.observers.turning import (
    SURE_TURN,
    Features,
    Floats,
    confidence_of,
    pattern_px,
    rays,
    rotation_between,
    tie,
)

HFOV_DEG = 60.0
NOISE = 0.2 / 320  # of the width: as features are found


def looked_at(points: Floats, rotation: Floats, centre: Floats, seed: int) -> Floats:
    """Places on the picture, in its widths, of points before a camera that turned and shifted."""
    seen = (points - centre) @ rotation
    focal = 0.5 / np.tan(np.deg2rad(HFOV_DEG) / 2)
    return focal * seen[:, :2] / seen[:, 2:] + np.random.default_rng(seed).normal(0, NOISE, (len(points), 2))


def wall(seed: int, depth_m: float = 4.0, count: int = 150) -> Floats:
    """Points of a flat wall straight ahead, the scene that most looks alike after a turn and a shift."""
    places = np.random.default_rng(seed).uniform([-2, -1.1], [2, 1.1], (count, 2))
    return np.column_stack([places, np.full(count, depth_m)])


def doubted(points: Floats, rotation: Floats, centre: Floats, seed: int) -> float:
    home = rays(looked_at(points, np.eye(3), np.zeros(3), seed), HFOV_DEG)
    here = rays(looked_at(points, rotation, centre, seed + 1), HFOV_DEG)
    found = rotation_between(here, home)
    return 0.0 if found is None else confidence_of(pattern_px(found, here, home, HFOV_DEG))


turns = st.floats(-12, 12)


@given(turns, turns, st.integers(0, 10_000))
def test_a_turn_is_sure(yaw: float, pitch: float, seed: int) -> None:
    rotation = Rotation.from_euler("YX", [yaw, pitch], degrees=True).as_matrix()
    assert doubted(wall(seed), rotation, np.zeros(3), seed) >= SURE_TURN


@given(st.floats(0.15, 0.5), st.booleans(), st.integers(0, 10_000))
def test_a_shift_along_a_wall_is_not(shift_m: float, upward: bool, seed: int) -> None:
    """From 2 degrees on; below that, along a wall as flat as this one, features are too coarse to tell."""
    centre = np.array([0.0, shift_m, 0.0]) if upward else np.array([shift_m, 0.0, 0.0])
    assert doubted(wall(seed), np.eye(3), centre, seed) < SURE_TURN


def test_a_thing_that_moves_by_itself_leaves_a_turn_sure() -> None:
    still, moving, moved = wall(1), wall(2, count=40) * [0.2, 0.2, 1], np.array([0.06, 0.04, 0])
    rotation = Rotation.from_euler("Y", 8, degrees=True).as_matrix()
    home = rays(looked_at(np.vstack([still, moving]), np.eye(3), np.zeros(3), 3), HFOV_DEG)
    here = rays(looked_at(np.vstack([still, moving + moved]), rotation, np.zeros(3), 4), HFOV_DEG)
    found = rotation_between(here, home)
    assert found is not None
    assert confidence_of(pattern_px(found, here, home, HFOV_DEG)) >= SURE_TURN


def test_a_narrow_strip_ties_nothing() -> None:
    """In a strip a pitch and a rise leave the same matches."""
    for height, tied in ((1.1, True), (0.05, False)):
        points = wall(5) * [1, height / 1.1, 1]
        descriptors = np.eye(len(points), 256, dtype=np.float32)
        one, other = (Features(looked_at(points, np.eye(3), np.zeros(3), seed), descriptors) for seed in (6, 7))
        assert (tie(one, other, HFOV_DEG) is not None) == tied
