"""Real generated clips of a peer benchmark: they decode, and the camera is read with the right sign."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway.observers import Look
from lookaway.observers.view import view
from lookaway.records import Subject
from lookaway.video import SharedFrames, indices_at_rate, probe
from tests.builders import task

pytestmark = pytest.mark.peers

CLIPS = {  # name: sign of the first turn; left is negative
    "case_a_yaw_lr": -1,
    "case_a_yaw_rl": +1,
    "cat_drag_wan22_5b_yaw_rl60": +1,
    "cat_expected_inspatio_yaw_rl60": +1,
}


@pytest.mark.parametrize("name", [*CLIPS, "case_b_inspatio"])
def test_a_real_clip_decodes_whole_and_is_sampled_by_the_rule(name: str, peer_data: Path) -> None:
    path = peer_data / "wrbench" / "videos" / f"{name}.mp4"
    info = probe(path)
    with SharedFrames.load(path) as frames:
        assert len(frames) == info.frames > 40
        chosen = indices_at_rate(len(frames), info.fps)
    assert chosen[0] == 0
    assert chosen[-1] == info.frames - 1
    assert len(chosen) <= 24


@pytest.mark.parametrize("name", list(CLIPS))
def test_the_camera_turns_the_way_it_was_asked(name: str, peer_data: Path) -> None:
    """ "L to R" looks left first; amplitudes are not graded, because the clips' field of view is unknown."""
    with SharedFrames.load(peer_data / "wrbench" / "videos" / f"{name}.mp4") as frames:
        subject = Subject(name="the subject", box=(0.1, 0.3, 0.4, 0.9), side="left")
        seen = view(Look(frames, task(subjects=(subject,)), frames.rgb[0], None))
    forward = seen.rotation[:, :, 2]
    yaw = np.rad2deg(np.arctan2(forward[:, 0], forward[:, 2]))[seen.trusted]
    peak = yaw[np.abs(yaw).argmax()]
    assert abs(peak) > 10
    assert np.sign(peak) == CLIPS[name]
