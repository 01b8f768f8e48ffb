"""What we write plays in browsers, looks like what was given, and is the same every time."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from video_clips import numbered, textured

from lookaway.video import decode, encode, probe

COLOURS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (200, 30, 90), (128, 128, 128), (255, 255, 255), (0, 0, 0)]


def test_flat_colours_survive(tmp_path: Path) -> None:
    path = tmp_path / "colours.mp4"
    encode([np.full((64, 96, 3), colour, np.uint8) for colour in COLOURS], path, 24)
    for frame, colour in zip(decode(path), COLOURS, strict=True):
        assert np.abs(frame.rgb.astype(int) - colour).max() <= 3


def test_the_file_says_how_to_read_its_colours(tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    encode(textured(3), path, 24)
    with av.open(str(path)) as container:
        frame = next(container.decode(video=0))
    bt709, limited = 1, 1
    assert (frame.colorspace, frame.color_range, frame.format.name) == (bt709, limited, "yuv420p")


def test_the_same_frames_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.mp4", "b.mp4"):
        encode(textured(12, 640, 480), tmp_path / name, 24)
    data = (tmp_path / "a.mp4").read_bytes()
    assert data == (tmp_path / "b.mp4").read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")
    assert b" threads=1 " in data


def test_a_lower_crf_is_closer(tmp_path: Path) -> None:
    errors = []
    for crf in (10, 40):
        encode(textured(5), tmp_path / "clip.mp4", 24, crf=crf)
        decoded = [frame.rgb.astype(int) for frame in decode(tmp_path / "clip.mp4")]
        errors.append(np.abs(np.array(decoded) - np.array(textured(5))).mean())
    assert errors[0] < errors[1] / 2


def test_an_odd_size_grows_by_a_replicated_edge(tmp_path: Path) -> None:
    path = tmp_path / "odd.mp4"
    picture = numbered(3, 33, 21)
    picture[:, -1] = 220
    encode([picture] * 3, path, 24)
    rgb = next(decode(path)).rgb
    assert rgb.shape == (22, 34, 3)
    assert np.abs(rgb[:, 33].astype(int) - 220).max() < 12


def test_an_interrupted_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    encode(textured(3), path, 24)
    before = path.read_bytes()

    def interrupted():  # type: ignore[no-untyped-def]
        yield from textured(3) * 30
        raise RuntimeError("the generator died")

    with pytest.raises(RuntimeError, match="the generator died"):
        encode(interrupted(), path, 24)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_webm_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "clip.webm"
    encode(textured(6), path, 24, crf=30, codec="libvpx-vp9")
    assert (probe(path).codec, probe(path).frames) == ("vp9", 6)
