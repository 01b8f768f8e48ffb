"""A stranger's video may take so much memory and time and no more; then it gets a reason, and the next one its turn."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from video_clips import cut, numbered, write

from lookaway.errors import VideoError
from lookaway.limits import MB
from lookaway.video import apart, probe
from lookaway.video.apart import LimitsOfTrial, looked_through


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """No process that was started under other limits."""
    apart.stop()
    yield
    apart.stop()


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return write(tmp_path / "a.mp4", [numbered(i) for i in range(6)])


def test_it_tells_what_probing_tells(clip: Path) -> None:
    assert looked_through(clip) == probe(clip)


def test_a_folder_of_frames_has_the_rate_that_is_told(tmp_path: Path) -> None:
    from PIL import Image

    (tmp_path / "frames").mkdir()
    for index in range(3):
        Image.fromarray(numbered(index)).save(tmp_path / "frames" / f"{index}.png")
    assert looked_through(tmp_path / "frames", 8.0) == probe(tmp_path / "frames", 8.0)


def test_a_damaged_file_has_the_same_reason_as_here(clip: Path) -> None:
    cut(clip, 0.5)
    with pytest.raises(VideoError) as here:
        probe(clip)
    with pytest.raises(VideoError) as there:
        looked_through(clip)
    assert str(here.value) == str(there.value)


def test_a_bomb_takes_no_more_memory_than_it_may(clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """100 kB that unpack to 50 MB, three times."""
    bomb = write(tmp_path / "bomb.mkv", [np.zeros((4096, 4096, 3), np.uint8)] * 3, "mjpeg", "yuvj420p")
    assert bomb.stat().st_size < MB
    monkeypatch.setattr(LimitsOfTrial, "memory_bytes", 20 * MB)
    with pytest.raises(VideoError, match="takes more memory than it may"):
        looked_through(bomb)
    assert looked_through(clip).frames == 6


def test_what_takes_too_long_is_ended_and_the_next_one_has_its_turn(
    clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as change:
        change.setattr(LimitsOfTrial, "wall_s", 0.0)
        with pytest.raises(VideoError, match="more than 0 s"):
            looked_through(clip)
    assert looked_through(clip).frames == 6


@pytest.mark.parametrize(
    ("number", "why"), [(signal.SIGSEGV, "ended with SIGSEGV"), (signal.SIGXCPU, "of the processor")]
)
def test_a_decoder_that_dies_costs_its_file_alone(number: signal.Signals, why: str, clip: Path) -> None:
    looked_through(clip)
    helper = apart._running()
    os.kill(helper.pid, signal.SIGSTOP)

    def strike() -> None:
        time.sleep(0.2)
        os.kill(helper.pid, number)
        os.kill(helper.pid, signal.SIGCONT)

    thread = threading.Thread(target=strike)
    thread.start()
    with pytest.raises(VideoError, match=why):
        looked_through(clip)
    thread.join()
    assert looked_through(clip).frames == 6
    assert apart._running().pid != helper.pid


def test_the_limits_hold_in_the_process_that_decodes(clip: Path) -> None:
    looked_through(clip)
    limits = Path(f"/proc/{apart._running().pid}/limits").read_text()
    told = {line[:26].strip(): line[26:].split() for line in limits.splitlines()}
    assert int(told["Max address space"][0]) < 2 * LimitsOfTrial.memory_bytes
    assert int(told["Max cpu time"][0]) <= LimitsOfTrial.cpu_s + 60
    assert told["Max core file size"][0] == "0"
