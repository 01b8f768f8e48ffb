"""Seconds come from the file's timestamps, whatever the rate."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from video_clips import index_seen, numbered, stamped_in_coding_order, write

from lookaway.errors import VideoError
from lookaway.video import SharedFrames, decode, decode_some, encode, nearest_index, probe

STAMPS_MS = [0, 40, 80, 120, 500, 510, 520, 900, 1000, 1033]


@pytest.fixture(params=["vfr.mp4", "vfr.mkv"])
def uneven(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    pictures = [numbered(i) for i in range(len(STAMPS_MS))]
    return write(tmp_path / request.param, pictures, rate=Fraction(1000), stamps_ms=STAMPS_MS)


def test_an_uneven_rate_keeps_its_exact_seconds(uneven: Path) -> None:
    info, frames = probe(uneven), list(decode(uneven))
    assert info.variable_rate
    assert info.frames == len(STAMPS_MS)
    assert [frame.seconds for frame in frames] == [ms / 1000 for ms in STAMPS_MS]
    assert [index_seen(frame.rgb) for frame in frames] == list(range(len(STAMPS_MS)))
    assert 1.033 < info.seconds < 1.15
    assert info.fps == pytest.approx(info.frames / info.seconds)


def test_a_second_finds_its_frame_in_an_uneven_clip(uneven: Path) -> None:
    with SharedFrames.load(uneven) as shared:
        assert [shared.index_at(at) for at in (-1, 0.05, 0.3, 0.4, 0.506, 0.8, 99)] == [0, 1, 3, 4, 5, 7, 9]


def test_a_clip_that_starts_late_starts_at_zero(tmp_path: Path) -> None:
    late = [5000 + 50 * i for i in range(8)]
    path = write(tmp_path / "late.mkv", [numbered(i) for i in range(8)], rate=Fraction(20), stamps_ms=late)
    assert [frame.seconds for frame in decode(path)] == [i * 50 / 1000 for i in range(8)]
    assert [frame.seconds for frame in decode_some(path, [0, 7])] == [0, 0.35]
    assert (probe(path).fps, probe(path).seconds) == (20, pytest.approx(0.4))


@pytest.mark.parametrize(
    ("fps", "exact"),
    [(24, 24), (29.97, 30000 / 1001), (23.976, 24000 / 1001), (12.5, 12.5), (7.3, 7.3), (1, 1)],
)
def test_fractional_rates_survive_writing(fps: float, exact: float, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    encode([numbered(i) for i in range(30)], path, fps)
    info = probe(path)
    assert info.fps == pytest.approx(exact, rel=1e-9)
    assert info.seconds == pytest.approx(30 / exact, rel=1e-9)
    assert [frame.seconds for frame in decode(path)] == pytest.approx([i / exact for i in range(30)], abs=1e-9)


def test_frames_without_timestamps_are_placed_by_index(tmp_path: Path) -> None:
    path = write(tmp_path / "reordered.avi", [numbered(i) for i in range(20)], rate=Fraction(10))
    assert [frame.seconds for frame in decode(path)] == [i / 10 for i in range(20)]


def test_a_careless_muxer_does_not_turn_time_back(tmp_path: Path) -> None:
    path = stamped_in_coding_order(write(tmp_path / "clip.mp4", [numbered(i) for i in range(20)], bf="3"))
    with SharedFrames.load(path) as shared:
        assert shared.seconds.tolist() == [i / 24 for i in range(20)]
        assert [index_seen(frame.rgb) for frame in shared] == list(range(20))


def restamped(source: Path, target: Path, ticks: list[int]) -> Path:
    """The same packets, with timestamps that no honest muxer writes."""
    with av.open(str(source)) as old, av.open(str(target), "w") as new:
        stream = new.add_stream_from_template(old.streams.video[0])
        for place, (packet, tick) in enumerate(zip([p for p in old.demux(video=0) if p.size], ticks, strict=True)):
            packet.stream, packet.dts, packet.pts, packet.duration = stream, place, 1000 + tick, 1
            new.mux(packet)
    return target


WRONG = {
    "equal": [0, 42, 83, 83, 83, 208, 250, 292],
    "all equal": [0] * 8,
    "decreasing": [0, 42, 83, 125, 83, 42, 250, 292],
    "reversed": [292, 250, 208, 167, 125, 83, 42, 0],
}


@pytest.mark.parametrize("codec", ["mjpeg", "libvpx", "libx264"])
@pytest.mark.parametrize("kind", WRONG)
def test_timestamps_that_do_not_increase_are_replaced_and_it_is_said(kind: str, codec: str, tmp_path: Path) -> None:
    layout, calm = ("yuvj420p", {}) if codec == "mjpeg" else ("yuv420p", {"bf": "0"} if codec == "libx264" else {})
    whole = write(tmp_path / "whole.mkv", [numbered(i) for i in range(8)], codec, layout, **calm)
    path = restamped(whole, tmp_path / "wrong.mkv", WRONG[kind])
    info = probe(path)
    assert any("timestamps do not increase; frames are timed by the nominal rate of" in note for note in info.notes)
    seconds = np.array([frame.seconds for frame in decode(path)])
    assert (np.diff(seconds) > 0).all()
    assert seconds.tolist() == pytest.approx((np.arange(8) / info.fps).tolist())
    assert info.seconds == pytest.approx(8 / info.fps)
    with SharedFrames.load(path) as shared:
        assert shared.seconds.tolist() == seconds.tolist()
        assert [index_seen(frame.rgb) for frame in shared] == list(range(8))
    assert [frame.seconds for frame in decode_some(path, [7, 2])] == [seconds[7], seconds[2]]


@pytest.mark.parametrize("ticks", [1, 10**9])
def test_a_rate_that_no_video_has_is_told(ticks: int, tmp_path: Path) -> None:
    """Every frame of an mp4 lasts a 90000th of a second, or three hours."""
    path = write(tmp_path / "clip.mp4", [numbered(i) for i in range(12)], rate=Fraction(90_000), bf="0")
    data = path.read_bytes()
    at = data.index(b"stts") + 16
    path.write_bytes(data[:at] + ticks.to_bytes(4, "big") + data[at + 4 :])
    for way in (probe, SharedFrames.load, lambda path: list(decode(path))):
        with pytest.raises(VideoError, match="its timestamps or its rate are wrong; write it again at its true rate"):
            way(path)


def test_a_time_scale_of_nothing_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "clip.mp4", [numbered(i) for i in range(12)], bf="0")
    data = path.read_bytes()
    at = data.index(b"mdhd") + 16
    path.write_bytes(data[:at] + bytes(4) + data[at + 4 :])
    with pytest.raises(VideoError, match="its timestamps or its rate are wrong"):
        probe(path)


@pytest.mark.parametrize(("rate", "scale"), [(0, 1), (1, 0), (2**31, 1), (2**32 - 1, 2**32 - 1)])
def test_an_avi_without_a_sound_rate_is_told_or_timed(rate: int, scale: int, tmp_path: Path) -> None:
    path = write(tmp_path / "clip.avi", [numbered(i) for i in range(12)], "mjpeg", "yuvj420p")
    data = path.read_bytes()
    at = data.index(b"strh") + 8 + 20
    path.write_bytes(data[:at] + scale.to_bytes(4, "little") + rate.to_bytes(4, "little") + data[at + 8 :])
    with contextlib.suppress(VideoError):
        assert 0.01 <= probe(path).fps <= 1000


def test_nearest_prefers_the_earlier_on_a_tie() -> None:
    seconds = np.array([0.0, 1.0, 3.0])
    assert [nearest_index(seconds, at) for at in (0.5, 0.51, 2.0, 2.1)] == [0, 1, 1, 2]
