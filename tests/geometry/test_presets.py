"""Named camera paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.errors import UsageError
from lookaway.geometry import presets
from lookaway.geometry.script import duration, in_seconds, parse, poses_at, yaw_at

WRITTEN = {
    "static": "preset:static@5s",
    "yaw-lr": "preset:yaw-lr:60@5s",
    "yaw-rl": "preset:yaw-rl:60@5s",
    "tilt": "preset:tilt:40@5s",
    "u-turn": "preset:u-turn@5s",
    "head-turn": "preset:head-turn:70@5s",
    "forward": "preset:forward:0.8@5s",
    "vertical": "preset:vertical:0.6@5s",
    "arc": "preset:arc:45:1.5@5s",
    "steps": "preset:steps:3:right-30:left-30@5s",
}


def test_every_preset_is_tried() -> None:
    assert sorted(WRITTEN) == sorted(presets.PRESETS)


@pytest.mark.parametrize("script", WRITTEN.values())
def test_a_preset_lasts_as_asked_and_comes_home(script: str) -> None:
    assert duration(script) == pytest.approx(5)
    assert np.abs(poses_at(script, np.array([0.0, 5.0])) - np.eye(4)).max() < 1e-9


@given(st.floats(1, 180), st.floats(0.5, 20))
def test_left_to_right_looks_left_first(peak: float, seconds: float) -> None:
    moments = np.array([0, seconds / 2, seconds])
    assert yaw_at(presets.script("yaw-lr", seconds=seconds, peak_deg=peak), moments) == pytest.approx([0, -peak, 0])
    assert yaw_at(presets.script("yaw-rl", seconds=seconds, peak_deg=peak), moments) == pytest.approx([0, peak, 0])


def test_text_and_function_say_the_same() -> None:
    assert in_seconds("preset:yaw-lr:60@5s", 24) == presets.script("yaw-lr", peak_deg=60, seconds=5)
    assert in_seconds("preset:arc:45@5s", 24) == presets.script("arc", 5, 45)
    assert presets.script("yaw-lr", 5, 60) == "yaw:left:60@2.5s, yaw:right:60@2.5s"


def test_a_preset_may_last_frames_be_eased_and_stand_among_other_moves() -> None:
    script = "hold@8, preset:yaw-lr:60@81~smooth, hold@0.5s"
    assert in_seconds(script, 16) == "hold@0.5s, yaw:left:60@2.53125s~smooth, yaw:right:60@2.53125s~smooth, hold@0.5s"
    assert in_seconds("preset:static@5s~smooth", 16) == "hold@5s"


def test_published_steps_are_read_and_each_takes_equal_time() -> None:
    published = presets.script("steps", 6, 3, "right-30 steps, left-60 steps")
    assert [(m.yaw_deg, m.seconds) for m in parse(published)] == [(90, 2), (-180, 4)]
    assert published == presets.script("steps", 6, 3, "right-30", "left-60")


def test_a_preset_tells_what_it_takes() -> None:
    with pytest.raises(UsageError, match="preset:arc:PEAK_DEG:RADIUS_M@SECONDSs"):
        presets.script("arc", 5, peak=60)
