"""Laws that every camera path keeps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.errors import UsageError
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.script import duration, poses_at, trajectory, yaw_at
from lookaway.geometry.trajectory import Floats

OTHER = {"left": "right", "up": "down", "forward": "back"}
sizes = {"yaw": "left", "pitch": "up", "roll": "left", "dolly": "forward", "truck": "left", "crane": "up"}
lasting = st.floats(0.1, 3).map(lambda seconds: f"@{seconds!r}s")
easing = st.sampled_from(["", "~smooth", "~slow-start", "~slow-end"])
straight = st.dictionaries(st.sampled_from(sorted(sizes)), st.floats(0.01, 90), min_size=1, max_size=3)
moves = st.one_of(
    straight.map(lambda found: "+".join(f"{verb}:{sizes[verb]}:{size!r}" for verb, size in found.items())),
    st.floats(1, 400).map(lambda degrees: f"orbit:left:{degrees!r}:1.5"),
    st.tuples(*[st.floats(-9, 9)] * 2).map(lambda point: f"look-at:{point[0]!r}:{point[1]!r}:-200"),
)
scripts = st.lists(st.builds("{}{}{}".format, moves, lasting, easing), min_size=1, max_size=4).map(", ".join)
tilts = st.floats(-30, 30)


def forwards(poses: Floats) -> Floats:
    return poses[:, :3, 2]


@given(scripts, tilts)
def test_every_pose_is_a_rotation_and_the_first_is_home(script: str, tilt: float) -> None:
    poses = poses_at(script, np.linspace(0, 8, 33), tilt)
    rotations = poses[:, :3, :3]
    assert np.abs(rotations @ rotations.transpose(0, 2, 1) - np.eye(3)).max() < 1e-12
    assert np.abs(np.linalg.det(rotations) - 1).max() < 1e-12
    assert np.abs(poses[0] - np.eye(4)).max() < 1e-12
    assert (poses[:, 3] == [0, 0, 0, 1]).all()


@given(st.sampled_from(["yaw:left", "pitch:up", "roll:left", "dolly:forward", "crane:up", "orbit:left"]), tilts, easing)
def test_out_and_back_comes_home(out: str, tilt: float, easing: str) -> None:
    verb, way = out.split(":")
    script = f"{out}:77.7@1.3s{easing}, hold@0.4s, {verb}:{OTHER[way]}:77.7@0.7s{easing}"
    assert np.abs(poses_at(script, np.array([2.4, 9.0]), tilt) - np.eye(4)).max() < 1e-9


@given(st.floats(-60, 60), st.floats(0.1, 5), tilts)
def test_a_camera_that_walks_and_turns_at_once_retraces_its_way(degrees: float, metres: float, tilt: float) -> None:
    yaw = ("yaw:left", "yaw:right") if degrees > 0 else ("yaw:right", "yaw:left")
    size = max(abs(degrees), 1)
    script = f"dolly:forward:{metres}+{yaw[0]}:{size}@1s, dolly:back:{metres}+{yaw[1]}:{size}@2s"
    assert np.abs(poses_at(script, np.array([3.0]), tilt)[0] - np.eye(4)).max() < 1e-9


@given(st.integers(1, 5), st.floats(20, 60), tilts, st.floats(7, 60))
def test_the_speed_is_constant_across_seams(pieces: int, speed: float, tilt: float, fps: float) -> None:
    """However a turn, a shift or a circle is cut into moves, no pose comes twice and no step is longer."""
    for piece in (f"yaw:left:{speed}@1s", f"dolly:forward:{speed}@1s", f"orbit:right:{speed}:2@1s"):
        poses = poses_at(", ".join([piece] * pieces), np.arange(int(pieces * fps) + 1) / fps, tilt)
        walked = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
        turned = np.linalg.norm(np.diff(poses[:, :3, :3], axis=0), axis=(1, 2))
        assert np.ptp(walked) < 1e-9
        assert np.ptp(turned) < 1e-9
        assert (walked + turned > 0).all()


def test_angles_are_never_wrapped() -> None:
    path = trajectory("yaw:right:540@3s", 49, 16, (320, 180), 60)
    assert path.yaw_deg()[-1] == pytest.approx(540)
    assert yaw_at("yaw:right:540@3s, orbit:left:360@2s", np.array([3.0, 5.0])) == pytest.approx([540, 900])


def test_shifts_are_in_the_cameras_own_axes() -> None:
    """OpenCV: x right, y down, z forward."""
    turned = "yaw:left:90@1s, "
    ends = {
        "dolly:forward:2@1s": [0, 0, 2],
        "truck:right:2@1s": [2, 0, 0],
        "crane:up:2@1s": [0, -2, 0],
        turned + "dolly:forward:2@1s": [-2, 0, 0],
        turned + "truck:right:2@1s": [0, 0, 2],
    }
    for script, place in ends.items():
        assert poses_at(script, np.array([2.0]))[0, :3, 3] == pytest.approx(place, abs=1e-12)


@given(st.floats(1, 400), st.floats(0.2, 20), tilts, easing)
def test_an_orbit_keeps_its_distance_and_its_middle_in_the_middle(
    degrees: float, radius: float, tilt: float, easing: str
) -> None:
    poses = poses_at(f"orbit:left:{degrees!r}:{radius!r}@2s{easing}", np.linspace(0, 2, 21), tilt)
    to_centre = np.array([0, 0, radius]) - poses[:, :3, 3]
    assert np.abs(to_centre - radius * forwards(poses)).max() < 1e-9 * max(1, radius)


def test_an_orbit_to_the_left_travels_left() -> None:
    pose = poses_at("orbit:left:90:2@1s", np.array([1.0]))[0]
    assert pose[:3, 3] == pytest.approx([-2, 0, 2], abs=1e-12)
    assert pose[:3, 2] == pytest.approx([1, 0, 0], abs=1e-12)


point = st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(5, 9))


@given(point, tilts, st.sampled_from(["hold", "truck:left:2", "yaw:left:200", "orbit:right:50", "pitch:up:30"]))
def test_look_at_ends_with_the_point_in_the_middle(point: tuple[float, float, float], tilt: float, before: str) -> None:
    right, up, forward = point
    start, end = poses_at(f"{before}@1s, look-at:{right!r}:{up!r}:{forward!r}@1s", np.array([1.0, 2.0]), tilt)
    away = np.array([right, -up, forward]) - end[:3, 3]
    assert np.abs(away / np.linalg.norm(away) - end[:3, 2]).max() < 1e-9
    assert np.array_equal(start[:3, 3], end[:3, 3])


def test_look_at_turns_the_short_way() -> None:
    aside = np.rad2deg(np.arctan2(1, 3))
    assert yaw_at("look-at:-1:0:3@1s", np.array([1.0])) == pytest.approx([-aside])
    assert yaw_at("yaw:right:170@1s, look-at:-1:0:-3@1s", np.array([2.0])) == pytest.approx([180 + aside])


def test_looking_straight_up_needs_no_yaw_and_looking_at_oneself_is_refused() -> None:
    assert poses_at("look-at:0:5:0@1s", np.array([1.0]))[0, :3, 2] == pytest.approx([0, -1, 0], abs=1e-12)
    with pytest.raises(UsageError, match=r"character 22 .* the camera already is where"):
        poses_at("dolly:forward:2@1s,  look-at:0:0:2@1s", np.array([1.0]))


@given(scripts.filter(lambda script: "look-at" not in script), tilts)
def test_easing_changes_when_and_never_where(script: str, tilt: float) -> None:
    eased = ", ".join(f"{move.partition('~')[0]}~smooth" for move in script.split(", "))
    steady = ", ".join(move.partition("~")[0] for move in script.split(", "))
    seams = np.cumsum([float(move.partition("@")[2][:-1]) for move in steady.split(", ")])
    assert np.abs(poses_at(eased, seams, tilt) - poses_at(steady, seams, tilt)).max() < 1e-9


def test_half_a_sine_out_and_back() -> None:
    seconds = np.linspace(0, 5, 81)
    yaw = yaw_at("yaw:right:70@2.5s~slow-end, yaw:right:1@1s", seconds[seconds < 2.5])
    assert yaw == pytest.approx(70 * np.sin(np.pi * seconds[seconds < 2.5] / 5))
    both = yaw_at("yaw:right:70@2.5s~slow-end, yaw:left:70@2.5s~slow-start", seconds)
    assert both == pytest.approx(70 * np.sin(np.pi * seconds / 5), abs=1e-9)


def test_a_smooth_turn_starts_and_ends_at_rest_and_is_fastest_half_way() -> None:
    steps = np.diff(yaw_at("yaw:right:60@1s~smooth", np.linspace(0, 1, 101)))
    assert steps[[0, -1]].max() < 0.02
    assert np.argmax(steps) in (49, 50)
    assert steps.min() > 0


@given(scripts)
def test_the_camera_stays_where_the_script_ends(script: str) -> None:
    end = duration(script)
    poses = poses_at(script, np.array([end, end + 5]))
    assert turn_deg(poses[0], poses[1]) < 1e-5  # an arc cosine near 1 tells no smaller angle
    assert np.abs(poses[0] - poses[1]).max() < 1e-9
