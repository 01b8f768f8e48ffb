"""A clip decoded once and shared, within a stated memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from video_clips import index_seen, numbered, textured, write

from lookaway.errors import VideoError
from lookaway.video import SharedFrames, decode

linux = pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
# VmHWM starts anew with the process; ru_maxrss would carry over the memory of the test runner.
PEAK = """
import sys
from pathlib import Path
from lookaway.video import SharedFrames
with SharedFrames.load(Path(sys.argv[1]), OPTIONS) as shared:
    status = Path("/proc/self/status").read_text()
    print(*shared.rgb.shape, int(status.split("VmHWM:")[1].split()[0]) * 1024)
"""


@pytest.mark.parametrize("max_bytes", [1 << 30, 1000])
def test_shared_frames_are_the_decoded_frames(max_bytes: int, tmp_path: Path) -> None:
    path = write(tmp_path / "clip.mp4", textured(21))
    with SharedFrames.load(path, long_side=100, max_bytes=max_bytes) as shared:
        assert isinstance(shared.rgb, np.memmap) == (max_bytes == 1000)
        assert len(shared) == shared.info.frames == 21
        assert not shared.rgb.flags.writeable
        for mine, theirs in zip(shared, decode(path, long_side=100), strict=True):
            assert (mine.index, mine.seconds) == (theirs.index, theirs.seconds)
            np.testing.assert_array_equal(mine.rgb, theirs.rgb)


def test_frames_are_picked_like_a_list(tmp_path: Path) -> None:
    path = write(tmp_path / "clip.mp4", [numbered(i) for i in range(10)])
    with SharedFrames.load(path) as shared:
        assert shared[-1].index == 9
        assert [index_seen(frame.rgb) for frame in shared[2:9:3]] == [2, 5, 8]
        with pytest.raises(IndexError):
            shared[10]


def test_a_spooled_clip_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "clip.mp4", textured(9))
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spool))
    shared = SharedFrames.load(path, max_bytes=0)
    assert len(shared) == 9
    shared.close()
    assert len(shared) == 0
    assert list(spool.iterdir()) == []


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "clip.mp4", textured(9))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lookaway.video.shared.TemporaryFile", full)
    with pytest.raises(VideoError, match=r"clip.mp4: no room .*No space left.*; set TMPDIR"):
        SharedFrames.load(path, max_bytes=0)


@linux
def test_twenty_seconds_of_4k_stay_under_one_and_a_half_gigabytes(tmp_path: Path) -> None:
    shape, peak = shape_and_peak(repeated_4k(tmp_path, times=40), "long_side=640")
    assert shape == [480, 360, 640, 3]
    assert peak < 1.5e9


@linux
def test_a_clip_larger_than_its_allowance_does_not_fill_memory(tmp_path: Path) -> None:
    shape, peak = shape_and_peak(repeated_4k(tmp_path, times=3), "long_side=None, max_bytes=1 << 28")
    assert np.prod(shape) > 0.89e9
    assert peak < 0.4e9


def repeated_4k(folder: Path, times: int) -> Path:
    """Twelve 4K frames written once and their packets repeated: encoding 480 would take half a minute."""
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 256, (27, 48, 3), np.uint8).repeat(80, 0).repeat(80, 1)
    short = write(folder / "short.mp4", [np.roll(picture, 80 * i, 1) for i in range(12)], preset="ultrafast")
    path = folder / "long.mp4"
    with av.open(str(short)) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        packets = [bytes(packet) for packet in source.demux(video=0) if packet.size]
        for index, data in enumerate(packets * times):
            packet = av.Packet(data)
            packet.pts = packet.dts = index
            packet.duration, packet.time_base, packet.stream = 1, Fraction(1, 24), stream
            packet.is_keyframe = index % 12 == 0
            target.mux(packet)
    return path


def shape_and_peak(path: Path, options: str) -> tuple[list[int], int]:
    script = PEAK.replace("OPTIONS", options)
    run = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    *shape, peak = map(int, run.stdout.split())
    return shape, peak
