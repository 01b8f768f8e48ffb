"""Camera paths against the one asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookaway.errors import UsageError
from lookaway.geometry import camera_scores as scores
from lookaway.geometry.camera_pair import CameraPair, camera_path, paired
from lookaway.geometry.resampling import resampled_poses
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.script import poses_at
from lookaway.geometry.trajectory import pitch_matrix, roll_matrix, yaw_matrix
from lookaway.outcomes import Abstain, NotApplicable

# 81 frames at constant speed, out in 40 and back in 41, the peak held for two: the mean is half of the peak exactly.
# Published numbers need that. A script of 81 frames has its peak once, a mean of 40/81, and scores 0.530 and 0.719.
OUT_AND_BACK = np.concatenate([np.linspace(0, 1, 40), np.linspace(1, 0, 41)])
SECONDS = np.arange(81) / 16
STATIC = np.zeros(81)


def yaws(degrees: np.ndarray) -> np.ndarray:
    return np.array([yaw_matrix(yaw) for yaw in degrees])


def pair(asked: np.ndarray, got: np.ndarray) -> CameraPair:
    """Yaw paths, or whole poses, of 5 seconds."""
    made = [camera_path(p if p.ndim > 1 else yaws(p), "x", np.linspace(0, 5, len(p))) for p in (asked, got)]
    return paired(made[0], made[1])


def by_script(asked: str, got: str, frames: int = 81) -> CameraPair:
    seconds = np.linspace(0, 4, frames)
    paths = [camera_path(poses_at(script, seconds), "x", seconds) for script in (asked, got)]
    return paired(paths[0], paths[1])


# ---------------------------------------------------------------- published numbers


@pytest.mark.parametrize(("peak", "score"), [(0.0, 0.0), (2.1, 0.526), (30, 0.717), (60, 1.0), (-60, 0.0)])
def test_the_released_precision_hardly_minds_a_camera_that_hardly_turns(peak: float, score: float) -> None:
    assert scores.precision_released(pair(60 * OUT_AND_BACK, peak * OUT_AND_BACK)) == pytest.approx(score, abs=5e-4)


def test_turning_out_and_staying_there_is_worth_0_71_as_released() -> None:
    stays = np.maximum.accumulate(OUT_AND_BACK)
    assert scores.precision_released(pair(60 * OUT_AND_BACK, 60 * stays)) == pytest.approx(0.71, abs=0.01)


def test_the_same_from_scripts_is_within_one_frame_of_it() -> None:
    released = [
        scores.precision_released(
            by_script("yaw:left:60@2s, yaw:right:60@2s", f"yaw:left:{p}@2s, yaw:right:{p}@2s", frames)
        )
        for p in (2.1, 30)
        for frames in (81, 961)
    ]
    assert released == pytest.approx([0.530, 0.526, 0.719, 0.717], abs=5e-4)


def test_a_static_camera_is_worth_0_42_on_a_u_turn_as_published_and_nothing_soundly() -> None:
    turn = pair(np.linspace(0, 178, 81), STATIC)
    assert scores.controllability_paper(turn) == pytest.approx(0.42, abs=5e-3)
    assert scores.controllability_sound(turn) == pytest.approx(0, abs=1e-12)


def test_nine_tenths_of_a_pan_and_return_are_worth_0_505_as_published_and_0_9_soundly() -> None:
    half_sine = 70 * np.sin(np.pi * np.arange(80) / 80)  # one period, its end not repeated
    pan = pair(half_sine, 0.9 * half_sine)
    assert scores.controllability_paper(pan) == pytest.approx(0.505, abs=5e-4)
    assert scores.controllability_sound(pan) == pytest.approx(0.9)


def test_alignment_counts_30_degrees_as_whole_or_what_was_asked() -> None:
    half = pair(60 * OUT_AND_BACK, 30 * OUT_AND_BACK)
    assert scores.alignment_released(half) == pytest.approx(1)
    assert scores.alignment_sound(half) == pytest.approx(28 / 58)
    weak, wrong = (pair(60 * OUT_AND_BACK, peak * OUT_AND_BACK) for peak in (1.9, -45))
    for lost, why in ((weak, "weak_motion"), (wrong, "direction_mismatch")):
        assert scores.motion(lost) == why
        assert scores.alignment_released(lost) == scores.alignment_sound(lost) == 0


WRONG_WAY_AND_BEYOND = np.interp(np.arange(81), [0, 40, 80], [0, -60, 10])  # home again, and 10 degrees past it


def test_a_wrong_way_turn_that_overshoots_on_its_return_is_worth_nothing() -> None:
    wrong = pair(60 * OUT_AND_BACK, WRONG_WAY_AND_BEYOND)
    assert scores.motion(wrong) == "direction_mismatch"
    assert scores.alignment_sound(wrong) == scores.alignment_released(wrong) == 0


def test_gain_is_signed_by_the_peak() -> None:
    asked = 60 * OUT_AND_BACK
    assert scores.gain(pair(asked, WRONG_WAY_AND_BEYOND)) == pytest.approx(-1)
    assert scores.gain(pair(asked, -WRONG_WAY_AND_BEYOND)) == pytest.approx(1)  # the right way, past home


def test_a_request_that_goes_both_ways_has_no_wrong_side() -> None:
    both = 60 * np.sin(np.linspace(0, 2 * np.pi, 81))
    farther_back = np.where(both < 0, 1.2, 0.8) * both
    assert scores.gain(pair(both, farther_back)) == pytest.approx(0.8)
    for share, gain in ((0.52, 0.52), (0.48, -1)):  # as far as half is both ways, less is one way and a swing past home
        uneven = np.where(both < 0, share, 1.0) * both
        assert scores.gain(pair(uneven, -uneven)) == pytest.approx(gain)


def test_a_hold_is_lost_at_5_degrees_or_10_centimetres() -> None:
    assert scores.static_hold(pair(STATIC, 2 * OUT_AND_BACK)) == pytest.approx(0.6)
    assert scores.static_hold(pair(STATIC, 6 * OUT_AND_BACK)) == 0
    moved = np.tile(np.eye(4), (81, 1, 1))
    moved[:, 0, 3] = 0.04 * OUT_AND_BACK
    still = np.tile(np.eye(4), (81, 1, 1))
    assert scores.static_hold(pair(still, moved)) == pytest.approx(0.6)
    assert scores.precision_released(pair(still, moved)) == 1.0
    moved[:, 0, 3] *= 2
    assert scores.precision_released(pair(still, moved)) == 0.0
    assert scores.precision_released(pair(STATIC, 2.5 * OUT_AND_BACK)) == 0.0


# ---------------------------------------------------------------- laws

few = settings(max_examples=25)  # each example scores several paths

peaks = st.floats(5, 175)
shares = st.floats(0.05, 1)
SOUND = [scores.precision_sound, scores.alignment_sound, scores.controllability_sound, scores.gain]


@few
@given(peaks, st.sampled_from([yaw_matrix, pitch_matrix, roll_matrix]), st.sampled_from([1, -1]))
def test_static_is_0_and_exact_is_1_about_any_axis(peak: float, about: Any, way: int) -> None:
    asked = np.array([about(way * peak * share) for share in OUT_AND_BACK])
    for score in SOUND:
        assert score(pair(asked, asked)) == pytest.approx(1, abs=1e-9)
        assert score(pair(asked, np.tile(np.eye(3), (81, 1, 1)))) == pytest.approx(0, abs=1e-9)


@few
@given(peaks, shares, shares)
def test_sound_scores_grow_up_to_the_asked_turn(peak: float, a: float, b: float) -> None:
    less, more = sorted((a, b))
    for score in SOUND:
        low, high = (score(pair(peak * OUT_AND_BACK, s * peak * OUT_AND_BACK)) for s in (less, more))
        assert low <= high + 1e-9  # type: ignore[operator]


@few
@given(st.floats(5, 85), shares)
def test_too_far_costs_as_much_as_too_little(peak: float, share: float) -> None:
    for score in (scores.precision_sound, scores.controllability_sound):
        much, little = (score(pair(peak * OUT_AND_BACK, s * peak * OUT_AND_BACK)) for s in (1 + share, 1 - share))
        if (1 - share) * peak >= 2:  # less is no motion
            assert much == pytest.approx(little, abs=1e-9)


@few
@given(st.floats(5, 360), st.floats(0.1, 1))
def test_the_other_way_is_worth_nothing_even_round_a_circle(peak: float, share: float) -> None:
    wrong = pair(peak * np.linspace(0, 1, 81), -share * peak * np.linspace(0, 1, 81))
    for score in (scores.precision_sound, scores.alignment_sound):
        assert score(wrong) == pytest.approx(0, abs=1e-9)
    assert scores.gain(wrong) == pytest.approx(-share)


@few
@given(st.integers(20, 200), st.floats(10, 170))
def test_the_number_of_frames_does_not_matter(frames: int, peak: float) -> None:
    asked = peak * OUT_AND_BACK
    got = camera_path(yaws(np.interp(np.linspace(0, 80, frames), np.arange(81), asked)), "got")
    made = paired(camera_path(yaws(asked), "asked"), got)
    for score in SOUND:
        assert score(made) == pytest.approx(1, abs=0.06)  # a corner may fall between two of 20 frames


@few
@given(st.floats(-180, 180), st.floats(-80, 80), st.floats(0, 1))
def test_resampling_goes_straight_from_one_view_to_the_next(yaw: float, pitch: float, share: float) -> None:
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[1, :3, :3] = yaw_matrix(yaw) @ pitch_matrix(pitch)
    poses[1, :3, 3] = 1, 2, 3
    read = resampled_poses(poses, np.array([0.0, 2.0]), np.array([-1, 2 * share, 3]))
    assert np.allclose(read[[0, 2]], poses, atol=1e-9)
    assert turn_deg(read[1]) == pytest.approx(float(share * turn_deg(poses[1])), abs=1e-4)
    assert np.allclose(read[1, :3, 3], share * poses[1, :3, 3])


@few
@given(st.floats(-180, 180), st.floats(-60, 60))
def test_where_the_first_camera_stands_does_not_matter(yaw: float, pitch: float) -> None:
    asked = poses_at("dolly:forward:1+yaw:left:60@2s, yaw:right:60@2s", np.linspace(0, 4, 41))
    got = poses_at("dolly:forward:2+yaw:left:40@2s, yaw:right:40@2s", np.linspace(0, 4, 41))
    elsewhere = np.eye(4)
    elsewhere[:3, :3], elsewhere[:3, 3] = yaw_matrix(yaw) @ pitch_matrix(pitch), (3, -2, 1)
    for variants in scores.SCORES.values():
        for score in variants.values():
            here, there = score(pair(asked, got)), score(pair(asked, elsewhere @ got))
            assert here == there or there == pytest.approx(here, abs=1e-6)


# ---------------------------------------------------------------- what only one of them tells


def test_gain_return_error_and_drift_tell_apart_what_went_wrong() -> None:
    asked = 60 * OUT_AND_BACK
    little, stays = pair(asked, asked / 2), pair(asked, np.maximum.accumulate(asked))
    rolls = np.array([yaw_matrix(y) @ roll_matrix(10 * t) for y, t in zip(asked, OUT_AND_BACK, strict=True)])
    expected = {"little": (0.5, 0, 0), "stays": (1, 60, 0), "far": (1.5, 0, 0)}
    for name, made in (("little", little), ("stays", stays), ("far", pair(asked, 1.5 * asked))):
        found = scores.gain(made), scores.return_error(made), scores.drift(made)
        assert found == pytest.approx(expected[name], abs=1e-6), name
    assert scores.drift(pair(asked, rolls)) == pytest.approx(10 / np.sqrt(3), abs=0.5)
    assert scores.gain(pair(asked, rolls)) == pytest.approx(1, abs=0.02)


def test_a_circle_is_a_whole_turn_and_comes_back() -> None:
    circle = np.linspace(0, 360, 81)
    assert scores.gain(pair(circle, circle)) == pytest.approx(1)
    assert scores.gain(pair(circle, circle / 2)) == pytest.approx(0.5)
    assert scores.return_error(pair(circle, circle / 2)) == pytest.approx(180)


def test_a_turn_to_both_sides_is_as_asked_though_its_peak_trembles() -> None:
    both = 60 * np.sin(np.linspace(0, 2 * np.pi, 81))
    trembling = both + np.random.default_rng(1).normal(0, 0.2, 81)
    made = pair(both, trembling)
    for score in SOUND:
        assert score(made) == pytest.approx(1, abs=0.02)


def test_jerk_is_that_of_the_made_turn_beyond_the_asked_one() -> None:
    rng = np.random.default_rng(0)
    asked = 60 * OUT_AND_BACK
    smooth, shaky = scores.jerk(pair(asked, asked)), scores.jerk(pair(asked, asked + rng.normal(0, 0.5, 81)))
    assert smooth == pytest.approx(0, abs=1e-6)
    assert isinstance(shaky, float)
    assert shaky > 500
    swings = 60 * np.sin(np.linspace(0, 4 * np.pi, 81))
    assert scores.jerk(pair(swings, swings)) == pytest.approx(0, abs=1e-6)  # uneven, but as asked
    late = np.interp(SECONDS - 0.2, SECONDS, asked)
    assert scores.jerk(pair(asked, late)) == pytest.approx(0, abs=1e-6)  # late, but even
    assert isinstance(scores.jerk(paired(camera_path(yaws(asked), "a"), camera_path(yaws(asked), "b"))), Abstain)


@pytest.mark.parametrize(("peak", "flag"), [(0, 1), (2.1, 1), (5.9, 1), (6.1, 0), (60, 0), (-30, 0)])
def test_an_inactive_camera_makes_less_than_a_tenth_of_the_turn(peak: float, flag: float) -> None:
    assert scores.inactivity(pair(60 * OUT_AND_BACK, peak * OUT_AND_BACK)) == flag


def test_what_is_not_asked_is_not_scored() -> None:
    turn, hold = pair(60 * OUT_AND_BACK, STATIC), pair(STATIC, STATIC)
    assert isinstance(scores.static_hold(turn), NotApplicable)
    assert "static_hold" in scores.precision_sound(hold).reason  # type: ignore[union-attr]
    for score in (*SOUND[1:], scores.alignment_released, scores.return_error, scores.drift, scores.jerk):
        assert isinstance(score(hold), NotApplicable)
    assert isinstance(scores.return_error(pair(np.linspace(0, 90, 81), STATIC)), NotApplicable)
    assert isinstance(scores.inactivity(hold), NotApplicable)


def test_travel_counts_in_its_direction_whatever_its_scale() -> None:
    forward, twice, back = (
        by_script("dolly:forward:1@4s", script)
        for script in ("dolly:forward:1@4s", "dolly:forward:2@4s", "dolly:back:1@4s")
    )
    assert scores.precision_sound(forward) == scores.precision_sound(twice) == pytest.approx(1)
    assert scores.precision_sound(back) == pytest.approx(0)
    assert scores.precision_released(back) == pytest.approx(np.exp(-1), abs=1e-6)
    assert scores.inactivity(by_script("dolly:forward:1@4s", "hold@4s")) == 1
    turns_only = paired(camera_path(forward.asked, "a"), camera_path(forward.asked[:, :3, :3], "b"))
    assert isinstance(scores.precision_sound(turns_only), Abstain)


def test_a_clip_that_ends_early_is_held_and_one_without_seconds_is_stretched() -> None:
    asked = 60 * OUT_AND_BACK
    early = camera_path(yaws(asked[:40]), "b", SECONDS[:40])
    assert scores.return_error(paired(camera_path(yaws(asked), "a", SECONDS), early)) == pytest.approx(60)
    slow = camera_path(yaws(asked), "b")
    for made in (
        paired(camera_path(yaws(asked), "a", SECONDS), slow),
        paired(slow, camera_path(yaws(asked), "a", SECONDS)),
    ):
        assert scores.precision_sound(made) == pytest.approx(1)


# ---------------------------------------------------------------- what is no path

GOOD = np.tile(np.eye(4), (5, 1, 1))


def changed(place: tuple[int, ...], value: float) -> np.ndarray:
    poses = GOOD.copy()
    poses[place] = value
    return poses


@pytest.mark.parametrize(
    ("poses", "complaint"),
    [
        (GOOD[0], r"poses are \(N, 4, 4\).*not \(4, 4\)"),
        (GOOD[:0], "holds no pose"),
        (GOOD[:, :2], r"not \(5, 2, 4\)"),
        (changed((3, 0, 0), np.nan), "frame 3 holds NaN"),
        (changed((2, 1, 3), np.inf), "frame 2 holds NaN or infinity"),
        (2 * GOOD, "frame 0 holds no rotation"),
        (changed((4, 0, 0), -1), "frame 4 holds no rotation"),  # a mirror
        (changed((1, 3, 0), 0.5), "frame 1 has a last row"),
        (GOOD.astype(complex), "other than real numbers"),
        (np.array(["a", "b"]), "other than real numbers"),
        ([[1, 2], [3]], "no regular array"),
    ],
)
def test_what_is_no_path_is_told_where(poses: Any, complaint: str) -> None:
    with pytest.raises(UsageError, match=f"^here: .*{complaint}"):
        camera_path(poses, "here")


@pytest.mark.parametrize("seconds", [[0, 1], [0, 1, 2, 2, 3], [0, 1, np.nan, 3, 4], [4, 3, 2, 1, 0]])
def test_seconds_that_do_not_grow_are_refused(seconds: list[float]) -> None:
    with pytest.raises(UsageError, match=r"^here: seconds"):
        camera_path(GOOD, "here", seconds)


def test_a_single_asked_pose_is_no_motion_and_a_single_got_one_is_static() -> None:
    with pytest.raises(UsageError, match="single pose"):
        paired(camera_path(GOOD[:1], "a"), camera_path(GOOD, "b"))
    lone = paired(camera_path(yaws(60 * OUT_AND_BACK), "a"), camera_path(GOOD[:1, :3, :3], "b"))
    assert scores.precision_sound(lone) == 0


def test_the_end_over_the_peak_needs_a_turn_and_no_request() -> None:
    late = 50 * OUT_AND_BACK + 10 * np.linspace(0, 1, 81)
    assert scores.end_over_peak(pair(STATIC, late)) == pytest.approx(10 / late.max())
    assert isinstance(scores.end_over_peak(pair(60 * OUT_AND_BACK, 4.9 * OUT_AND_BACK)), Abstain)
