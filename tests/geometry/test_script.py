"""Camera scripts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.errors import UsageError
from lookaway.geometry.script import (
    duration,
    frame_count,
    in_seconds,
    in_words,
    parse,
    poses_at,
    trajectory,
    yaw_at,
)

OUT_AND_BACK = "hold@0.5s, yaw:left:60@1s, hold@1s, yaw:right:60@1s"


def test_a_script_reads_as_moves() -> None:
    assert [(m.seconds, m.yaw_deg) for m in parse(OUT_AND_BACK)] == [(0.5, 0), (1, -60), (1, 0), (1, 60)]
    assert duration(OUT_AND_BACK) == 3.5


def test_turning_is_at_constant_speed() -> None:
    yaw = yaw_at(OUT_AND_BACK, np.linspace(0.5, 1.5, 11))
    assert np.allclose(np.diff(yaw), -6)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("hold@0.5s, zoom:in:2@1s", "character 12 .* unknown move 'zoom'"),
        ("yaw:up:20@1s", "goes left or right, not 'up'"),
        ("yaw:left:nan@1s", "'nan' is not an angle"),
        ("yaw:left:721@1s", "'721' is not an angle between 0 and 720"),
        ("dolly:forward:inf@1s", "'inf' is not a distance"),
        ("pitch:up:20+pitch:down:5@1s", "'pitch' comes twice"),
        ("yaw:left:20", "cannot read 'yaw:left:20'"),
        ("hold+yaw:left:20@1s", "cannot read"),
        ("yaw:left:20@-1s", "'-1' is not a positive number"),
        ("yaw:left:20@infs", "'inf' is not a positive number"),
        ("", "cannot read ''"),
        ("hold@1s,, hold@1s", "character 9 .* cannot read ''"),
        ("hold@1s, yaw:left:60@24", "character 10 .* '@24' counts frame intervals, which needs a frame rate"),
        ("yaw:left:60@2.5", "'2.5' is neither seconds, such as 2s, nor a whole number"),
        ("yaw:left:60@0", "'0' is neither"),
        ("yaw:left:60@2s~wobbly", "unknown easing 'wobbly'; known: steady, smooth"),
        ("yaw:left:60@2s~", "unknown easing ''"),
        ("hold@1s~smooth", "a hold has no speed to ease"),
        ("pan:up:20@1s", "a pan goes left or right, not 'up'; a pan turns the camera, truck:left"),
        ("yaw:left:20+pan:left:5deg@1s", "'pan' comes twice"),
        ("pan:left:721deg@1s", "'721' is not an angle between 0 and 720"),
        ("orbit:left@1s", "an orbit has a way, an angle"),
        ("orbit:left:nan@1s", "'nan' is not an angle"),
        ("orbit:left:60:0@1s", "'0' is not a radius"),
        ("orbit:left:60+crane:up:1@1s", "'orbit' stands alone"),
        ("look-at:1:0@1s", "look-at needs metres right, up and forward"),
        ("look-at:1:nan:3@1s", "look-at needs metres"),
        ("hold@1s, preset:yaw-lf:60@5s", "character 10 .* no camera preset named 'yaw-lf'; did you mean yaw-rl or"),
        ("preset:yaw-lr@5s", "preset 'yaw-lr': .*peak_deg.*; write preset:yaw-lr:PEAK_DEG@SECONDSs"),
        ("preset:yaw-lr:nan@5s", "character 1 .* 'nan' is not an angle"),
        ("preset:steps:3:sideways-3@5s", "cannot read the step 'sideways-3'"),
        ("preset:steps:3:left-0@5s", "'3' degrees a step"),
        ("preset:steps:3@5s", "has no steps"),
    ],
)
def test_a_wrong_script_is_told_where(script: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse(script)


@given(st.floats(1, 179), st.sampled_from(["left", "right"]), st.floats(-30, 30))
def test_poses_are_rotations_and_come_back(degrees: float, side: str, pitch: float) -> None:
    other = {"left": "right", "right": "left"}[side]
    path = trajectory(f"yaw:{side}:{degrees}@1s, yaw:{other}:{degrees}@1s", 33, 16, (320, 180), 60, pitch)
    rotations = path.camera_to_world[:, :3, :3]
    assert np.allclose(rotations @ rotations.transpose(0, 2, 1), np.eye(3), atol=1e-12)
    assert np.allclose(path.camera_to_world[[0, -1]], np.eye(4), atol=1e-9)


def test_right_is_positive_and_level_whatever_the_tilt() -> None:
    path = trajectory("yaw:right:90@1s", 2, 1, (320, 180), 60, pitch_deg=-20)
    turned = path.camera_to_world[1, :3, :3]
    assert turned[0, 2] > 0.9  # looks along the first camera's right
    gravity = np.array([0, np.cos(np.deg2rad(20)), np.sin(np.deg2rad(20))])  # as the first camera sees it
    assert abs(turned[:, 0] @ gravity) < 1e-9  # the turned camera's right stays level


def test_words_name_every_move() -> None:
    assert in_words("hold@0.5s, yaw:left:60@1s") == (
        "The camera stays still for 0.5 seconds, then turns 60 degrees to the left within 1 seconds."
    )


def test_moves_at_the_same_time_are_one_move() -> None:
    (move,) = parse("dolly:forward:0.5+yaw:left:60@1s")
    assert (move.forward_m, move.yaw_deg, move.seconds) == (0.5, -60, 1)
    assert in_words("pitch:up:30+crane:down:0.2@1s") == (
        "The camera tilts 30 degrees up and moves 0.2 metres down within 1 seconds."
    )


def test_shifts_go_along_the_axes_of_the_turned_camera() -> None:
    place = poses_at("yaw:right:90@1s, dolly:forward:2@1s, truck:right:1@1s, crane:up:0.5@1s", np.array([4.0]))[
        0, :3, 3
    ]
    assert np.allclose(place, [2, -0.5, -1], atol=1e-9)


def test_walking_while_turning_follows_a_circle() -> None:
    quarter = poses_at(f"dolly:forward:{np.pi / 2}+yaw:right:90@1s", np.array([1.0]))[0, :3, 3]
    assert np.allclose(quarter, [1, 0, 1], atol=1e-4)  # a quarter of a circle of radius 1


def test_a_tilted_camera_looks_up_and_comes_home() -> None:
    poses = poses_at("pitch:up:40@1s, pitch:down:40@1s", np.array([1.0, 2.0]), pitch_deg=-8)
    assert poses[0, 1, 2] == pytest.approx(-np.sin(np.deg2rad(40)))  # y points down
    assert np.allclose(poses[1], np.eye(4), atol=1e-12)


def test_the_path_is_the_same_at_every_frame_rate() -> None:
    script = "dolly:forward:0.7+yaw:left:50@0.9s, truck:right:0.3+pitch:up:20@0.6s"
    fast, slow = (trajectory(script, int(1.5 * fps) + 1, fps, (320, 180), 60, -8) for fps in (32, 16))
    assert np.array_equal(fast.camera_to_world[::2], slow.camera_to_world)


def test_n_frame_intervals_make_one_more_pose_and_last_n_frames() -> None:
    script = "yaw:left:60@40, hold@20, yaw:right:60@1s"
    assert frame_count(script, 20) == 40 + 20 + 20 + 1
    path = trajectory(script, frame_count(script, 20), 20, (320, 180), 60)
    assert path.yaw_deg()[[40, 60, 80]] == pytest.approx([-60, -60, 0])
    assert path.seconds[-1] == pytest.approx(duration(script, 20))


@given(st.integers(1, 60), st.floats(1, 120))
def test_a_script_in_frames_and_the_same_in_seconds_are_one_path(intervals: int, fps: float) -> None:
    frames = f"yaw:left:60@{intervals}~smooth, preset:yaw-rl:30@{intervals}"
    seconds = in_seconds(frames, fps)
    moments = np.arange(2 * intervals + 1) / fps
    assert np.array_equal(poses_at(frames, moments, fps=fps), poses_at(seconds, moments))
    assert in_seconds(seconds, 7) == seconds


def test_a_script_in_seconds_is_left_as_written() -> None:
    script = " hold@0.50s,yaw:left:60@1s , dolly:forward:1+yaw:left:3@2s~smooth"
    assert in_seconds(script, 24) == script


@pytest.mark.parametrize("fps", [0, -1, float("nan"), float("inf")])
def test_no_path_has_an_impossible_frame_rate(fps: float) -> None:
    with pytest.raises(UsageError, match="frame rate"):
        trajectory("yaw:left:60@40", 41, fps, (320, 180), 60)
    with pytest.raises(UsageError, match="frame rate"):
        in_seconds("yaw:left:60@40", fps)


@pytest.mark.parametrize("hfov", [0, 180, float("nan")])
def test_no_camera_has_an_impossible_field_of_view(hfov: float) -> None:
    with pytest.raises(UsageError, match="field of view"):
        trajectory("hold@1s", 17, 16, (320, 180), hfov)


def test_a_pan_turns_and_does_not_slide() -> None:
    assert parse("pan:left:60deg@2s") == parse("yaw:left:60@2s")


@pytest.mark.parametrize("size", ["0.5", "60", "0.5m"])
def test_a_pan_without_degrees_is_asked_whether_it_turns_or_slides(size: str) -> None:
    both = rf"character 10 .*pan:left:{size.removesuffix('m')}deg .*truck:left:{size.removesuffix('m')} "
    with pytest.raises(UsageError, match=both):
        parse(f"hold@1s, pan:left:{size}@1s")


def test_words_tell_of_circles_faces_and_gentleness() -> None:
    assert in_words("orbit:left:60:1.5@2s~smooth") == (
        "The camera circles 60 degrees to the left around the point 1.5 metres ahead, gently starting and stopping, "
        "within 2 seconds."
    )
    assert in_words("look-at:-1:0:3@1s") == (
        "The camera turns to face the point 1 metres left and 3 metres ahead of where it started within 1 seconds."
    )
    assert "moves 2 metres forward within 1 seconds, then turns to face the place where it started" in in_words(
        "dolly:forward:2@1s, look-at:0:0:0@1s"
    )


def test_only_a_hold_is_still() -> None:
    moving = ["orbit:left:60@1s", "look-at:0:0:3@1s", "yaw:left:1@1s~smooth"]
    assert [move.still for script in ["hold@1s", *moving] for move in parse(script)] == [True, False, False, False]
