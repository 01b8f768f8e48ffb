"""A script cut into pieces leads along the same path."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from lookaway.geometry.pieces import piece
from lookaway.geometry.script import duration, poses_at

FPS = 8.0


@pytest.mark.parametrize("chunk", [1, 3, 4, 7])
@pytest.mark.parametrize(
    "script",
    [
        "hold@0.5s, yaw:left:75@0.5s, hold@1s, yaw:right:75@0.5s, hold@0.5s",
        "dolly:forward:0.4+yaw:left:60@1.3s, truck:right:0.2+crane:up:0.1@0.7s, pitch:up:20+roll:left:5@1s",
        "yaw:left:90@1s~smooth, yaw:right:90@1s~slow-end, pitch:up:10@1s~slow-start",
        "orbit:left:60:1.5@2s, look-at:-1:0:3@1s",
        "yaw:left:75@12, hold@12",
    ],
)
def test_pieces_follow_each_other_along_the_path_of_the_whole(script: str, chunk: int) -> None:
    seconds = np.arange(25) / FPS
    edges = [*np.arange(0, 24, chunk) / FPS, 3.0]
    parts = [piece(script, start, end, FPS, pitch_deg=-10) for start, end in pairwise(edges)]
    assert len(parts) == -(-24 // chunk)
    for part, (start, end) in zip(parts, pairwise(edges), strict=True):
        assert duration(part) == pytest.approx(end - start, abs=1e-9)
    asked, cut = poses_at(script, seconds, -10, FPS), poses_at(", ".join(parts), seconds, -10)
    assert np.abs(asked - cut).max() < 1e-4


def test_what_is_not_cut_keeps_its_numbers_and_after_the_end_the_camera_stands() -> None:
    script = "hold@0.5s, yaw:left:61.37@0.5s"
    assert piece(script, 0.5, 1.0, FPS) == "yaw:left:61.37@0.5s"
    assert piece(script, 0.75, 2.0, FPS) == "yaw:left:30.685@0.25s, hold@1.0s"
    assert piece(script, 5.0, 6.0, FPS) == "hold@1.0s"
