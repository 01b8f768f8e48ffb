"""What a file says about its colours and pixels is followed, or told."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import pytest
from av.video.frame import VideoFrame
from video_clips import index_seen, numbered, write

from lookaway.video import decode, probe

PQ, HLG, BT709, BT2020 = 16, 18, 1, 9


def tagged(path: Path, transfer: int, primaries: int, layout: str = "yuv420p10le") -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", 24, {"crf": "5"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, layout
        stream.codec_context.color_trc, stream.codec_context.color_primaries = transfer, primaries
        for index in range(5):
            frame = VideoFrame.from_ndarray(numbered(index), format="rgb24").reformat(format=layout)
            frame.color_trc, frame.color_primaries = transfer, primaries
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


@pytest.mark.parametrize("suffix", ["mp4", "mkv"])
@pytest.mark.parametrize(
    ("transfer", "primaries", "note"),
    [
        (PQ, BT2020, ("HDR transfer (PQ); colours are read as SDR",)),
        (HLG, BT2020, ("HDR transfer (HLG); colours are read as SDR",)),
        (BT709, BT2020, ("wide gamut (bt2020); colours are read as SDR",)),
        (BT709, BT709, ()),
    ],
)
def test_ten_bits_are_read_and_hdr_is_told(
    suffix: str, transfer: int, primaries: int, note: tuple[str, ...], tmp_path: Path
) -> None:
    path = tagged(tmp_path / f"clip.{suffix}", transfer, primaries)
    assert probe(path).notes == note
    assert [index_seen(frame.rgb) for frame in decode(path)] == [0, 1, 2, 3, 4]


def test_pixels_that_are_not_square_are_told(tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", 24)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.codec_context.sample_aspect_ratio = Fraction(4, 3)
        container.mux(stream.encode(VideoFrame.from_ndarray(numbered(1), format="rgb24")))
        container.mux(stream.encode(None))
    assert probe(path).notes == ("pixels are 4:3; they are read as square",)
    assert probe(write(tmp_path / "plain.mp4", [numbered(1)])).notes == ()
