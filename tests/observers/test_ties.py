"""What a turn leaves of the matches that it was fitted to: noise after a turn, a pattern after a shift."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from lookaway.geometry.rotations import turn_deg
from lookaway.observers import Floats
from lookaway.observers.following import PATTERN_DEG
from lookaway.observers.following.ties import Turn, focal_of, turn_between

FOCAL = focal_of(60.0)
NOISE = 0.2 / 480  # of the width: as features are found


def looked_at(points: Floats, rotation: Floats, centre: Floats, seed: int) -> Floats:
    """Places on the picture, in its widths, of points before a camera that turned and shifted."""
    seen = (points - centre) @ rotation
    return FOCAL * seen[:, :2] / seen[:, 2:] + np.random.default_rng(seed).normal(0, NOISE, (len(points), 2))


def wall(seed: int, depth_m: float = 4.0, count: int = 150) -> Floats:
    """Points of a flat wall straight ahead, the scene that most looks alike after a turn and a shift."""
    places = np.random.default_rng(seed).uniform([-2, -1.1], [2, 1.1], (count, 2))
    return np.column_stack([places, np.full(count, depth_m)])


def tied(points: Floats, rotation: Floats, centre: Floats, seed: int) -> Turn:
    home = looked_at(points, np.eye(3), np.zeros(3), seed)
    found = turn_between(looked_at(points, rotation, centre, seed + 1), home, FOCAL)
    assert found is not None
    return found


turns = st.floats(-12, 12)


@given(turns, turns, st.integers(0, 10_000))
def test_a_turn_is_found_exactly_and_leaves_no_pattern(yaw: float, pitch: float, seed: int) -> None:
    rotation = Rotation.from_euler("YX", [yaw, pitch], degrees=True).as_matrix()
    found = tied(wall(seed), rotation, np.zeros(3), seed)
    assert turn_deg(found.rotation, rotation) < 0.05
    assert found.pattern_deg < PATTERN_DEG
    assert found.sd_deg[:2].max() < 0.02


@given(st.floats(0.15, 0.5), st.booleans(), st.integers(0, 10_000))
def test_a_shift_along_a_wall_leaves_one(shift_m: float, upward: bool, seed: int) -> None:
    """From 2 degrees on; below that, along a wall as flat as this one, features are too coarse to tell."""
    centre = np.array([0.0, shift_m, 0.0]) if upward else np.array([shift_m, 0.0, 0.0])
    assert tied(wall(seed), np.eye(3), centre, seed).pattern_deg > PATTERN_DEG


@given(st.floats(0.1, 0.3), st.integers(0, 10_000))
def test_in_depth_the_turn_if_shifted_is_nearer_than_the_turn(shift_m: float, seed: int) -> None:
    """A truck looks like a turn; where things stand at many distances, what moves across it tells them apart."""
    depth = np.random.default_rng(seed).uniform(0.5, 2, (300, 1))
    found = tied(wall(seed, count=300) * depth, np.eye(3), np.array([shift_m, 0.0, 0.0]), seed)
    assert turn_deg(found.if_shifted) < 0.6 * turn_deg(found.rotation)


def test_a_thing_that_moves_by_itself_is_left_out() -> None:
    still, moving, moved = wall(1), wall(2, count=40) * [0.2, 0.2, 1], np.array([0.2, 0.1, 0])
    rotation = Rotation.from_euler("Y", 8, degrees=True).as_matrix()
    home = looked_at(np.vstack([still, moving]), np.eye(3), np.zeros(3), 3)
    found = turn_between(looked_at(np.vstack([still, moving + moved]), rotation, np.zeros(3), 4), home, FOCAL)
    assert found is not None
    assert turn_deg(found.rotation, rotation) < 0.05
    assert not found.agreeing[len(still) :].any()
    assert found.pattern_deg < PATTERN_DEG


def test_warps_widen_the_doubt_and_no_match_is_lost_to_a_fixed_distance() -> None:
    """Bumps of 1 and 4 pixels that neighbours share, as in generated video."""
    rotation = Rotation.from_euler("Y", 8, degrees=True).as_matrix()
    points, doubts = wall(1, count=300), []
    home = looked_at(points, np.eye(3), np.zeros(3), 2)
    for size_px in (0.0, 1.0, 4.0):
        bump = size_px / 480 * np.column_stack([np.sin(9 * home[:, 0]), np.cos(11 * home[:, 1])])
        found = turn_between(looked_at(points, rotation, np.zeros(3), 3) + bump, home, FOCAL)
        assert found is not None
        assert found.share > 0.95
        doubts.append(found.sd_deg[1])
    assert doubts[0] < 0.5 * doubts[1] < 0.25 * doubts[2] * 1.5


def test_a_narrow_strip_ties_nothing() -> None:
    """In a strip a pitch and a rise leave the same matches."""
    for height, is_tied in ((1.1, True), (0.05, False)):
        points = wall(5) * [1, height / 1.1, 1]
        one, other = (looked_at(points, np.eye(3), np.zeros(3), seed) for seed in (6, 7))
        assert (turn_between(one, other, FOCAL) is not None) == is_tied
