"""Pictures are shown the way the file asks players for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from video_clips import write

from lookaway.video import SharedFrames, decode, decode_some, probe

ONE = 1 << 16
# [a, b, c, d]: a point (x, y) is shown at (a x + c y, b x + d y). Beside it, the same with numpy.
WAYS = {
    "as stored": ([1, 0, 0, 1], lambda picture: picture),
    "quarter clockwise": ([0, 1, -1, 0], lambda picture: np.rot90(picture, -1)),
    "half": ([-1, 0, 0, -1], lambda picture: np.rot90(picture, 2)),
    "quarter counterclockwise": ([0, -1, 1, 0], lambda picture: np.rot90(picture, 1)),
    "mirrored": ([-1, 0, 0, 1], np.fliplr),
    "upside down": ([1, 0, 0, -1], np.flipud),
    "transposed": ([0, 1, 1, 0], lambda picture: picture.swapaxes(0, 1)),
    "transposed the other way": ([0, -1, -1, 0], lambda picture: np.rot90(picture, 2).swapaxes(0, 1)),
}


def corners() -> np.ndarray:
    """Four greys, so that no two orientations look alike."""
    picture = np.zeros((48, 64, 3), np.uint8)
    picture[:24, 32:], picture[24:, :32], picture[24:, 32:] = 80, 160, 240
    return picture


def shown_by(path: Path, matrix: list[float]) -> Path:
    """The clip with this display matrix in its track header."""
    a, b, c, d = (round(ONE * value) for value in matrix)
    data = path.read_bytes()
    at = data.index(b"tkhd") + 44
    written = b"".join(value.to_bytes(4, "big", signed=True) for value in (a, b, 0, c, d, 0, 0, 0, 1 << 30))
    path.write_bytes(data[:at] + written + data[at + 36 :])
    return path


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("suffix", ["mp4", "mov"])
def test_turned_and_mirrored_clips_are_shown_as_players_show_them(name: str, suffix: str, tmp_path: Path) -> None:
    matrix, same = WAYS[name]
    path = shown_by(write(tmp_path / f"clip.{suffix}", [corners()] * 3, crf="1"), matrix)
    info, expected = probe(path), same(corners()).astype(int)
    assert (info.height, info.width) == expected.shape[:2]
    assert info.notes == ()
    with SharedFrames.load(path) as shared:
        everyone = [next(decode(path)).rgb, decode_some(path, [2])[0].rgb, shared.rgb[1]]
    for rgb in everyone:
        assert rgb.shape == expected.shape
        assert np.abs(rgb.astype(int) - expected).mean() < 6
        assert rgb.flags["C_CONTIGUOUS"]


def test_an_odd_angle_goes_to_the_nearest_quarter_with_a_note(tmp_path: Path) -> None:
    turned = np.deg2rad(70)
    matrix = [np.cos(turned), np.sin(turned), -np.sin(turned), np.cos(turned)]
    path = shown_by(write(tmp_path / "clip.mp4", [corners()] * 3), matrix)
    info = probe(path)
    assert info.notes == ("its display matrix is 20 degrees off a quarter turn; the nearest one is shown",)
    assert (info.width, info.height) == (48, 64)
    assert next(decode(path)).rgb.shape == (64, 48, 3)


def test_a_matrix_that_shows_nothing_is_passed_over_with_a_note(tmp_path: Path) -> None:
    path = shown_by(write(tmp_path / "clip.mp4", [corners()] * 3), [1, 1, 1, 1])
    assert probe(path).notes == ("its display matrix is no rotation; frames are shown as stored",)
    assert next(decode(path)).rgb.shape == (48, 64, 3)
