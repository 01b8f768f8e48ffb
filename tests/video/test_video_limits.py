"""A video larger or longer than the limits is an error before it is decoded, whatever its header says."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from video_clips import numbered, write

from lookaway import limits
from lookaway.errors import VideoError
from lookaway.video import SharedFrames, decode, decode_some, probe
from lookaway.video.source import check_extent

WAYS: dict[str, Callable[[Path], object]] = {
    "probe": probe,
    "decode": lambda path: list(decode(path)),
    "decode_some": lambda path: decode_some(path, [0]),
    "shared": SharedFrames.load,
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Callable[[Path], object]:
    return WAYS[request.param]


def test_a_picture_beyond_the_limit_is_refused_even_where_the_file_declares_a_small_one(
    way: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "clip.mp4", [numbered(i, 128, 96) for i in range(3)])
    declared, tiny = struct.pack(">HH", 128, 96), struct.pack(">HH", 32, 24)
    assert declared in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(declared, tiny))
    monkeypatch.setattr("lookaway.video.source.PICTURE_PIXELS", 128 * 96 - 1)
    with pytest.raises(VideoError, match=r"clip\.mp4: 128x96 is too large"):
        way(path)


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mpeg4.mp4", "clip.gif"])
def test_a_video_of_too_many_frames_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codec, pix_fmt = {"clip.gif": ("gif", "rgb8"), "clip.mpeg4.mp4": ("mpeg4", "yuv420p")}.get(
        name, ("libx264", "yuv420p")
    )
    path = write(tmp_path / name, [numbered(i) for i in range(6)], codec, pix_fmt)
    monkeypatch.setattr("lookaway.video.source.VIDEO_FRAMES", 5)
    for each in (probe, lambda path: list(decode(path)), SharedFrames.load):
        with pytest.raises(VideoError, match="has more than 5 frames; cut it into shorter clips"):
            each(path)


def test_a_video_whose_frames_come_to_too_much_is_refused(
    way: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "clip.mp4", [numbered(i) for i in range(6)])
    monkeypatch.setattr("lookaway.video.source.VIDEO_BYTES", 5 * 64 * 48 * 3)
    with pytest.raises(VideoError, match="its frames of 64x48 come to more than"):
        way(path)


@pytest.mark.parametrize(
    ("width", "height", "frames"),
    [(1920, 1080, 60 * 20), (1920, 1080, 60 * 300), (3840, 2160, 60 * 60), (7680, 4320, 24 * 30), (640, 360, 30 * 600)],
    ids=["memobench", "five_minutes", "a_minute_of_4k", "half_a_minute_of_8k", "ten_minutes"],
)
def test_an_honest_clip_is_within_the_limits(width: int, height: int, frames: int) -> None:
    check_extent(Path("clip.mp4"), width, height, frames)
    assert 12 * width * height * 3 <= limits.HELD_BYTES, "a judge's frames fit, too"
