"""Whatever the container, the same frames come back in the same order at the same seconds."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from video_clips import index_seen, numbered, write

from lookaway.video import SharedFrames, decode, decode_some, probe

FORMATS = {
    "clip.mp4": ("libx264", "yuv420p"),
    "clip.mov": ("libx264", "yuv420p"),
    "clip.mkv": ("libx264", "yuv420p"),
    "hevc.mp4": ("libx265", "yuv420p"),
    "vp8.webm": ("libvpx", "yuv420p"),
    "vp9.webm": ("libvpx-vp9", "yuv420p"),
    "clip.gif": ("gif", "gray"),
    "mjpeg.avi": ("mjpeg", "yuvj420p"),
    "reordered.avi": ("libx264", "yuv420p"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_every_container_gives_back_its_frames(name: str, tmp_path: Path) -> None:
    codec, pix_fmt = FORMATS[name]
    quiet = {"x265-params": "log-level=none"} if codec == "libx265" else {}
    path = write(tmp_path / name, [numbered(i) for i in range(25)], codec, pix_fmt, **quiet)
    info = probe(path)
    frames = list(decode(path))
    assert (info.width, info.height, info.frames, info.fps) == (64, 48, 25, 24)
    assert not info.variable_rate
    assert info.seconds == pytest.approx(25 / 24, abs=0.011)
    assert [frame.index for frame in frames] == list(range(25))
    assert [index_seen(frame.rgb) for frame in frames] == list(range(25))
    assert [frame.seconds for frame in frames] == pytest.approx([i / 24 for i in range(25)], abs=0.006)
    for frame in decode_some(path, [24, 3, 3, 0]):
        np.testing.assert_array_equal(frame.rgb, frames[frame.index].rgb)
        assert frame.seconds == frames[frame.index].seconds


def test_a_folder_is_read_in_natural_order_at_its_own_rate(tmp_path: Path) -> None:
    for index in range(12):
        suffix = "png" if index % 2 else "jpg"
        Image.fromarray(numbered(index)).save(tmp_path / f"frame_{index}.{suffix}")
    (tmp_path / "notes.md").write_text("not a frame")
    assert probe(tmp_path).rate_assumed
    assert probe(tmp_path).fps == 24
    assert not probe(tmp_path, folder_fps=8).rate_assumed
    assert [frame.seconds for frame in decode(tmp_path, folder_fps=8)][-1] == 11 / 8
    (tmp_path / "fps.txt").write_text("12.5\n")
    info = probe(tmp_path, folder_fps=8)
    assert (info.frames, info.fps, info.seconds, info.codec) == (12, 12.5, 12 / 12.5, "jpg+png")
    assert [index_seen(frame.rgb) for frame in decode(tmp_path)] == list(range(12))
    assert [frame.index for frame in decode_some(tmp_path, [10, 2])] == [10, 2]
    with SharedFrames.load(tmp_path, long_side=32) as shared:
        assert shared.rgb.shape == (12, 24, 32, 3)
        assert shared.index_at(0.81) == 10


def test_transparent_pixels_turn_black(tmp_path: Path) -> None:
    clear = np.full((8, 8, 4), 200, np.uint8)
    clear[:4, :, 3], clear[4:, :, 3] = 0, 255
    Image.fromarray(clear).save(tmp_path / "0.png")
    Image.fromarray(clear).save(tmp_path / "clip.gif", save_all=True, append_images=[Image.fromarray(clear)])
    for path in (tmp_path, tmp_path / "clip.gif"):
        rgb = next(decode(path)).rgb
        assert (rgb[:4] == 0).all()
        assert (np.abs(rgb[4:].astype(int) - 200) < 8).all()


def test_one_frame_is_a_video(tmp_path: Path) -> None:
    for name, codec, pix_fmt in (("one.mp4", "libx264", "yuv420p"), ("one.gif", "gif", "gray")):
        path = write(tmp_path / name, [numbered(3)], codec, pix_fmt)
        info = probe(path)
        assert (info.frames, info.variable_rate) == (1, False)
        assert info.seconds > 0
        assert info.fps > 0
        assert [index_seen(frame.rgb) for frame in decode(path)] == [3]


def test_a_rotated_phone_clip_stands_upright(tmp_path: Path) -> None:
    top_left_white = np.zeros((48, 64, 3), np.uint8)
    top_left_white[:24, :32] = 255
    path = write(tmp_path / "phone.mp4", [top_left_white] * 3, rotation=90)
    rgb = next(decode(path)).rgb
    assert (probe(path).width, probe(path).height) == (48, 64)
    assert rgb.shape == (64, 48, 3)
    bottom_left = rgb[32:, :24].mean()
    assert bottom_left > 250
    assert rgb.mean() < 80


def test_the_longer_side_is_bounded_and_never_grows(tmp_path: Path) -> None:
    path = write(tmp_path / "wide.mp4", [numbered(5, 320, 180)])
    assert next(decode(path, long_side=64)).rgb.shape == (36, 64, 3)
    assert next(decode(path, long_side=1000)).rgb.shape == (180, 320, 3)
    assert index_seen(next(decode(path, long_side=64)).rgb) == 5


def test_an_odd_sized_clip_keeps_its_size(tmp_path: Path) -> None:
    path = write(tmp_path / "odd.mp4", [numbered(4, 65, 47)] * 3, pix_fmt="yuv444p")
    assert next(decode(path)).rgb.shape == (47, 65, 3)


def test_a_name_that_looks_like_an_address_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "plain.mp4", [numbered(1)] * 2, rate=Fraction(12)).rename(tmp_path / "http:clip.mp4")
    monkeypatch.chdir(tmp_path)
    assert probe(Path("http:clip.mp4")).fps == 12
